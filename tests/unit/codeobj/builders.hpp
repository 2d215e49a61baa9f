#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codeobj/inspect.hpp"
#include "codeobj/inspect_source.hpp"
#include "codeobj/source.hpp"

// Builds the bytes that the readers of codeobj/ read, from their documentation and not from the readers.
namespace gpucoop::test {

using codeobj::Bytes;

inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string little(std::uint64_t v, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i) & 0xff);
  return out;
}

inline void put(std::string& bytes, std::size_t at, const std::string& what) {
  if (bytes.size() < at + what.size()) bytes.resize(at + what.size(), '\0');
  bytes.replace(at, what.size(), what);
}

inline std::string padded(std::string bytes, std::size_t align) {
  bytes.resize((bytes.size() + align - 1) / align * align, '\0');
  return bytes;
}

/// A file of the folder `data`.
inline std::string data(const std::string& name) {
  std::ifstream in(std::string(GPUCOOP_SOURCE_DIR "/tests/unit/codeobj/data/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// MessagePack.
inline std::string big(std::uint64_t v, std::size_t bytes) {
  std::string out;
  for (std::size_t i = bytes; i-- > 0;) out += static_cast<char>(v >> (8 * i) & 0xff);
  return out;
}
inline std::string mp(std::uint64_t v) { return '\xcf' + big(v, 8); }
inline std::string mp(std::string_view text) { return '\xda' + big(text.size(), 2) + std::string(text); }
inline std::string mp_array(const std::vector<std::string>& elements) {
  auto out = '\xdd' + big(elements.size(), 4);
  for (const auto& e : elements) out += e;
  return out;
}
inline std::string mp_map(const std::vector<std::pair<std::string, std::string>>& pairs) {
  auto out = '\xde' + big(pairs.size(), 2);
  for (const auto& [key, value] : pairs) out += mp(key) + value;
  return out;
}

struct Kernel {
  std::string name;
  std::vector<std::string> hidden;
};

inline std::string metadata(const std::vector<Kernel>& kernels, const std::string& target) {
  std::vector<std::string> list;
  for (const auto& k : kernels) {
    std::vector<std::string> args{mp_map({{".offset", mp(0)}, {".value_kind", mp("global_buffer")}})};
    for (const auto& kind : k.hidden) args.push_back(mp_map({{".offset", mp(8)}, {".value_kind", mp(kind)}}));
    list.push_back(mp_map({{".args", mp_array(args)}, {".name", mp(k.name)}, {".wavefront_size", mp(32)}}));
  }
  return mp_map({{"amdhsa.kernels", mp_array(list)},
                 {"amdhsa.target", mp("amdgcn-amd-amdhsa--" + target)},
                 {"amdhsa.version", mp_array({mp(1), mp(2)})}});
}

inline std::string note(std::string_view name, std::uint32_t type, const std::string& body) {
  const auto owner = std::string(name) + '\0';
  return little(owner.size(), 4) + little(body.size(), 4) + little(type, 4) + padded(owner, 4) + padded(body, 4);
}

struct Segment {
  std::uint32_t type;
  std::uint64_t offset;
  std::uint64_t size;
};

inline std::string elf_header(std::uint16_t machine, std::uint32_t flags, std::uint8_t abi,
                              const std::vector<Segment>& segments) {
  std::string out = std::string(
                        "\x7f"
                        "ELF\x02\x01\x01\x40",
                        8) +
                    little(abi, 8);
  out += little(3, 2) + little(machine, 2) + little(1, 4) + little(0, 8) + little(64, 8) + little(0, 8) +
         little(flags, 4) + little(64, 2) + little(56, 2) + little(segments.size(), 2) + little(64, 2) + little(0, 2) +
         little(0, 2);
  for (const auto& s : segments) {
    out += little(s.type, 4) + little(4, 4) + little(s.offset, 8) + little(s.offset, 8) + little(s.offset, 8) +
           little(s.size, 8) + little(s.size, 8) + little(4, 8);
  }
  return out;
}

/// An AMD code object with one note. `flags` as in its ELF header.
inline std::string code_object(std::uint32_t flags, const std::vector<Kernel>& kernels, const std::string& target,
                               std::uint8_t abi = 4) {
  const auto notes = note("AMDGPU", 32, metadata(kernels, target));
  return elf_header(224, flags, abi, {{4, 120, notes.size()}}) + notes;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

inline std::string bundle(const Entries& entries, std::size_t align = 256) {
  std::string table = "__CLANG_OFFLOAD_BUNDLE__" + little(entries.size() + 1, 8);
  const std::string host = "host-x86_64-unknown-linux-gnu-";
  auto size = table.size() + 24 + host.size();
  for (const auto& [id, code] : entries) size += 24 + id.size();
  auto at = (size + align - 1) / align * align;
  table += little(at, 8) + little(0, 8) + little(host.size(), 8) + host;
  std::string body;
  for (const auto& [id, code] : entries) {
    table += little(at, 8) + little(code.size(), 8) + little(id.size(), 8) + id;
    body += padded(code, align);
    at += padded(code, align).size();
  }
  return padded(table, align) + body;
}

inline std::string zlibbed(const std::string& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string out(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
              9);
  out.resize(size);
  return out;
}
inline std::string zstded(const std::string& bytes) {
  std::string out(::ZSTD_compressBound(bytes.size()), '\0');
  out.resize(::ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

/// A compressed bundle of version 1 to 3; method 0 is zlib, 1 zstd. `claim` in place of the true size.
inline std::string ccob(unsigned version, unsigned method, const std::string& plain, std::uint64_t claim = 0) {
  const auto packed = method == 0 ? zlibbed(plain) : zstded(plain);
  const auto size = claim == 0 ? plain.size() : claim;
  auto head = "CCOB" + little(version, 2) + little(method, 2);
  if (version == 1) return head + little(size, 4) + little(0x1234, 8) + packed;
  if (version == 2) return head + little(24 + packed.size(), 4) + little(size, 4) + little(0x1234, 8) + packed;
  return head + little(32 + packed.size(), 8) + little(size, 8) + little(0x1234, 8) + packed;
}

using Sections = std::vector<std::pair<std::string, std::string>>;

/// A host library with these sections.
inline std::string library(const Sections& sections, std::size_t align = 64) {
  std::string names(1, '\0');
  auto out = elf_header(62, 0, 0, {});
  std::string table = std::string(64, '\0');
  const auto row = [&](const std::string& name, std::uint64_t at, std::uint64_t size) {
    table += little(names.size(), 4) + little(1, 4) + little(2, 8) + little(at, 8) + little(at, 8) + little(size, 8) +
             std::string(24, '\0');
    names += name + '\0';
  };
  for (const auto& [name, bytes] : sections) {
    out = padded(out, align);
    row(name, out.size(), bytes.size());
    out += bytes;
  }
  const auto at = out.size();
  const std::string own = ".shstrtab";
  row(own, at, names.size() + own.size() + 1);
  out = padded(out + names, 8);
  put(out, 40, little(out.size(), 8));
  put(out, 60, little(sections.size() + 2, 2) + little(sections.size() + 1, 2));
  return out + table;
}

struct Image {
  unsigned kind;  ///< 1 PTX, 2 ELF
  unsigned architecture;
  std::uint64_t flags = 0x8011;
  std::size_t header = 64;
  std::size_t size = 40;
};

inline std::string nvidia_fatbin(const std::vector<Image>& images) {
  std::string body;
  for (const auto& i : images) {
    auto head = little(i.kind, 2) + little(0x101, 2) + little(i.header, 4) + little(i.size, 8) + little(i.size, 4) +
                little(0, 4) + little(i.kind == 1 ? 4 : 1, 2) + little(8, 2) + little(i.architecture, 4) +
                little(0, 8) + little(i.flags, 8) + little(0, 8) + little(1000, 8);
    head.resize(i.header, '\0');
    body += head + std::string(i.size, 'x');
  }
  return little(0xba55ed50, 4) + little(1, 2) + little(16, 2) + little(body.size(), 8) + body;
}

inline Result<Library> inspect(std::string_view bytes, const std::string& path = "librccl.so.1") {
  codeobj::MemorySource source(as_bytes(bytes));
  InspectOptions options;
  options.hash = false;
  return codeobj::inspect_source(source, path, options);
}

inline const CodeTarget* target(const Library& library, std::string_view name) {
  for (const auto& t : library.targets) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

}  // namespace gpucoop::test
