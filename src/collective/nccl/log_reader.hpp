#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop::collective::nccl {

/// What the library's own log says about communicators: how data travel, and its warnings. Everything is bounded,
/// whatever the library writes. Lines do not name their communicator; it is the one that was at work when they were
/// written, which `mark` lines between them tell.
class LogReader {
 public:
  /// The line that says that what follows is of communicator `number`.
  [[nodiscard]] static std::string mark(std::uint64_t number);

  void take(std::string_view bytes);

  /// By rank of the peer; what there is to say of the communicator `number`, whose rank we are.
  [[nodiscard]] std::map<unsigned, std::string> transports(std::uint64_t number, unsigned rank) const;
  /// Whether the communicator has what it takes to let switches add up and copy (NVLink SHARP, `NVLS`).
  [[nodiscard]] bool has_multicast(std::uint64_t number) const { return multicast_.count(number) != 0; }
  /// The latest warnings, oldest first, without the prefix of host and process.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Way {
    std::uint64_t communicator = 0;
    unsigned from = 0;
    unsigned to = 0;
    std::string by;
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  void take_line(std::string_view line);

  std::string rest_;
  bool overlong_ = false;
  std::uint64_t communicator_ = 0;
  std::map<Way, unsigned> ways_;
  std::set<std::uint64_t> multicast_;
  std::vector<std::string> warnings_;
};

/// `P2P/CUMEM` of `P2P/CUMEM/read`, `P2P/IPC/CE` of `P2P/IPC/CE`, `NET/Socket` of `NET/Socket/0/Shared`: the kind
/// without the instance. `CE`: by copy engines, not by kernels.
[[nodiscard]] std::string transport_kind(std::string_view text);

}  // namespace gpucoop::collective::nccl
