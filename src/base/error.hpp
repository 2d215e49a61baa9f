#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace gpucoop {

/// The process exit codes (design: exit codes; sysexits.h numbers where one fits).
enum class ExitCode : int {
  ok = 0,
  no = 1,
  degraded = 2,
  unknown = 3,
  hung = 4,
  usage = 64,
  bad_input = 65,
  no_such_input = 66,
  no_gpu = 69,
  internal = 70,
  cannot_create = 73,
  busy = 75,
  permission = 77,
  interrupted = 130,
};

/// What happened, where, and what to do next. `where` is `file:line` or an address; `next` may be empty.
struct Error {
  ExitCode code = ExitCode::internal;
  std::string what;
  std::string where;
  std::string next;
};

/// Either a value or an `Error`. No exceptions cross a layer of src/.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : v_(std::move(error)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(v_); }
  explicit operator bool() const { return ok(); }
  /// Precondition: `ok()`.
  [[nodiscard]] T& value() & { return std::get<T>(v_); }
  [[nodiscard]] const T& value() const& { return std::get<T>(v_); }
  [[nodiscard]] T&& value() && { return std::get<T>(std::move(v_)); }
  /// Precondition: not `ok()`.
  [[nodiscard]] const Error& error() const { return std::get<Error>(v_); }

 private:
  std::variant<T, Error> v_;
};

/// Success, or an `Error`.
using Status = std::optional<Error>;

}  // namespace gpucoop
