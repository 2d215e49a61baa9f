#pragma once

#include "analyse/fact_list.hpp"
#include "analyse/pairs.hpp"
#include "analyse/virtualization.hpp"

namespace gpucoop {

[[nodiscard]] HostSummary host_summary(const Recording& recording, const Virtualization& virtualization);
void add_host_facts(const Recording& recording, const Virtualization& virtualization, FactList& facts);
/// Both ordered directions of each pair.
void add_pair_facts(const std::vector<JudgedPair>& pairs, FactList& facts);
void add_link_facts(const std::vector<Link>& links, FactList& facts);

}  // namespace gpucoop
