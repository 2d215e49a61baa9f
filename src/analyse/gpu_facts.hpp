#pragma once

#include "analyse/fact_list.hpp"
#include "analyse/gpu_view.hpp"

namespace gpucoop {

/// All facts about one GPU.
void add_gpu_facts(const GpuView& view, Tri virtualized, FactList& facts);

}  // namespace gpucoop
