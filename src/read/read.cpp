#include "read/read.hpp"

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

}  // namespace

Result<Recording> read_inputs(const std::vector<Input>& inputs, const Rules& rules, const ReadOptions& options) {
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
  auto merged = merge(std::move(parts), options.dump);
  if (!merged) return merged;
  auto recording = std::move(merged).value();
  join_log_lines(recording);
  return recording;
}

}  // namespace gpucoop
