#include "analyse/kernel_window.hpp"

#include <doctest/doctest.h>

using gpucoop::refuses_hidden_root_port;

TEST_CASE("kernels that refuse a hidden root port") {
  for (const char* release : {"7.1.0-rc1", "7.1.12", "7.2.3-arch1-1", "7.3.0-rc5", "6.12.91", "6.12.112+deb13-amd64",
                              "6.1.175-1", "6.1.190", "6.8.0-135-generic", "6.8.0-200-generic"}) {
    CAPTURE(release);
    CHECK(refuses_hidden_root_port(release));
  }
}

TEST_CASE("kernels that do not, and text that is no release") {
  for (const char* release :
       {"7.0.14", "7.3.0-rc6", "7.3.0", "7.4.1", "6.12.90", "6.12.113", "6.1.174", "6.1.191", "6.8.0-134-generic",
        "6.1.0-40-amd64", "5.15.0", "", "linux", "6", "6.12", "99999999999.1"}) {
    CAPTURE(release);
    CHECK_FALSE(refuses_hidden_root_port(release));
  }
}
