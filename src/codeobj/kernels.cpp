#include "codeobj/kernels.hpp"

#include <algorithm>

namespace gpucoop::codeobj {
namespace {

constexpr std::size_t kMaxName = 512;

}  // namespace

void KernelTally::add(std::string_view name, bool hostcall) {
  // The names are those of C++ symbols, so the word is somewhere inside. A debugging build's `ncclDevKernelDebug_…` are
  // used only where tracing was asked for.
  const bool debug = name.find("ncclDevKernelDebug") != std::string_view::npos;
  const bool generic = name.find("ncclDevKernel_Generic") != std::string_view::npos;
  ++counts_.kernels;
  counts_.generic_kernel |= generic;
  if (!hostcall) return;
  ++counts_.hostcall_kernels;
  counts_.generic_hostcall |= generic;
  if (!generic && !debug) ++counts_.other_hostcall;
  names_.emplace(name.substr(0, kMaxName));
  if (names_.size() > CodeTarget::kMaxNames) names_.erase(std::prev(names_.end()));
}

void KernelTally::add_to(CodeTarget& target) const {
  target.kernels += counts_.kernels;
  target.hostcall_kernels += counts_.hostcall_kernels;
  target.other_hostcall += counts_.other_hostcall;
  target.generic_kernel |= counts_.generic_kernel;
  target.generic_hostcall |= counts_.generic_hostcall;
  std::set<std::string> names(names_.begin(), names_.end());
  names.insert(target.hostcall_names.begin(), target.hostcall_names.end());
  const auto keep = std::min(names.size(), CodeTarget::kMaxNames);
  target.hostcall_names.assign(names.begin(), std::next(names.begin(), static_cast<std::ptrdiff_t>(keep)));
}

}  // namespace gpucoop::codeobj
