#include "model/library.hpp"

namespace gpucoop {

std::string_view to_string(LibraryKind kind) {
  switch (kind) {
    case LibraryKind::rccl: return "rccl";
    case LibraryKind::nccl: return "nccl";
    case LibraryKind::oneccl: return "oneccl";
    case LibraryKind::ggml_hip: return "ggml-hip";
    case LibraryKind::ggml_cuda: return "ggml-cuda";
    case LibraryKind::torch: return "torch";
    case LibraryKind::other: break;
  }
  return "other";
}

std::string_view to_string(Packaging packaging) {
  switch (packaging) {
    case Packaging::none: return "none";
    case Packaging::fatbin: return "fatbin";
    case Packaging::compressed: return "compressed";
    case Packaging::kpack: break;
  }
  return "kpack";
}

std::string_view to_string(TargetFeature feature) {
  switch (feature) {
    case TargetFeature::any: return "any";
    case TargetFeature::off: return "off";
    case TargetFeature::on: break;
  }
  return "on";
}

std::string_view to_string(CodeForm form) {
  switch (form) {
    case CodeForm::native: return "native";
    case CodeForm::generic: return "generic";
    case CodeForm::ptx: return "ptx";
    case CodeForm::spirv: break;
  }
  return "spirv";
}

}  // namespace gpucoop
