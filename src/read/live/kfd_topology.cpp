#include "read/live/kfd_topology.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "read/text.hpp"

namespace gpucoop {
namespace {

using Properties = std::map<std::string, std::uint64_t, std::less<>>;

/// All of `text` as a number of 64 bits, as the ids of hives are.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Lines `name value`; lines of another form are skipped.
Properties parse_properties(std::string_view text) {
  Properties properties;
  while (!text.empty()) {
    const auto line = trim(next_part(text, '\n'));
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    if (const auto value = parse_number(trim(line.substr(blank))))
      properties[std::string(line.substr(0, blank))] = *value;
  }
  return properties;
}

Known<std::uint64_t> property(const Properties& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? Known<std::uint64_t>() : Known<std::uint64_t>(found->second);
}

/// The numbers that name a folder's entries, in order.
std::vector<std::uint64_t> numbers(const Folder& folder) {
  std::vector<std::uint64_t> list;
  for (const auto& name : folder.names()) {
    if (const auto number = parse_decimal(name)) list.push_back(*number);
  }
  std::sort(list.begin(), list.end());
  return list;
}

class Reader {
 public:
  Reader(const Folder& topology, Reports& reports) : topology_(topology), reports_(reports) {}

  void read() {
    constexpr int kAttempts = 4;
    for (int attempt = 1;; ++attempt) {
      const auto before = generation();
      reports_.send(KfdStart{true});
      read_nodes();
      const bool settled = generation() == before;
      if (!settled && attempt < kAttempts) continue;
      reports_.send(KfdEnd{settled});
      return;
    }
  }

 private:
  Known<std::string> text(const Folder& folder, const std::string& where, const char* name) {
    reports_.reading("KFD topology " + where + name);
    return folder.text(name);
  }

  Known<std::string> generation() { return text(topology_, "", "generation_id"); }

  void read_nodes() {
    hives_.clear();
    const auto nodes = topology_.folder("nodes");
    for (const auto number : numbers(nodes)) {
      const auto where = "nodes/" + std::to_string(number) + "/";
      const auto folder = nodes.folder(std::to_string(number));
      KfdNode node;
      node.number = number;
      const auto id = text(folder, where, "gpu_id");
      const auto properties = text(folder, where, "properties");
      const auto refused = [](const Known<std::string>& read) {
        return read.is_unknown() && read.reason() == Reason::no_root;
      };
      node.refused = refused(id) || refused(properties);
      const auto gpu_id = id.is_known() ? parse_decimal(id.value()) : std::nullopt;
      if (!node.refused && (!gpu_id || !properties.is_known())) continue;
      node.gpu_id = gpu_id.value_or(0);
      take_properties(parse_properties(properties.value_or("")), node);
      reports_.send(node);
      if (node.refused || node.gpu_id == 0) continue;
      read_links(folder, where, number);
      read_banks(folder, where, number);
    }
  }

  void take_properties(const Properties& properties, KfdNode& node) {
    node.location = property(properties, "location_id");
    node.domain = property(properties, "domain");
    node.gfx_target_version = property(properties, "gfx_target_version");
    node.fw_version = property(properties, "fw_version");
    node.sdma_fw_version = property(properties, "sdma_fw_version");
    node.render_minor = property(properties, "drm_render_minor");
    node.hive = property(properties, "hive_id");
    if (node.hive.is(0)) {
      node.hive = Known<std::uint64_t>::absent();
    } else if (node.hive.is_known()) {
      node.hive = hives_.try_emplace(node.hive.value(), hives_.size() + 1).first->second;
    }
  }

  void read_links(const Folder& node, const std::string& where, std::uint64_t number) {
    KfdLinks message;
    message.node = number;
    for (const auto* const kind : {"io_links", "p2p_links"}) {
      const auto links = node.folder(kind);
      for (const auto link : numbers(links)) {
        const auto name = std::to_string(link);
        const auto properties =
            parse_properties(text(links.folder(name), where + kind + "/" + name + "/", "properties").value_or(""));
        message.links.push_back({property(properties, "type"), property(properties, "node_to"),
                                 property(properties, "weight"), property(properties, "flags")});
      }
    }
    reports_.send(message);
  }

  void read_banks(const Folder& node, const std::string& where, std::uint64_t number) {
    KfdBanks message;
    message.node = number;
    const auto banks = node.folder("mem_banks");
    for (const auto bank : numbers(banks)) {
      const auto name = std::to_string(bank);
      const auto properties =
          parse_properties(text(banks.folder(name), where + "mem_banks/" + name + "/", "properties").value_or(""));
      if (const auto type = property(properties, "heap_type"); type.is_known()) {
        message.heap_types.push_back(type.value());
      }
    }
    reports_.send(message);
  }

  const Folder& topology_;
  Reports& reports_;
  std::map<std::uint64_t, std::uint64_t> hives_;
};

}  // namespace

void read_kfd_topology(const Folder& sys, Reports& reports) {
  const auto topology = sys.folder("class/kfd/kfd/topology");
  if (!topology.ok()) {
    reports.send(KfdStart{false});
    return;
  }
  Reader(topology, reports).read();
}

bool KfdTopology::take(const std::string& message) {
  switch (topic_of(message)) {
    case Topic::kfd_start:
      no_driver_ = !unpacked<KfdStart>(message).there;
      nodes_.clear();
      return true;
    case Topic::kfd_node: {
      const auto node = unpacked<KfdNode>(message);
      nodes_[node.number].stated = node;
      return true;
    }
    case Topic::kfd_links: {
      auto links = unpacked<KfdLinks>(message);
      nodes_[links.node].links = std::move(links.links);
      return true;
    }
    case Topic::kfd_banks: {
      auto banks = unpacked<KfdBanks>(message);
      nodes_[banks.node].heap_types = std::move(banks.heap_types);
      return true;
    }
    case Topic::kfd_end: complete_ = unpacked<KfdEnd>(message).settled; return true;
    default: return false;
  }
}

bool KfdTopology::any_hidden() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& entry) { return entry.second.stated.refused; });
}

const KfdTopology::Node* KfdTopology::find(std::uint64_t number) const {
  const auto found = nodes_.find(number);
  return found == nodes_.end() ? nullptr : &found->second;
}

}  // namespace gpucoop
