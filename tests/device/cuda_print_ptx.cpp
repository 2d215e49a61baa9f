// Prints the device code, for an assembler.
#include <cstdio>

#include "runtime/cuda/kernels.hpp"

int main() { return std::fputs(gpucoop::runtime::cuda::ptx(), stdout) < 0 ? 1 : 0; }
