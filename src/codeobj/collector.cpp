#include "codeobj/collector.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "codeobj/amd_object.hpp"

namespace gpucoop::codeobj {
namespace {

/// Orders names as people count: numbers by value.
bool counts_before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text, std::size_t at) {
    std::size_t n = 0;
    while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
    return n;
  };
  std::size_t i = 0;
  while (i < a.size() && i < b.size()) {
    const auto n = digits(a, i);
    const auto m = digits(b, i);
    if (n > 0 && m > 0 && n != m) return n < m;
    if (a[i] != b[i]) return a[i] < b[i];
    ++i;
  }
  return a.size() < b.size();
}

}  // namespace

CodeTarget* Collector::target(Vendor vendor, CodeForm form, const std::string& name, Place place) {
  const auto found = targets_.find(name);
  if (found != targets_.end()) return &found->second;
  if (targets_.size() >= Library::kMaxTargets) {
    damaged(place, fmt::format("more than {} targets: this one is left out", Library::kMaxTargets));
    return nullptr;
  }
  auto& made = targets_[name];
  made.vendor = vendor;
  made.form = form;
  made.name = name;
  return &made;
}

void Collector::amd_object(Source& source, std::string_view id, Place place) {
  std::string why;
  const auto elf = read_elf(source, why);
  const auto named = parse_amd_target(id);
  if (!elf || elf->machine != kMachineAmdgpu) {
    const auto what = elf ? std::string("an ELF file for another machine") : source.size() == 0 ? "not there" : why;
    damaged(place, "code for AMD GPUs that is " + what);
    if (!named) return;
  }
  const auto object = elf ? read_amd_object(source, *elf) : AmdObject();
  const auto& known = object.target ? object.target : named;
  if (!known) {
    damaged(place, fmt::format("code for an AMD GPU that is not known here: ELF flags {:#x}", elf ? elf->flags : 0));
    return;
  }
  if (named && object.target && named->processor != object.target->processor) {
    warn("library.target", place,
         fmt::format("code for {} that is filed under {}", object.target->name(), named->name()));
  }
  // What the container says is what the runtime goes by, except that older ones leave the features out.
  auto* into =
      target(Vendor::amd, is_generic(known->processor) ? CodeForm::generic : CodeForm::native, known->name(), place);
  if (into == nullptr) return;
  into->processor = known->processor;
  into->sramecc = known->sramecc;
  into->xnack = known->xnack;
  ++into->code_objects;
  into->bytes += source.size();
  object.kernels.add_to(*into);
  if (!object.listed) ++into->unread;
  if (elf && !object.damage.empty())
    warn("library.kernels", place, fmt::format("{}: {}", known->name(), object.damage));
}

void Collector::add(Vendor vendor, CodeForm form, const std::string& name, std::uint64_t bytes) {
  auto* into = target(vendor, form, name, {library_.path, 0});
  if (into == nullptr) return;
  ++into->code_objects;
  into->bytes += bytes;
}

void Collector::nvidia(CodeForm form, unsigned capability, char variant, std::uint64_t bytes,
                       std::string_view ptx_version) {
  auto name = fmt::format("{}_{}", form == CodeForm::ptx ? "compute" : "sm", capability);
  if (variant != 0) name += variant;
  auto* into = target(Vendor::nvidia, form, name, {library_.path, 0});
  if (into == nullptr) return;
  into->capability = capability;
  into->variant = variant;
  ++into->code_objects;
  into->bytes += bytes;
  if (counts_before(into->ptx_version, ptx_version)) into->ptx_version = ptx_version;
}

void Collector::damaged(Place place, std::string_view what) {
  library_.complete = false;
  ++damages_;
  warn("library.damaged", place, what);
}

void Collector::warn(std::string_view code, Place place, std::string_view what) {
  const auto count = library_.warnings.size();
  if (count >= Library::kMaxWarnings) return;
  if (count + 1 == Library::kMaxWarnings) {
    library_.warnings.push_back({"library.warnings", "more warnings, not listed", std::string(place.file)});
    return;
  }
  library_.warnings.push_back(
      {std::string(code), std::string(what), fmt::format("{} offset {:#x}", place.file, place.offset)});
}

void Collector::packaged(Packaging packaging) { library_.packaging = std::max(library_.packaging, packaging); }

void Collector::finish() {
  for (auto& [name, one] : targets_) library_.targets.push_back(std::move(one));
  std::ranges::sort(library_.targets, [](const CodeTarget& a, const CodeTarget& b) {
    if (a.vendor != b.vendor) return a.vendor < b.vendor;
    return counts_before(a.name, b.name);
  });
}

}  // namespace gpucoop::codeobj
