#include <algorithm>
#include <map>

#include "render/escape.hpp"
#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

/// From this many on, cards with the same kind of way to the CPU are shown once.
constexpr std::size_t kGroupAbove = 4;

using LinksByLower = std::map<Address, const Link*>;

LinksByLower index(const Topology& topology) {
  LinksByLower result;
  for (const Link& link : topology.links) result.emplace(link.lower, &link);
  return result;
}

/// One line of a chain; the address is kept apart so that chains can be compared without it.
struct Row {
  std::string address;
  std::string what;
  std::string link;
  std::vector<std::string> notes;
  Style what_style = Style::plain;
  Style note_style = Style::plain;
};

std::string link_text(const Link& link) {
  const std::string shape = words::link(link.speed, link.width);
  const std::string rate = link.gbytes_per_s.is_known() ? words::rate(link.gbytes_per_s.value()) : "";
  if (shape.empty() || rate.empty()) return shape + rate;
  return shape + " = " + rate;
}

/// Whether saying "slowest" tells something: another link of the chain is faster.
bool slowest_matters(const Gpu& gpu, const LinksByLower& links) {
  if (!gpu.link.gbytes_per_s.is_known()) return false;
  const double least = gpu.link.gbytes_per_s.value() * 1.01;
  return std::any_of(gpu.chain.begin(), gpu.chain.end(), [&](const Hop& hop) {
    const auto it = links.find(hop.address);
    return it != links.end() && !it->second->on_card && it->second->gbytes_per_s.is_known() &&
           it->second->gbytes_per_s.value() > least;
  });
}

void add_link(Row& row, const Gpu& gpu, const Link& link, bool mark_slowest) {
  // Intel's card switches fill these registers with the least there is; the link inside the card is faster.
  const bool placeholder = link.on_card && link.speed.is(LinkSpeed::gen1) && link.width.is(1);
  if (!placeholder) row.link = link_text(link);
  if (link.on_card) return;
  if (mark_slowest && gpu.link.at.is(link.upper)) {
    row.notes.emplace_back("<-- slowest link");
    row.note_style = Style::warning;
  }
  if (link.state == LinkState::downgraded) {
    row.notes.emplace_back("<-- downgraded");
    row.note_style = Style::bad;
  } else if (link.state == LinkState::idle) {
    row.notes.emplace_back("slow while idle");
  }
  if (link.gpus.size() > 1) row.notes.push_back("shared by " + words::count(link.gpus.size(), "GPU"));
}

std::string bit(const char* name, const Known<bool>& value) {
  return std::string(name) + (value.is_known() ? (value.value() ? "+" : "-") : "?");
}

/// The registers as lspci names them, for --verbose.
std::string registers(const Hop& hop) {
  std::string text = "AtomicOps " + bit("Routing", hop.atomic_routing) + " " + bit("32bit", hop.atomic_completer32) +
                     " " + bit("64bit", hop.atomic_completer64) + " " + bit("ReqEn", hop.atomic_requester_enabled) +
                     " " + bit("EgressBlck", hop.atomic_egress_blocked);
  if (hop.acs.is_known()) {
    const AcsBits& acs = hop.acs.value().control;
    text += ", ACS " + bit("ReqRedir", acs.request_redirect) + " " + bit("CmpltRedir", acs.completion_redirect) + " " +
            bit("UpstreamFwd", acs.upstream_forwarding);
  }
  return text;
}

std::vector<Row> rows_of(const Gpu& gpu, const LinksByLower& links, bool verbose) {
  std::vector<Row> rows;
  const bool slowest = slowest_matters(gpu, links);
  if (!gpu.chain_reaches_root && !gpu.integrated) {
    rows.push_back({"?", "what is above was not read", "", {}, Style::dim, Style::plain});
  }
  for (std::size_t i = 0; i < gpu.chain.size(); ++i) {
    const Hop& hop = gpu.chain[i];
    const bool last = i + 1 == gpu.chain.size();
    Row row;
    row.address = short_form(hop.address);
    row.what = words::role(hop, last);
    if (hop.slot.is_known() && !last) row.what += ", slot " + hop.slot.value();
    if (last) row.what_style = Style::bold;
    if (hop.on_card && !last) row.what_style = Style::dim;
    if (atomics_matter(gpu) && hop.blocks_atomics) {
      row.notes.emplace_back("<-- blocks AtomicOps");
      row.note_style = Style::bad;
    }
    if (!last) {
      const auto it = links.find(gpu.chain[i + 1].address);
      if (it != links.end() && it->second->upper == hop.address) {
        const Style before = row.note_style;
        add_link(row, gpu, *it->second, slowest);
        if (before == Style::bad) row.note_style = Style::bad;
      }
    } else if (links.count(hop.address) == 0 && (i == 0 || !gpu.chain[i - 1].on_card)) {
      const std::string own = words::link(hop.speed, hop.width);  // only this end of the link is in the input
      if (!own.empty()) row.link = own;
    }
    if (verbose) row.notes.push_back(registers(hop));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Columns as wide as their contents, so that the words in the second one get all that is left.
void put_rows(Page& page, const std::vector<Row>& rows) {
  constexpr std::size_t kNote = 20;
  std::size_t address = 0;
  std::size_t link = 0;
  std::size_t note = 0;
  for (const Row& row : rows) {
    address = std::max(address, row.address.size());
    link = std::max(link, row.link.size());
    for (const std::string& n : row.notes) note = std::max(note, n.size() <= kNote ? n.size() : 0);
  }
  std::size_t what = 0;
  for (const Row& row : rows) what = std::max(what, columns(escape(row.what)));
  what = std::min(what, page.width() - 2 - address - link - note - 6);
  for (const Row& row : rows) {
    Page::Cell beside{"", note, row.note_style};
    std::vector<std::string> long_notes;
    for (const std::string& n : row.notes) {
      if (n.size() > kNote) {
        long_notes.push_back(n);
      } else if (beside.text.empty()) {
        beside.text = n;
      } else {
        beside.below.push_back(n);
      }
    }
    page.row(2, {{row.address, address, row.what_style},
                 {row.what, what, row.what_style},
                 {row.link, link, row.what_style == Style::dim ? Style::dim : Style::plain},
                 beside});
    for (const std::string& n : long_notes) page.paragraph(4 + address, n, Style::dim, 2);
  }
}

std::string link_sentence(const Gpu& gpu) {
  const LinkJudgement& link = gpu.link;
  if (gpu.integrated) return {};
  if (!link.gbytes_per_s.is_known()) {
    return words::sentence("Link to the CPU: not known" + (link.why.empty() ? std::string() : ": " + link.why));
  }
  std::string text = "Link to the CPU: " + words::rate(link.gbytes_per_s.value());
  const std::string shape = words::link(link.speed, link.width);
  if (!shape.empty()) text += ", " + shape;
  if (link.at.is_known()) text += " at " + short_form(link.at.value());
  text += ". ";
  const double now = link.gbytes_per_s.value();
  const bool more = link.ceiling_gbytes_per_s.is_known() && link.ceiling_gbytes_per_s.value() > now * 1.01;
  if (link.state == LinkState::downgraded) text += words::sentence("Downgraded: " + link.why) + " ";
  if (more) {
    text += (link.state == LinkState::idle ? "Slowed down while idle: " : "Its ports can do ") +
            words::rate(link.ceiling_gbytes_per_s.value()) + (link.state == LinkState::idle ? " under load. " : ". ");
  }
  const double best = more ? link.ceiling_gbytes_per_s.value() : now;
  if (link.card_gbytes_per_s.is_known() && link.card_gbytes_per_s.value() > best * 1.01) {
    text += "The card itself can do " + words::rate(link.card_gbytes_per_s.value()) + ". ";
  }
  return words::sentence(text);
}

std::string atomics_sentence(const Gpu& gpu, bool verbose) {
  const AtomicsJudgement& atomics = gpu.atomics;
  const std::string why = atomics.why.empty() ? std::string() : ": " + atomics.why;
  switch (atomics.state) {
    case Tri::yes: return words::sentence("AtomicOps reach the CPU" + (verbose ? why : std::string()));
    case Tri::no: return words::sentence("AtomicOps do not reach the CPU" + why);
    case Tri::unknown: return words::sentence("AtomicOps to the CPU: not known" + why);
  }
  return {};
}

bool shows_slot(const Gpu& gpu) {
  return std::any_of(gpu.chain.begin(), gpu.chain.end(),
                     [&](const Hop& h) { return h.address != gpu.address && h.slot.is_known() && h.slot == gpu.slot; });
}

std::string details(const Gpu& gpu) {
  std::vector<std::string> items;
  if (gpu.lost) items.emplace_back("DOES NOT ANSWER (fallen off the bus, or switched off)");
  if (gpu.driver.is_known()) items.push_back("driver " + gpu.driver.value());
  if (gpu.driver.is_absent()) items.emplace_back("no driver bound");
  if (gpu.virtual_function) items.emplace_back("SR-IOV virtual function");
  if (gpu.slot.is_known() && !gpu.slot_claim.empty()) {
    items.push_back("the firmware says slot " + gpu.slot.value() + " (" + gpu.slot_claim + ")");
  } else if (gpu.slot.is_known() && !shows_slot(gpu)) {
    items.push_back("slot " + gpu.slot.value());
  }
  if (gpu.numa_node.is_known() && gpu.numa_node.value() >= 0) {
    items.push_back("NUMA node " + std::to_string(gpu.numa_node.value()));
  }
  if (gpu.bar_bytes.is_known()) items.push_back(words::bytes(gpu.bar_bytes.value()) + " BAR");
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

/// A GPU, or the first of those alike, with what is printed of it.
struct Shown {
  const Gpu* gpu;
  std::string name;
  std::string details;
  std::vector<Row> rows;
  std::vector<const Gpu*> members;
};

bool alike(const Shown& a, const Shown& b) {
  if (a.rows.size() != b.rows.size() || a.name != b.name || a.details != b.details) return false;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const Row& x = a.rows[i];
    const Row& y = b.rows[i];
    // A slot's name differs from card to card.
    if (x.what.substr(0, x.what.find(", slot")) != y.what.substr(0, y.what.find(", slot"))) return false;
    if (x.link != y.link || x.notes != y.notes) return false;
  }
  return a.gpu->atomics.state == b.gpu->atomics.state;
}

std::vector<Address> addresses(const std::vector<const Gpu*>& gpus) {
  std::vector<Address> list;
  list.reserve(gpus.size());
  for (const Gpu* gpu : gpus) list.push_back(gpu->address);
  return list;
}

void put_gpu(Page& page, const Shown& shown, bool verbose) {
  const Gpu& gpu = *shown.gpu;
  page.blank();
  if (shown.members.size() > 1) {
    page.heading(words::count(shown.members.size(), "GPU") + " alike: " + shown.name);
    page.paragraph(2, words::list(addresses(shown.members), 99));
    page.paragraph(2, "The way of " + short_form(gpu.address) + ":");
  } else {
    page.heading(short_form(gpu.address) + "  " + shown.name);
  }
  if (!shown.details.empty()) page.paragraph(2, shown.details, gpu.lost ? Style::bad : Style::plain);
  const std::string link = link_sentence(gpu);
  if (!link.empty()) page.paragraph(2, link, Style::plain, 2);
  if (atomics_matter(gpu)) page.paragraph(2, atomics_sentence(gpu, verbose), Style::plain, 2);
  for (const Gpu* member : shown.members) {
    const std::string holders = holders_sentence(*member, verbose);
    const std::string lead = shown.members.size() > 1 ? short_form(member->address) + " is " : "";
    if (!holders.empty()) page.paragraph(2, words::sentence(lead + holders), Style::plain, 2);
  }
  put_rows(page, shown.rows);
}

}  // namespace

void put_gpus(Page& page, const Report& report, bool verbose) {
  const LinksByLower links = index(report.topology);
  std::vector<const Gpu*> gpus;
  std::vector<std::string> aside;
  for (const Gpu& gpu : report.topology.gpus) {
    const bool left_out = !gpu.compute || (gpu.integrated && !judged(report, gpu));
    if (!left_out || (verbose && gpu.compute)) {
      gpus.push_back(&gpu);
    } else if (gpu.compute || verbose) {
      aside.push_back(short_form(gpu.address) + ": " + words::name(gpu) +
                      (gpu.compute ? " (inside the CPU, not counted)" : " (only a display)"));
    }
  }
  std::vector<Shown> shown;
  for (const Gpu* gpu : gpus) {
    Shown next{gpu, words::name(*gpu), details(*gpu), rows_of(*gpu, links, verbose), {gpu}};
    const bool group = !verbose && gpus.size() > kGroupAbove;
    const auto it = std::find_if(shown.begin(), shown.end(), [&](const Shown& s) { return group && alike(s, next); });
    if (it != shown.end()) {
      it->members.push_back(gpu);
    } else {
      shown.push_back(std::move(next));
    }
  }
  if (!shown.empty()) {
    page.blank();
    page.heading("Each GPU's way, from the CPU down");
    const auto in_doubt = [](const Shown& s) { return atomics_matter(*s.gpu) && s.gpu->atomics.state != Tri::yes; };
    if (std::any_of(shown.begin(), shown.end(), in_doubt)) {
      page.paragraph(2,
                     "AtomicOps are PCI Express atomic operations: read, change and write in one step. Code on an "
                     "AMD GPU uses them to signal the CPU.",
                     Style::dim);
    }
  }
  for (const Shown& s : shown) put_gpu(page, s, verbose);
  if (!aside.empty()) page.blank();
  for (const std::string& line : aside) page.paragraph(0, line, Style::dim, 2);
}

}  // namespace gpucoop::text
