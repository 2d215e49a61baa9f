#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rank/communicators.hpp"
#include "rank/injector.hpp"
#include "rank/rank.hpp"
#include "rank/workspace.hpp"

namespace gpucoop::rank {

/// A key of the board that means the same in every rank of a team.
[[nodiscard]] std::uint64_t board_key(std::string_view what, std::uint64_t a, std::uint64_t b = 0);

/// What a rank keeps between steps.
class Session {
 public:
  Session(Tools& tools, std::unique_ptr<runtime::Device> device, std::unique_ptr<runtime::Stream> stream)
      : tools_(tools),
        device_(std::move(device)),
        stream_(std::move(stream)),
        injector_(tools.rank, tools.injections),
        communicators_(tools, *device_) {}

  [[nodiscard]] Tools& tools() { return tools_; }
  [[nodiscard]] unsigned rank() const { return tools_.rank; }
  [[nodiscard]] wire::Board& board() { return tools_.board; }
  [[nodiscard]] runtime::Device& device() { return *device_; }
  [[nodiscard]] runtime::Stream& stream() { return *stream_; }
  [[nodiscard]] const Injector& injector() const { return injector_; }
  [[nodiscard]] Communicators& communicators() { return communicators_; }
  /// For whatever a step does; the second one for what is done beside it.
  [[nodiscard]] Workspace& workspace() { return workspaces_[0]; }
  [[nodiscard]] Workspace& second_workspace() { return workspaces_[1]; }

  /// The device of another rank, opened in this process.
  runtime::Outcome<runtime::Device*> peer(unsigned rank, runtime::Deadline deadline);
  /// Tells the other ranks which device this one has.
  void announce();

 private:
  Tools& tools_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Stream> stream_;
  std::map<unsigned, std::unique_ptr<runtime::Device>> peers_;
  Injector injector_;
  std::array<Workspace, 2> workspaces_;
  Communicators communicators_;
};

}  // namespace gpucoop::rank
