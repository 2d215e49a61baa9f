#pragma once

#include <string_view>

namespace gpucoop {

/// True for kernel releases that refuse AtomicOps wherever no root port is visible, even where the hypervisor had
/// already enabled them: mainline 7.1 to before 7.3-rc6, stable 6.12.91 to before 6.12.113 and 6.1.175 to before
/// 6.1.191, Ubuntu from 6.8.0-135 (changelogs of these kernels; commits 1ae8c4ce1570 and 40cce45b921f).
/// False for every other release and for text that is none.
[[nodiscard]] bool refuses_hidden_root_port(std::string_view release);

}  // namespace gpucoop
