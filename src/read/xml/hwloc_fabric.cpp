#include "read/xml/hwloc_fabric.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "read/text.hpp"

namespace gpucoop {
namespace {

/// A rack of 72 GPUs and its switches is far below; the joins below are cubic in it.
constexpr std::size_t kMostObjects = 256;
/// hwloc writes this constant for every XGMI link, whatever its generation (hwloc topology-rsmi.c).
constexpr std::uint64_t kAssumedXgmi = 100000;

struct Matrix {
  FabricLink::Kind kind = FabricLink::Kind::nvlink;
  bool hops = false;  ///< values are counts of links to cross, not MB/s
  std::vector<std::optional<Address>> objects;
  std::vector<std::uint64_t> values;
  Place place;

  [[nodiscard]] std::uint64_t at(std::size_t row, std::size_t column) const {
    return values[row * objects.size() + column];
  }
};

bool kind_of(std::string_view name, Matrix& matrix) {
  if (name == "NVLinkBandwidth") {
    matrix.kind = FabricLink::Kind::nvlink;
  } else if (name == "XGMIBandwidth" || name == "XGMIHops") {
    matrix.kind = FabricLink::Kind::xgmi;
    matrix.hops = name == "XGMIHops";
  } else if (name == "XeLinkBandwidth") {
    matrix.kind = FabricLink::Kind::xelink;
  } else {
    return false;
  }
  return true;
}

/// The blank-separated words of all children of that name.
std::vector<std::string_view> words(pugi::xml_node node, const char* child, std::size_t most) {
  std::vector<std::string_view> result;
  for (const pugi::xml_node c : node.children(child)) {
    std::string_view text = c.child_value();
    while (result.size() <= most) {
      const std::size_t begin = text.find_first_not_of(" \t\r\n");
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin);
      const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
      result.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }
  return result;
}

std::optional<Matrix> read_matrix(const XmlDocument& document, pugi::xml_node node, const HwlocLookup& lookup) {
  Matrix matrix;
  if (!kind_of(node.attribute("name").value(), matrix)) return std::nullopt;
  matrix.place = document.place(node);
  const auto count = parse_decimal(node.attribute("nbobjs").value());
  if (!count || *count == 0 || *count > kMostObjects) return std::nullopt;
  const auto n = static_cast<std::size_t>(*count);
  const auto names = words(node, "indexes", n);
  const auto values = words(node, "u64values", n * n);
  if (names.size() != n || values.size() != n * n) return std::nullopt;

  const bool os_index = std::string_view(node.attribute("indexing").value()) == "os";
  for (const std::string_view name : names) {
    const std::size_t colon = name.find(':');
    HwlocObject object{node.attribute("type").value(), std::string(name), os_index};
    if (colon != std::string_view::npos) {
      object = {std::string(name.substr(0, colon)), std::string(name.substr(colon + 1)), false};
    }
    matrix.objects.push_back(lookup(object));
  }
  for (const std::string_view value : values) {
    const auto v = parse_decimal(value);
    if (!v) return std::nullopt;
    matrix.values.push_back(*v);
  }
  return matrix;
}

bool is_gpu(const Recording& recording, const Address& address) {
  const PciDevice* device = find_device(recording, address);
  if (device == nullptr || !device->class_code.is_known()) return false;
  const unsigned base = device->class_code.value() >> 8;
  return base == 0x03 || base == 0x12;
}

/// What a GPU has to the switches that it shares with another, and the other to them: the smaller of both.
std::uint64_t over_switches(const Matrix& m, const std::vector<std::size_t>& switches, std::size_t a, std::size_t b) {
  std::uint64_t to_a = 0;
  std::uint64_t to_b = 0;
  for (const std::size_t s : switches) {
    const std::uint64_t from_a = std::max(m.at(a, s), m.at(s, a));
    const std::uint64_t from_b = std::max(m.at(b, s), m.at(s, b));
    if (from_a == 0 || from_b == 0) continue;
    to_a += from_a;
    to_b += from_b;
  }
  return std::min(to_a, to_b);
}

using Pairs = std::set<std::pair<Address, Address>>;

/// Pairs that are more than one link apart are not joined directly, whatever rate another matrix states for them.
void settle_distant(const Matrix& m, Pairs& settled) {
  for (std::size_t a = 0; a < m.objects.size(); ++a) {
    for (std::size_t b = 0; b < m.objects.size(); ++b) {
      if (m.objects[a] && m.objects[b] && m.at(a, b) > 1) settled.emplace(*m.objects[a], *m.objects[b]);
    }
  }
}

void join(const Matrix& m, Recording& recording, Pairs& settled) {
  std::vector<std::size_t> gpus;
  std::vector<std::size_t> switches;
  for (std::size_t i = 0; i < m.objects.size(); ++i) {
    if (m.objects[i]) (is_gpu(recording, *m.objects[i]) ? gpus : switches).push_back(i);
  }
  for (const std::size_t a : gpus) {
    for (const std::size_t b : gpus) {
      if (*m.objects[a] == *m.objects[b]) continue;
      FabricLink link{*m.objects[a], *m.objects[b], m.kind, {}, {}, m.place, false};
      if (m.hops) {
        if (m.at(a, b) != 1) continue;
      } else {
        const std::uint64_t rate = m.at(a, b) != 0 ? m.at(a, b) : over_switches(m, switches, a, b);
        if (rate == 0) continue;
        link.over_switch = m.at(a, b) == 0;
        const bool assumed = m.kind == FabricLink::Kind::xgmi && rate == kAssumedXgmi;
        link.gbytes_per_s =
            assumed ? Known<double>::unknown(Reason::not_derivable) : Known<double>(static_cast<double>(rate) / 1000);
      }
      if (settled.emplace(link.a, link.b).second) recording.fabric.push_back(link);
    }
  }
}

}  // namespace

void read_hwloc_fabric(const XmlDocument& document, const HwlocLookup& lookup, Recording& recording) {
  Pairs settled;
  std::vector<Matrix> matrices;
  for (const pugi::xml_node node : document.root().children()) {
    const std::string_view name = node.name();
    if (name != "distances2" && name != "distances2hetero") continue;
    Matrix probe;
    if (!kind_of(node.attribute("name").value(), probe)) continue;
    auto matrix = read_matrix(document, node, lookup);
    if (!matrix) {
      recording.warnings.push_back(
          {"input.damaged", "a matrix of link rates that cannot be read is left out", document.where(node)});
      continue;
    }
    matrices.push_back(std::move(*matrix));
  }
  for (const Matrix& m : matrices) {
    if (m.hops) settle_distant(m, settled);
  }
  // Rates before hop counts: only rates tell how good a link is.
  for (const bool hops : {false, true}) {
    for (const Matrix& m : matrices) {
      if (m.hops == hops) join(m, recording, settled);
    }
  }
}

}  // namespace gpucoop
