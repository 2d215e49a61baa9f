#include "render/render.hpp"
namespace gpucoop {
std::string render_json(const Report&) { return "{}\n"; }
}  // namespace gpucoop
