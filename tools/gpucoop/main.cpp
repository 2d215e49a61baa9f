#include <exception>

#include "command_line.hpp"
#include "streams.hpp"

int main(int argc, char** argv) {
  using namespace gpucoop;
  try {
    prepare_streams();
    return static_cast<int>(run_command_line(argc, argv));
  } catch (const std::exception& e) {
    print_error({ExitCode::internal, std::string("internal error: ") + e.what(), "",
                 "please report this with the command line and the input"});
  } catch (...) {
    print_error({ExitCode::internal, "internal error", "", "please report this with the command line and the input"});
  }
  return static_cast<int>(ExitCode::internal);
}
