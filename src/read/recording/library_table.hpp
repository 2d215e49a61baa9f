#pragma once

#include <tuple>

#include "model/installed_library.hpp"
#include "read/recording/field.hpp"

// What installed libraries carry. No folder gets into a file: how a library was found and its own name say enough.
namespace gpucoop::recording_file {

template <>
struct Table<CodeTarget> {
  static constexpr const char* name = "codeTarget";
  static constexpr auto rows = std::make_tuple(
      row("vendor", &CodeTarget::vendor), row("form", &CodeTarget::form),
      needed("name", &CodeTarget::name, Form::code_target), row("processor", &CodeTarget::processor, Form::code_target),
      row("sramecc", &CodeTarget::sramecc), row("xnack", &CodeTarget::xnack),
      row("capability", &CodeTarget::capability), row("variant", &CodeTarget::variant),
      row("ptx_version", &CodeTarget::ptx_version, Form::version), row("code_objects", &CodeTarget::code_objects),
      row("unread", &CodeTarget::unread), row("bytes", &CodeTarget::bytes), row("kernels", &CodeTarget::kernels),
      row("hostcall_kernels", &CodeTarget::hostcall_kernels), row("generic_kernel", &CodeTarget::generic_kernel),
      row("generic_hostcall", &CodeTarget::generic_hostcall), row("other_hostcall", &CodeTarget::other_hostcall),
      left_out(&CodeTarget::hostcall_names));
};
static_assert(covers<CodeTarget>());

template <>
struct Table<KpackFile> {
  static constexpr const char* name = "kpackFile";
  static constexpr auto rows = std::make_tuple(left_out(&KpackFile::path), row("found", &KpackFile::found),
                                               row("target", &KpackFile::target, Form::code_target));
};
static_assert(covers<KpackFile>());

template <>
struct Table<Library> {
  static constexpr const char* name = "library";
  static constexpr auto rows = std::make_tuple(
      left_out(&Library::path), row("kind", &Library::kind), row("vendor", &Library::vendor),
      row("soname", &Library::soname, Form::library_file), row("version", &Library::version, Form::version),
      row("version_of", &Library::version_of, Form::library_owner), row("sha256", &Library::sha256, Form::sha256),
      row("size", &Library::size), row("packaging", &Library::packaging), row("complete", &Library::complete),
      row("targets", &Library::targets), left_out(&Library::kpack_patterns), row("kpacks", &Library::kpacks),
      left_out(&Library::plugins), left_out(&Library::warnings));
};
static_assert(covers<Library>());

template <>
struct Table<InstalledLibrary> {
  static constexpr const char* name = "installedLibrary";
  static constexpr auto rows =
      std::make_tuple(row("file", &InstalledLibrary::file, Form::library_file), left_out(&InstalledLibrary::place),
                      row("found_by", &InstalledLibrary::found_by), row("library", &InstalledLibrary::library));
};
static_assert(covers<InstalledLibrary>());

}  // namespace gpucoop::recording_file
