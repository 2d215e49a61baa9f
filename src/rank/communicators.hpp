#pragma once

#include <list>
#include <memory>

#include "rank/rank.hpp"

namespace gpucoop::rank {

/// The communicators that a rank is in, by name and ranks: made when first asked for, by all of their ranks in the same
/// step. The ones that were not used for longest are given up when there are too many.
class Communicators {
 public:
  Communicators(Tools& tools, runtime::Device& device) : tools_(tools), device_(device) {}

  /// `limited`: whether calls of it come back whatever the other ranks do; the same for every use of the group.
  /// `skipped` where this rank is not in the group; Tools::no_library_state where there is no library.
  runtime::Outcome<collective::Communicator*> get(const wire::Group& group, std::uint32_t step,
                                                  runtime::Deadline deadline, bool limited = true);
  void forget(const wire::Group& group);
  /// Ends all of them, together with the other ranks.
  void end() { entries_.clear(); }

 private:
  struct Entry {
    wire::Group group;
    std::unique_ptr<collective::Communicator> communicator;
  };

  Tools& tools_;
  runtime::Device& device_;
  std::list<Entry> entries_;  ///< the last used one first
};

}  // namespace gpucoop::rank
