#include "wire/step.hpp"

#include <algorithm>

#include "base/packed.hpp"
#include "wire/board.hpp"
#include "wire/frame.hpp"

namespace gpucoop::wire {
namespace {

/// What a frame begins with; changes with every change of the fields.
enum class Kind : std::uint32_t { step = 0x53000001, result = 0x52000001 };

template <class T>
void cut(std::vector<T>& list) {
  if (list.size() > kMostEntries) list.resize(kMostEntries);
}

void cut(std::string& text) {
  if (text.size() > kMostText) text.resize(kMostText);
}

template <class T>
std::string packed_as(Kind kind, const T& value) {
  packed::Packer packer;
  packer(kind, value);
  return packer.take();
}

template <class T>
Result<T> unpacked_as(Kind kind, std::string_view bytes, const char* what) {
  Kind found{};
  T value;
  if (bytes.size() <= kMostFrame) {
    packed::Unpacker unpacker(bytes);
    unpacker(found, value);
  }
  // There is one way to write a value: bytes that are missing, left over or out of range show when it is written again.
  if (found == kind && packed_as(kind, value) == bytes) return value;
  return Error{ExitCode::bad_input, what, "", ""};
}

bool known_reason(const Known<double>& value) { return !value.is_unknown() || value.reason() <= Reason::not_derivable; }

bool are_ranks(const std::vector<unsigned>& ranks) {
  return ranks.size() <= kMostRanks &&
         std::all_of(ranks.begin(), ranks.end(), [](unsigned r) { return r < kMostRanks; });
}

bool in_range(const Step& step) {
  return step.sync <= Sync::rendezvous && are_ranks(step.ranks) && step.sizes.size() <= kMostEntries &&
         step.groups.size() <= kMostEntries &&
         std::all_of(step.groups.begin(), step.groups.end(), [](const Group& g) { return are_ranks(g.ranks); });
}

bool in_range(const StepResult& result) {
  return result.rank < kMostRanks && result.state <= ProbeState::inconclusive &&
         result.answers.size() <= kMostEntries && known_reason(result.latency_us) &&
         known_reason(result.gbytes_per_s) && known_reason(result.bus_gbytes_per_s);
}

}  // namespace

std::string encode(const Step& step) { return packed_as(Kind::step, step); }

std::string encode(const StepResult& result) {
  auto sent = result;
  for (auto* const text : {&sent.reason, &sent.wrong_how, &sent.transport, &sent.library_name, &sent.library_version}) {
    cut(*text);
  }
  cut(sent.answers);
  auto bytes = packed_as(Kind::result, sent);
  if (bytes.size() <= kMostFrame) return bytes;
  sent.answers.clear();
  return packed_as(Kind::result, sent);
}

Result<Step> decode_step(std::string_view bytes) {
  auto step = unpacked_as<Step>(Kind::step, bytes, "these bytes are no step of a probe");
  if (step && !in_range(step.value())) return Error{ExitCode::bad_input, "a step of a probe is out of range", "", ""};
  return step;
}

Result<StepResult> decode_result(std::string_view bytes) {
  auto result = unpacked_as<StepResult>(Kind::result, bytes, "these bytes are no result of a rank");
  if (result && !in_range(result.value()))
    return Error{ExitCode::bad_input, "a result of a rank is out of range", "", ""};
  return result;
}

}  // namespace gpucoop::wire
