// The views alone: any bytes in every text of a report, and any numbers in its chains and pairs. Nothing of them may
// reach a terminal raw, no line of the text may be wider than the page, and the JSON must be ASCII.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "render/escape.hpp"
#include "render/render.hpp"

namespace {

using namespace gpucoop;

/// Deals out the input; zeros and empty texts once it is used up.
class Dealer {
 public:
  Dealer(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  std::string text() {
    const std::size_t length = std::min<std::size_t>(byte(), size_);
    std::string result(data_, data_ + length);
    data_ += length;
    size_ -= length;
    return result;
  }
  bool flag() { return (byte() & 1U) != 0; }
  Address address() {
    const std::uint8_t b = byte();
    return {b > 200 ? 0x10000U : 0U, static_cast<std::uint8_t>(b & 0x0fU), 0, static_cast<std::uint8_t>(b & 1U)};
  }
  template <class T>
  Known<T> maybe(T value) {
    const std::uint8_t b = byte();
    if (b % 3 == 0) return Known<T>::unknown(static_cast<Reason>(b % 14));
    return b % 3 == 1 ? Known<T>::absent() : Known<T>(std::move(value));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

Hop hop(Dealer& deal) {
  Hop h;
  h.address = deal.address();
  h.name = deal.maybe(deal.text());
  h.slot = deal.maybe(deal.text());
  h.role = static_cast<Role>(deal.byte() % 7);
  h.on_card = deal.flag();
  h.chipset = deal.flag();
  h.blocks_atomics = deal.flag();
  h.speed = deal.maybe(static_cast<LinkSpeed>(1 + deal.byte() % 7));
  h.width = deal.maybe(deal.byte());
  return h;
}

Gpu gpu(Dealer& deal) {
  Gpu g;
  g.address = deal.address();
  g.vendor = static_cast<Vendor>(deal.byte() % 4);
  g.name = deal.maybe(deal.text());
  g.driver = deal.maybe(deal.text());
  g.slot = deal.maybe(deal.text());
  g.compute = deal.byte() % 8 != 1;
  g.lost = deal.flag();
  g.integrated = deal.flag();
  g.bar_bytes = deal.maybe(std::uint64_t{deal.byte()} << 28U);
  for (unsigned n = deal.byte() % 5; n > 0; --n) g.chain.push_back(hop(deal));
  g.atomics.state = static_cast<Tri>(deal.byte() % 3);
  g.atomics.why = deal.text();
  g.link.gbytes_per_s = deal.maybe(deal.byte() / 4.0);
  g.link.ceiling_gbytes_per_s = deal.maybe(deal.byte() / 4.0);
  g.link.at = deal.maybe(deal.address());
  g.link.state = static_cast<LinkState>(deal.byte() % 4);
  g.link.why = deal.text();
  return g;
}

Report report_of(Dealer& deal) {
  Report r;
  Topology& t = r.topology;
  t.lists_devices = deal.flag();
  t.listing_complete = deal.maybe(deal.flag());
  t.sources.push_back({deal.text(), static_cast<SourceKind>(deal.byte() % 8)});
  for (unsigned n = deal.byte() % 9; n > 0; --n) t.gpus.push_back(gpu(deal));
  for (std::size_t a = 0; a < t.gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < t.gpus.size(); ++b) {
      Pair p;
      p.a = t.gpus[a].address;
      p.b = t.gpus[b].address;
      p.path = static_cast<PairPath>(deal.byte() % 7);
      p.peer = static_cast<PeerExpectation>(deal.byte() % 4);
      p.fabric = deal.maybe(Fabric{static_cast<FabricLink::Kind>(deal.byte() % 3), {}, {}});
      p.peer_why = deal.text();
      t.pairs.push_back(p);
    }
  }
  GpuSet set;
  for (const Gpu& g : t.gpus) set.gpus.push_back(g.address);
  if (!set.gpus.empty()) r.judgement.sets.push_back(set);
  for (unsigned n = deal.byte() % 5; n > 0; --n) {
    ModeVerdict m;
    m.id = deal.text();
    m.set = set.gpus;
    m.state = static_cast<ModeState>(deal.byte() % 4);
    m.expected = deal.maybe(static_cast<ModeState>(deal.byte() % 4));
    m.why = deal.text();
    m.settled_by = deal.maybe(deal.text());
    r.judgement.modes.push_back(m);
  }
  r.judgement.remedies.push_back({deal.text(), deal.text(), {}, deal.text(), deal.text()});
  t.warnings.push_back({deal.text(), deal.text(), deal.text()});
  return r;
}

void check_lines(const std::string& text, std::size_t width) {
  if (text.empty() || text.back() != '\n') std::abort();
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    const std::string line = text.substr(start, end - start);
    if (escape(line) != line || columns(line) > width) std::abort();
    start = end + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Dealer deal(data, size);
  const Report report = report_of(deal);
  TextOptions options;
  check_lines(render_text(report, options), options.columns);
  options.verbose = true;
  check_lines(render_text(report, options), options.columns);
  check_lines(render_answer(report, options), std::string::npos);
  for (const char c : render_json(report)) {
    if (c != '\n' && (c < 0x20 || c == 0x7f)) std::abort();
  }
  return 0;
}
