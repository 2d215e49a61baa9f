#include "read/read.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "read/detect.hpp"
#include "read/log/log_reader.hpp"
#include "read/lspci/lspci.hpp"
#include "read/merge.hpp"
#include "read/recording/recording.hpp"
#include "read/xml/xml.hpp"

namespace gpucoop {
namespace {

Result<Recording> read_document(InputKind kind, const Input& input) {
  if (kind == InputKind::recording) return read_recording(input.name, input.bytes);
  return kind == InputKind::hwloc_xml ? read_hwloc_xml(input.name, input.bytes)
                                      : read_nccl_xml(input.name, input.bytes);
}

/// Each listing in the inputs, in their order.
Result<std::vector<Recording>> read_parts(const std::vector<Input>& inputs, const Rules& rules) {
  std::vector<Recording> parts;
  for (const auto& input : inputs) {
    const auto kind = detect(input.name, input.bytes);
    if (!kind) return kind.error();
    if (kind.value() == InputKind::text) {
      auto read = read_lspci_text(input.name, input.bytes, rules);
      if (!read) return read.error();
      for (auto& part : read.value()) parts.push_back(std::move(part));
      continue;
    }
    auto read = read_document(kind.value(), input);
    if (!read) return read.error();
    parts.push_back(std::move(read).value());
  }
  return parts;
}

Result<Recording> joined(std::vector<Recording> parts, std::optional<unsigned> dump) {
  auto merged = merge(std::move(parts), dump);
  if (!merged) return merged;
  auto recording = std::move(merged).value();
  join_log_lines(recording);
  return recording;
}

bool only_adds(const Source& source) {
  return source.kind == SourceKind::kernel_log || source.kind == SourceKind::hwloc_xml ||
         source.kind == SourceKind::nccl_xml;
}

/// Why `part` cannot be laid over `host`.
Status not_of(const Recording& host, const Recording& part) {
  const auto file = part.sources.empty() ? std::string() : part.sources.front().file;
  if (!std::all_of(part.sources.begin(), part.sources.end(), only_adds)) {
    return Error{ExitCode::bad_input, "two hosts: the input lists the devices of one, and another is read live", file,
                 "leave one out; a kernel log, hwloc XML or NCCL XML can be added to a live reading"};
  }
  if (!host.listing_complete.is(true)) return std::nullopt;
  for (const auto& device : part.devices) {
    if (find_device(host, device.address) != nullptr) continue;
    return Error{
        ExitCode::bad_input,
        "two hosts: the input names " + to_string(device.address) + ", which the host that is read live does not have",
        file, "give files of that host only"};
  }
  return std::nullopt;
}

}  // namespace

Result<Recording> read_inputs(const std::vector<Input>& inputs, const Rules& rules, const ReadOptions& options) {
  auto parts = read_parts(inputs, rules);
  if (!parts) return parts.error();
  return joined(std::move(parts).value(), options.dump);
}

Result<Recording> read_inputs_over(Recording host, const std::vector<Input>& inputs, const Rules& rules) {
  auto parts = read_parts(inputs, rules);
  if (!parts) return parts.error();
  for (const auto& part : parts.value()) {
    if (auto error = not_of(host, part)) return *error;
  }
  parts.value().insert(parts.value().begin(), std::move(host));
  return joined(std::move(parts).value(), std::nullopt);
}

}  // namespace gpucoop
