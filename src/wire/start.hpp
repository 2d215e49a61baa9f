#pragma once

namespace gpucoop::wire {

// How a rank is started:
//   gpucoop-rank --rank R --backend NAME --device DEVICE [further arguments]
// with standard input empty, and with these two descriptors and no other. Once its device is open it sends a StepResult
// of step 0 that `passed`; where it cannot be opened, one that did not, with the reason, and ends. Then it takes steps
// and sends a result for each, until the channel closes.

constexpr int kChannelFd = 3;  ///< stream socket of frames (wire/frame.hpp)
constexpr int kBoardFd = 4;    ///< wire/board.hpp

}  // namespace gpucoop::wire
