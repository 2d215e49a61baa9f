#include "gpu_selection.hpp"

#include <algorithm>
#include <optional>

namespace gpucoop {
namespace {

constexpr std::size_t kMostDigits = 4;  // no host has more GPUs

Error not_readable(const std::string& text, const std::string& what) {
  return {ExitCode::usage, "--gpus " + text + ": " + what, "",
          "as in --gpus 0,1,3 or --gpus 0-3 (places in the report's list of GPUs), or --gpus 0b:00.0,0c:00.0"};
}

std::optional<std::size_t> place(const std::string& text) {
  if (text.empty() || text.size() > kMostDigits || text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoul(text);
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> result(1);
  for (const char c : text) {
    if (c == ',') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

std::string which(const Topology& topology) {
  std::string text;
  std::size_t told = 0;
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    if (!topology.gpus[i].compute) continue;
    if (++told > 16) return text + ", …";
    text += (text.empty() ? "" : ", ") + std::to_string(i) + " is " + short_form(topology.gpus[i].address);
  }
  return text.empty() ? "this host has no GPU that computes" : "of this host, " + text;
}

Status add(const Topology& topology, std::size_t index, std::vector<std::size_t>& chosen) {
  const Gpu& gpu = topology.gpus[index];
  if (!gpu.compute) {
    return Error{ExitCode::bad_input, "--gpus: " + short_form(gpu.address) + " is only a display, which cannot compute",
                 "", which(topology)};
  }
  if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) {
    return Error{ExitCode::usage,
                 "--gpus: GPU " + std::to_string(index) + " (" + short_form(gpu.address) + ") is named twice", "",
                 "name each GPU once"};
  }
  chosen.push_back(index);
  return std::nullopt;
}

Status add_range(const Topology& topology, const GpuSelection::Range& range, std::vector<std::size_t>& chosen) {
  const std::size_t count = topology.gpus.size();
  if (range.last >= count) {
    const std::size_t missing = std::max(range.first, count);
    return Error{ExitCode::bad_input, "--gpus: this host has no GPU " + std::to_string(missing), "", which(topology)};
  }
  for (std::size_t i = range.first; i <= range.last; ++i) {
    if (auto error = add(topology, i, chosen)) return error;
  }
  return std::nullopt;
}

Status add_address(const Topology& topology, const Address& address, std::vector<std::size_t>& chosen) {
  const auto& gpus = topology.gpus;
  const auto it = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& g) { return g.address == address; });
  if (it == gpus.end()) {
    return Error{ExitCode::bad_input, "--gpus: this host has no GPU at " + short_form(address), "", which(topology)};
  }
  return add(topology, static_cast<std::size_t>(it - gpus.begin()), chosen);
}

}  // namespace

Result<GpuSelection> parse_gpu_selection(const std::string& text) {
  GpuSelection selection;
  for (const std::string& part : parts(text)) {
    if (const auto address = parse_address(part)) {
      selection.items.emplace_back(*address);
      continue;
    }
    const auto dash = part.find('-');
    const auto first = place(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : place(part.substr(dash + 1));
    if (!first || !last) {
      return not_readable(text, part.empty() ? "a comma stands alone or nothing is named"
                                             : "'" + part + "' is neither a number nor a range nor an address");
    }
    if (*last < *first) return not_readable(text, "the range '" + part + "' runs backwards");
    selection.items.emplace_back(GpuSelection::Range{*first, *last});
  }
  return selection;
}

Result<std::vector<Address>> find_selected(const GpuSelection& selection, const Topology& topology) {
  std::vector<std::size_t> chosen;
  for (const auto& item : selection.items) {
    const auto* range = std::get_if<GpuSelection::Range>(&item);
    auto error =
        range != nullptr ? add_range(topology, *range, chosen) : add_address(topology, std::get<Address>(item), chosen);
    if (error) return *std::move(error);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<Address> result;
  result.reserve(chosen.size());
  for (const std::size_t index : chosen) result.push_back(topology.gpus[index].address);
  return result;
}

}  // namespace gpucoop
