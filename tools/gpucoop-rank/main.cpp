#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "backend.hpp"
#include "query.hpp"
#include "rank/rank.hpp"
#include "wire/start.hpp"

namespace {

using gpucoop::Error;
using gpucoop::ExitCode;
using gpucoop::RankArguments;
using gpucoop::Result;

Result<RankArguments> parse(int count, char** words, unsigned ranks) {
  RankArguments out;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    if (i + 1 == count) return Error{ExitCode::usage, "a value is missing", std::string(name), ""};
    const char* const value = words[i + 1];
    if (name == "--rank") {
      char* end = nullptr;
      const unsigned long rank = std::strtoul(value, &end, 10);
      if (*value == '\0' || *end != '\0' || rank >= ranks) return Error{ExitCode::usage, "no such rank", value, ""};
      out.rank = static_cast<unsigned>(rank);
    } else if (name == "--backend") {
      out.backend = value;
    } else if (name == "--device") {
      out.device = value;
    } else if (name == "--library") {
      out.library = value;
    } else if (name == "--inject") {
      auto injection = gpucoop::wire::parse_injection(value, ranks);
      if (!injection.ok()) return injection.error();
      out.injections.push_back(std::move(injection).value());
    } else {
      return Error{ExitCode::usage, "no such option", std::string(name), "gpucoop starts this program by itself"};
    }
  }
  return out;
}

int fail(const Error& error) {
  std::fprintf(stderr, "gpucoop-rank: %s%s%s%s%s\n", error.where.c_str(), error.where.empty() ? "" : ": ",
               error.what.c_str(), error.next.empty() ? "" : "; ", error.next.c_str());
  return static_cast<int>(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "--query")
    return static_cast<int>(gpucoop::answer_query(argv[2], argc > 3 ? argv[3] : ""));
  auto board = gpucoop::wire::Board::attach(gpucoop::wire::kBoardFd);
  if (!board.ok()) {
    std::fputs("gpucoop-rank is started by `gpucoop probe`, and is of no use by itself\n", stderr);
    return static_cast<int>(ExitCode::usage);
  }
  auto arguments = parse(argc, argv, board.value()->ranks());
  if (!arguments.ok()) return fail(arguments.error());
  gpucoop::leave_out_faults(arguments.value());
  auto backend = gpucoop::open_backend(arguments.value(), *board.value());
  if (!backend.ok()) return fail(backend.error());
  auto& opened = backend.value();
  gpucoop::rank::Tools tools{arguments.value().rank, *opened.runtime,         opened.library.get(),
                             opened.no_library,      *board.value(),          arguments.value().injections,
                             opened.environment,     opened.no_library_state, true};
  const auto code = gpucoop::rank::serve(tools, arguments.value().device, gpucoop::wire::kChannelFd);
  // Without the ends of what vendors' libraries have loaded: their threads may still be at work.
  std::fflush(nullptr);
  ::_exit(static_cast<int>(code));
}
