#include "model/fact.hpp"

namespace gpucoop {

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::static_: return "static";
    case Tier::queried: return "queried";
    case Tier::probed: return "probed";
  }
  return "static";
}

std::string_view to_string(SubjectKind kind) {
  switch (kind) {
    case SubjectKind::host: return "host";
    case SubjectKind::gpu: return "gpu";
    case SubjectKind::port: return "port";
    case SubjectKind::link: return "link";
    case SubjectKind::pair: return "pair";
    case SubjectKind::set: return "set";
    case SubjectKind::library: return "library";
  }
  return "host";
}

std::string reference(const Fact& fact) {
  constexpr std::size_t kUsualAddress = sizeof(",0000:00:00.0") - 1;
  std::string text;
  text.reserve(fact.id.size() + fact.subject.of.size() * kUsualAddress);
  text += fact.id;
  for (std::size_t i = 0; i < fact.subject.of.size(); ++i) {
    text += i == 0 ? '@' : ',';
    text += to_string(fact.subject.of[i]);
  }
  return text;
}

const Fact* find_fact(const std::vector<Fact>& facts, std::string_view id, const Subject& subject) {
  for (const auto& f : facts) {
    if (f.id == id && f.subject == subject) return &f;
  }
  return nullptr;
}

}  // namespace gpucoop
