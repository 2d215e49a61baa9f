// The one place where the TOML library itself is compiled.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
