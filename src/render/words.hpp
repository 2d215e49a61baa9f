#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/report.hpp"
#include "render/page.hpp"

// How the text view says things. Nothing here is escaped; the page does that.
namespace gpucoop::words {

/// `1.97 GB/s`, `31.5 GB/s`, `126 GB/s`.
[[nodiscard]] std::string rate(double gbytes_per_s);
/// `16 GT/s x4`; the unknown part is `?`, and "" where both are.
[[nodiscard]] std::string link(const Known<LinkSpeed>& speed, const Known<std::uint8_t>& width);
/// `32 GiB`, `256 MiB`.
[[nodiscard]] std::string bytes(std::uint64_t count);

/// `AMD`, `NVIDIA`, `Intel`, or "" for others.
[[nodiscard]] std::string vendor(Vendor vendor);
/// What a person calls the card: the marketing name without the vendor's legal name; the ids where there is none.
[[nodiscard]] std::string name(const Gpu& gpu);
/// What a hop is, in words: `root port`, `chipset switch, lower`, `the GPU`.
[[nodiscard]] std::string role(const Hop& hop, bool last);

/// How sure the answer is, never stronger than it is: an unproven expectation does not read like a result.
[[nodiscard]] std::string state(ModeState state, const Known<ModeState>& expected);
[[nodiscard]] std::string state(const ModeVerdict& mode);
[[nodiscard]] Style style(ModeState state, const Known<ModeState>& expected);
[[nodiscard]] Style style(const ModeVerdict& mode);
/// The same as the predicate of a sentence: `is not expected to work`.
[[nodiscard]] std::string predicate(const ModeVerdict& mode);

/// What lies between two GPUs.
[[nodiscard]] std::string path(PairPath path);
[[nodiscard]] std::string peer(PeerExpectation expectation);
[[nodiscard]] std::string fabric(FabricLink::Kind kind);

/// `docker container`, `Kubernetes container`, `container`: what the reading was made in; "" for none.
[[nodiscard]] std::string container_in_words(const HostSummary& host);

/// Why a value is not known, and what would make it known ("" where nothing a reader can do would).
struct Missing {
  std::string why;
  std::string next;
};
[[nodiscard]] Missing missing(Reason reason, const HostSummary& host);

/// `a`, `a and b`, `a, b and c`; from `most` on the rest is counted: `a, b and 3 more`.
[[nodiscard]] std::string list(const std::vector<std::string>& items, std::size_t most = 8);
[[nodiscard]] std::string list(const std::vector<Address>& items, std::size_t most = 8);
/// `1 GPU`, `2 GPUs`.
[[nodiscard]] std::string count(std::size_t n, std::string_view singular);
/// With a capital (a word, not an address) and a full stop.
[[nodiscard]] std::string sentence(std::string text);

}  // namespace gpucoop::words
