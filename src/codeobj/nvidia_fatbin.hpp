#pragma once

#include <cstdint>
#include <string_view>

#include "codeobj/collector.hpp"
#include "codeobj/elf.hpp"
#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

/// Reads the fat binaries in `[from, to)`: the architectures of their images, native and PTX. The images themselves are
/// not unpacked. NVIDIA does not document the layout; it was compared with what cuobjdump lists, CUDA 13.0 to 13.5.
/// Gives how many fat binaries there are.
std::uint64_t read_nvidia_fatbin(Source& file, std::uint64_t from, std::uint64_t to, std::string_view path,
                                 Collector& collector);

/// A bare image, as ptxas writes it.
void read_cubin(const Elf& elf, std::uint64_t size, Place place, Collector& collector);

}  // namespace gpucoop::codeobj
