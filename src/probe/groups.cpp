#include "probe/groups.hpp"

#include <algorithm>
#include <set>

#include "wire/board.hpp"

namespace gpucoop::probe {
namespace {

Error wrong(const std::string& text, const std::string& what) {
  return {ExitCode::usage, "--groups " + text + ": " + what, "", "for example --groups tp=2,dp=2"};
}

/// A number from 1 to the most ranks there can be; 0 where it is none.
unsigned number_of(std::string_view text) {
  if (text.empty() || text.size() > 2) return 0;
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value <= wire::kMostRanks ? value : 0;
}

/// Ranks `first`, `first + stride`, …
wire::Group strided(std::string name, unsigned first, unsigned stride, unsigned count) {
  wire::Group group{std::move(name), {}};
  for (unsigned i = 0; i < count; ++i) group.ranks.push_back(first + i * stride);
  return group;
}

/// Every group that starts at a rank below `stride` within each block of `stride × count` ranks.
Division with_stride(const std::string& name, unsigned ranks, unsigned stride, unsigned count) {
  Division division{name, {}};
  for (unsigned block = 0; block < ranks; block += stride * count) {
    for (unsigned first = block; first < block + stride; ++first) {
      division.groups.push_back(strided(name + std::to_string(division.groups.size()), first, stride, count));
    }
  }
  return division;
}

/// vLLM: for each stage all ranks of it, over all replicas.
Division expert_groups(const Layout& l) {
  Division division{"ep", {}};
  for (unsigned stage = 0; stage < l.pp; ++stage) {
    wire::Group group{"ep" + std::to_string(stage), {}};
    for (unsigned replica = 0; replica < l.dp; ++replica) {
      for (unsigned t = 0; t < l.tp; ++t) group.ranks.push_back((replica * l.pp + stage) * l.tp + t);
    }
    division.groups.push_back(std::move(group));
  }
  return division;
}

}  // namespace

unsigned Layout::ranks() const { return order == RankOrder::vllm ? tp * pp * dp : tp * pp; }

Result<Layout> parse_layout(const std::string& text) {
  Layout layout;
  std::set<std::string, std::less<>> seen;
  std::string_view rest = text;
  while (true) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto part = rest.substr(0, end);
    const auto equal = part.find('=');
    if (equal == std::string_view::npos) return wrong(text, "'" + std::string(part) + "' is no NAME=N");
    const std::string name(part.substr(0, equal));
    const auto value = part.substr(equal + 1);
    if (!seen.insert(name).second) return wrong(text, "'" + name + "' stands there twice");
    if (name == "order") {
      if (value != "vllm" && value != "sglang") return wrong(text, "an order is vllm or sglang");
      layout.order = value == "vllm" ? RankOrder::vllm : RankOrder::sglang;
    } else {
      auto* field = name == "tp"   ? &layout.tp
                    : name == "pp" ? &layout.pp
                    : name == "dp" ? &layout.dp
                    : name == "ep" ? &layout.ep
                                   : nullptr;
      if (field == nullptr) return wrong(text, "'" + name + "' is none of tp, pp, dp, ep and order");
      *field = number_of(value);
      if (*field == 0) return wrong(text, "'" + std::string(value) + "' is no number from 1 to 64");
    }
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (layout.ranks() > wire::kMostRanks) return wrong(text, "that takes more than 64 GPUs");
  if (layout.order == RankOrder::vllm && layout.ep > 1 && layout.ep != layout.tp * layout.dp) {
    return wrong(text, "with vLLM, ep is tp times dp: " + std::to_string(layout.tp * layout.dp));
  }
  if (layout.order == RankOrder::sglang) {
    if (layout.ep > 1 && layout.tp % layout.ep != 0) return wrong(text, "with SGLang, ep divides tp");
    if (layout.tp % layout.dp != 0) return wrong(text, "with SGLang, dp divides tp (attention is divided)");
  }
  return layout;
}

std::string to_string(const Layout& layout) {
  std::string text = "tp=" + std::to_string(layout.tp);
  if (layout.pp > 1) text += ",pp=" + std::to_string(layout.pp);
  if (layout.dp > 1) text += ",dp=" + std::to_string(layout.dp);
  if (layout.ep > 0) text += ",ep=" + std::to_string(layout.ep);
  if (layout.order == RankOrder::sglang) text += ",order=sglang";
  return text;
}

std::vector<Division> divide(const Layout& l) {
  std::vector<Division> all;
  const unsigned ranks = l.ranks();
  if (l.tp > 1) all.push_back(with_stride("tp", ranks, 1, l.tp));
  if (l.pp > 1) all.push_back(with_stride("pp", ranks, l.tp, l.pp));
  if (l.order == RankOrder::vllm) {
    if (l.dp > 1) all.push_back(with_stride("dp", ranks, l.tp * l.pp, l.dp));
    // Without replicas the experts' group is the tensor group once more.
    if (l.ep > 1 || (l.ep == 0 && l.dp > 1 && l.tp > 1)) all.push_back(expert_groups(l));
    return all;
  }
  if (l.dp > 1 && l.tp > l.dp) all.push_back(with_stride("attn_tp", ranks, 1, l.tp / l.dp));
  if (l.ep > 1) {
    const unsigned moe_tp = l.tp / l.ep;
    if (moe_tp > 1) all.push_back(with_stride("moe_tp", ranks, 1, moe_tp));
    all.push_back(with_stride("ep", ranks, moe_tp, l.ep));
  }
  return all;
}

bool crosses(const std::vector<Division>& divisions) {
  const auto cross = [](const wire::Group& a, const wire::Group& b) {
    const auto in_b = std::count_if(a.ranks.begin(), a.ranks.end(), [&](unsigned rank) {
      return std::find(b.ranks.begin(), b.ranks.end(), rank) != b.ranks.end();
    });
    const auto both = static_cast<std::size_t>(in_b);
    return both > 0 && both < a.ranks.size() && both < b.ranks.size();
  };
  for (const auto& one : divisions) {
    for (const auto& other : divisions) {
      for (const auto& a : one.groups) {
        if (std::any_of(other.groups.begin(), other.groups.end(), [&](const auto& b) { return cross(a, b); })) {
          return true;
        }
      }
    }
  }
  return false;
}

Layout usual_layout(unsigned ranks) {
  Layout layout;
  if (ranks >= 4 && ranks % 2 == 0) {
    layout.dp = 2;
    layout.tp = ranks / 2;
  } else {
    layout.tp = ranks;
  }
  return layout;
}

}  // namespace gpucoop::probe
