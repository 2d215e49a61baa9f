#include "read/recording/problems.hpp"

#include <algorithm>
#include <utility>

namespace gpucoop::recording_file {
namespace {

constexpr std::size_t kMostPointer = 200;

}  // namespace

std::string At::pointer() const {
  if (up == nullptr) return {};
  return up->pointer() + "/" + (key.empty() ? std::to_string(index) : std::string(key.substr(0, kMostPointer)));
}

Error Problems::error(std::string what, const At& at, std::string next) const {
  if (next.empty()) next = "make the recording again with `gpucoop record -o FILE`";
  const auto pointer = at.pointer();
  return {ExitCode::bad_input, std::move(what), pointer.empty() ? name_ : name_ + ": " + pointer, std::move(next)};
}

void Problems::fail(std::string what, const At& at) {
  if (!failed_) failed_ = error(std::move(what), at);
}

void Problems::LeftOut::add(const At& at) {
  if (count++ == 0) first = at.pointer();
}

void Problems::warn(std::vector<Warning>& to, const char* code, const LeftOut& things, const std::string& what) const {
  if (things.count == 0) return;
  const auto more = things.count > 1 ? ", and " + std::to_string(things.count - 1) + " more" : std::string();
  to.push_back({code, what + " (" + things.first + more + ").", name_});
}

std::vector<Warning> Problems::warnings(const std::string& writer) const {
  std::vector<Warning> result;
  warn(result, "recording.unknown-key", unknown_,
       "The recording, made by " + writer + ", has keys that this version does not know; they are left out");
  warn(result, "recording.damaged", damaged_, "Values in the recording that cannot be are left out");
  return result;
}

Error not_json(const std::string& name, std::string_view bytes, std::size_t at, std::string what, std::string next) {
  const auto line =
      1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size())), '\n');
  return {ExitCode::bad_input, std::move(what), name + ":" + std::to_string(line), std::move(next)};
}

}  // namespace gpucoop::recording_file
