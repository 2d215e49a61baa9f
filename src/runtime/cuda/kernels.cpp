#include "runtime/cuda/kernels.hpp"

#include <string>

#include "runtime/cuda/ptx.hpp"

namespace gpucoop::runtime::cuda {

const char* ptx() {
  static const std::string text = std::string(ptx_memory()) + ptx_checks();
  return text.c_str();
}

}  // namespace gpucoop::runtime::cuda
