#include <fmt/format.h>

#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

constexpr std::size_t kNamedPairs = 6;      ///< a group of at most so many is named pair by pair
constexpr std::size_t kMatrixColumns = 20;  ///< as many GPUs as a matrix of three columns each has room for

struct Group {
  const Pair* first = nullptr;
  std::vector<const Pair*> pairs;
  bool same_why = true;
};

bool same_fabric(const Known<Fabric>& a, const Known<Fabric>& b) {
  if (a.is_known() != b.is_known()) return false;
  return !a.is_known() || (a.value().kind == b.value().kind && a.value().links == b.value().links &&
                           a.value().gbytes_per_s == b.value().gbytes_per_s);
}

bool alike(const Pair& a, const Pair& b) {
  return a.path == b.path && a.peer == b.peer && a.ceiling_gbytes_per_s == b.ceiling_gbytes_per_s &&
         same_fabric(a.fabric, b.fabric);
}

std::string way(const Pair& pair) {
  std::string text;
  if (pair.fabric.is_known()) {
    const Fabric& fabric = pair.fabric.value();
    text = words::fabric(fabric.kind);
    if (fabric.links.is_known()) text += ", " + words::count(fabric.links.value(), "link");
    if (fabric.gbytes_per_s.is_known()) text += ", " + words::rate(fabric.gbytes_per_s.value()) + " each way";
    return pair.path == PairPath::unknown ? text : text + "; their PCIe way is " + words::path(pair.path);
  }
  text = words::path(pair.path);
  if (pair.ceiling_gbytes_per_s.is_known()) text += ", at most " + words::rate(pair.ceiling_gbytes_per_s.value());
  return text;
}

void put_group(Page& page, const Group& group, std::size_t all, char letter, bool verbose) {
  std::string lead;
  if (group.pairs.size() <= kNamedPairs || verbose) {
    std::vector<std::string> names;
    for (const Pair* p : group.pairs) names.push_back(short_form(p->a) + " - " + short_form(p->b));
    lead = words::list(names, 9999);
  } else {
    lead = group.pairs.size() == all ? "all " + words::count(all, "pair") : words::count(group.pairs.size(), "pair");
  }
  if (letter != 0) lead = std::string(1, letter) + "  " + lead;
  page.paragraph(2, lead + ": " + way(*group.first) + ".", Style::plain, 4);
  std::string peer = "Direct access to each other's memory: " + words::peer(group.first->peer);
  if (group.same_why && !group.first->peer_why.empty()) peer += ": " + group.first->peer_why;
  page.paragraph(6, words::sentence(peer));
}

void put_matrix(Page& page, const std::vector<Address>& gpus, const std::vector<Group>& groups) {
  const auto number = [&](const Address& a) {
    return static_cast<std::size_t>(std::lower_bound(gpus.begin(), gpus.end(), a) - gpus.begin());
  };
  std::vector<char> cells(gpus.size() * gpus.size(), '.');
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Pair* pair : groups[g].pairs) {
      const auto letter = static_cast<char>('A' + g);
      cells[number(pair->a) * gpus.size() + number(pair->b)] = letter;
      cells[number(pair->b) * gpus.size() + number(pair->a)] = letter;
    }
  }
  std::size_t wide = 0;
  for (const Address& a : gpus) wide = std::max(wide, short_form(a).size());
  std::string head(2 + wide + 4, ' ');
  for (std::size_t i = 0; i < gpus.size(); ++i) head += fmt::format("{:>3}", i);
  page.verbatim(head);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::string line = fmt::format("  {:<{}}  {:>2}", short_form(gpus[i]), wide, i);
    for (std::size_t j = 0; j < gpus.size(); ++j)
      line += fmt::format("{:>3}", i == j ? '-' : cells[i * gpus.size() + j]);
    page.verbatim(line);
  }
}

}  // namespace

void put_pairs(Page& page, const Report& report, bool verbose) {
  // Those that are judged; where none are, or for --verbose, all that compute.
  std::vector<Address> known;
  for (const GpuSet& set : report.judgement.sets) known.insert(known.end(), set.gpus.begin(), set.gpus.end());
  if (verbose || known.empty()) {
    known.clear();
    for (const Gpu* gpu : compute_gpus(report.topology)) known.push_back(gpu->address);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const auto computes = [&](const Address& a) { return std::binary_search(known.begin(), known.end(), a); };
  std::vector<Group> groups;
  std::size_t all = 0;
  for (const Pair& pair : report.topology.pairs) {
    if (!computes(pair.a) || !computes(pair.b)) continue;
    ++all;
    auto it = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return alike(*g.first, pair); });
    if (it == groups.end()) it = groups.insert(groups.end(), Group{&pair, {}, true});
    it->pairs.push_back(&pair);
    it->same_why = it->same_why && it->first->peer_why == pair.peer_why;
  }
  if (groups.empty()) return;
  page.blank();
  page.heading("Between the GPUs");
  const bool matrix = known.size() > 4 && known.size() <= kMatrixColumns && groups.size() > 1 && groups.size() <= 26;
  if (matrix) put_matrix(page, known, groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    put_group(page, groups[i], all, matrix ? static_cast<char>('A' + i) : '\0', verbose);
  }
}

}  // namespace gpucoop::text
