#include "judge/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "judge/evaluator.hpp"
#include "judge/explain_users.hpp"
#include "judge/need_words.hpp"
#include "judge/outcome_words.hpp"
#include "judge/sets.hpp"
#include "judge/verdict.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

Remedy in_general(const RemedyRule& rule) {
  return {rule.id, fill(rule.text, {{"gpu", "the GPU"}, {"hop", "the ports that a report names"}}), rule.changes,
          rule.cost, rule.risk};
}

/// The host that an explanation is about.
class Host {
 public:
  Host(const Report& report, const RuleIndex& rules) : report_(report), index_(report.topology.facts) {
    for (const auto& fact : report.judgement.facts) index_.add(fact);
    selection_ = select_sets(index_);
    if (selection_.sets.empty() && selection_.any_gpu) selection_.sets.push_back({{}, "other", false});
    for (const auto& set : selection_.sets) evaluators_.emplace_back(index_, rules, set.gpus, set.vendor);
  }

  [[nodiscard]] const Report& report() const { return report_; }
  [[nodiscard]] const std::vector<Evaluator>& evaluators() const { return evaluators_; }
  [[nodiscard]] const std::vector<LeftOut>& left_out() const { return selection_.left_out; }
  [[nodiscard]] std::vector<Fact> facts_named(const std::vector<std::string>& references) const {
    std::vector<Fact> found;
    for (const auto& wanted : references) {
      for (const auto* facts : {&report_.topology.facts, &report_.judgement.facts}) {
        const auto fact =
            std::find_if(facts->begin(), facts->end(), [&](const Fact& f) { return reference(f) == wanted; });
        if (fact == facts->end()) continue;
        found.push_back(*fact);
        break;
      }
    }
    return found;
  }

 private:
  const Report& report_;
  FactIndex index_;
  Selection selection_;
  std::vector<Evaluator> evaluators_;
};

std::vector<const Clause*> clauses_of(const GateRule& gate) {
  std::vector<const Clause*> clauses;
  for (const auto& clause : gate.require) clauses.push_back(&clause);
  return clauses;
}

std::vector<Need> needs_of(const std::vector<const Clause*>& clauses, const RuleIndex& rules, const Host* host) {
  std::vector<Need> needs;
  for (const auto* one : clauses) {
    const auto& clause = *one;
    Need need;
    need.text = clause_words(clause, rules);
    for (const auto* list : {&clause.any_of, &clause.unless}) {
      for (const auto& c : *list) add_once(need.ids, c.gate.empty() ? c.fact : c.gate);
    }
    if (host != nullptr) {
      for (const auto& evaluator : host->evaluators()) {
        need.here.push_back(
            {evaluator.clause(clause, Basis::established).value, evaluator.clause(clause, Basis::expected).value});
      }
    }
    for (const auto& c : clause.any_of) {
      if (c.gate.empty()) continue;
      auto inside = needs_of(clauses_of(rules.gate(c.gate)), rules, host);
      need.inside.insert(need.inside.end(), std::make_move_iterator(inside.begin()),
                         std::make_move_iterator(inside.end()));
    }
    needs.push_back(std::move(need));
  }
  return needs;
}

std::vector<Remedy> remedies_of(const std::vector<const Clause*>& require, const std::vector<const Clause*>& prefer,
                                const RuleIndex& rules) {
  std::vector<std::string> ids;
  const std::function<void(const std::vector<const Clause*>&)> collect = [&](const auto& clauses) {
    for (const auto* clause : clauses) {
      for (const auto& id : clause->remedies) add_once(ids, id);
      for (const auto& c : clause->any_of) {
        if (!c.gate.empty()) collect(clauses_of(rules.gate(c.gate)));
      }
    }
  };
  collect(require);
  collect(prefer);
  std::vector<Remedy> remedies;
  remedies.reserve(ids.size());
  for (const auto& id : ids) remedies.push_back(in_general(rules.remedy(id)));
  return remedies;
}

std::string gate_word(Tri value) {
  switch (value) {
    case Tri::yes: return "open";
    case Tri::no: return "closed";
    case Tri::unknown: break;
  }
  return "unknown";
}

StandingHere standing_of(const GateRule& gate, const Evaluator& evaluator, const Host& host) {
  StandingHere here;
  here.set = evaluator.set();
  const auto shown = evaluator.all(gate.require, Basis::established);
  const auto hoped = evaluator.all(gate.require, Basis::expected);
  here.state = gate_word(shown.value);
  const bool open = shown.value == Tri::unknown;
  if (open && hoped.value != Tri::unknown) here.expected = gate_word(hoped.value);
  const auto& decisive = open ? hoped : shown;
  if (decisive.value == Tri::no) here.why = failure_words(decisive, evaluator, host.left_out(), open);
  if (decisive.value == Tri::unknown) here.why = unknown_words(decisive, evaluator, host.left_out());
  for (const auto& leaf : decisive.leaves) {
    if (leaf.fact == nullptr) continue;
    const auto same = [&](const Fact& f) { return f.id == leaf.fact->id && f.subject == leaf.fact->subject; };
    if (std::none_of(here.evidence.begin(), here.evidence.end(), same)) here.evidence.push_back(*leaf.fact);
  }
  return here;
}

StandingHere standing_of(const Answer& answer, const Host& host) {
  StandingHere here;
  here.set = answer.set;
  here.state = to_string(answer.state);
  if (answer.state == ModeState::unknown && answer.expected.is_known()) {
    here.expected = to_string(answer.expected.value());
  }
  here.why = answer.why;
  here.evidence = host.facts_named(answer.decided_by);
  return here;
}

/// Fills one explanation, by the kind of entry.
class Explainer {
 public:
  Explainer(const Rules& rules, const Report* report) : index_(rules), rules_(rules) {
    if (report != nullptr) host_.emplace(*report, index_);
    result_.with_host = report != nullptr;
  }

  Explanation mode(const ModeRule& rule) {
    start("mode", rule);
    judged(question(rule), rule.id, &Judgement::modes);
    return std::move(result_);
  }

  Explanation engine(const EngineRule& rule) {
    start("engine", rule);
    return std::move(result_);
  }

  Explanation engine_mode(const EngineModeRule& rule) {
    start("engine-mode", rule);
    judged(question(rule, index_), rule.id, &Judgement::engines);
    result_.flags = rule.flags;
    for (const auto& id : rule.advice) take(index_.advice(id));
    return std::move(result_);
  }

  Explanation advice(const AdviceRule& rule) {
    result_.name = {"advice", rule.id, rule.text};
    result_.source = rule.source;
    result_.used_by = users_of(rule.id, rules_);
    take(rule);
    return std::move(result_);
  }

  Explanation model(const ModelRule& rule) {
    result_.name = {"model", rule.id, rule.title};
    result_.source = rule.source;
    result_.meaning = fmt::format(
        "A shape for the cost estimate of `gpucoop verdict --model {}`: {} layers of width {}, {} attention heads{} of "
        "size {}{}, a vocabulary of {}",
        rule.id, rule.layers, rule.hidden, rule.heads,
        rule.kv_heads == 0 ? std::string() : fmt::format(" ({} for keys and values)", rule.kv_heads), rule.head_dim,
        rule.kv_heads == 0 ? fmt::format(" over one cache of {} values for each token and layer", rule.kv_values)
                           : std::string(),
        rule.vocabulary);
    if (rule.experts != 0) {
      result_.meaning += fmt::format(", {} layers with {} experts of which {} serve each token", rule.moe_layers,
                                     rule.experts, rule.experts_per_token);
    }
    result_.meaning += fmt::format("; {:g} billion weights", rule.parameters_billion);
    if (rule.active_billion < rule.parameters_billion) {
      result_.meaning += fmt::format(", {:g} billion of them used for a token", rule.active_billion);
    }
    result_.meaning += fmt::format(", {:g} byte{} each.", rule.bytes_per_weight, rule.bytes_per_weight == 1 ? "" : "s");
    return std::move(result_);
  }

  Explanation stack(const StackRule& rule) {
    result_.name = {"stack", rule.id, rule.title};
    result_.source = rule.source;
    result_.meaning =
        fmt::format("What the cost estimate takes for a small collective where none was measured: {:g} microseconds.",
                    rule.alpha_us);
    return std::move(result_);
  }

  Explanation gate(const GateRule& rule) {
    start("gate", rule);
    result_.needs = needs_of(clauses_of(rule), index_, host());
    result_.remedies = remedies_of(clauses_of(rule), {}, index_);
    if (host() == nullptr) return std::move(result_);
    for (const auto& evaluator : host()->evaluators()) {
      result_.standing.push_back(standing_of(rule, evaluator, *host()));
    }
    for (const auto& remedy : result_.remedies) here(remedy.id);
    return std::move(result_);
  }

  Explanation fact(const FactRule& rule) {
    start("fact", rule);
    result_.about = about_words(rule);
    result_.established = rule.established;
    result_.expected = expectation_words(rule, index_);
    for (const auto& id : rule.settle) result_.remedies.push_back(in_general(index_.remedy(id)));
    for (const auto& remedy : rules_.remedies) {
      const auto& changes = remedy.changes;
      const bool settles = std::find(rule.settle.begin(), rule.settle.end(), remedy.id) != rule.settle.end();
      if (!settles && std::find(changes.begin(), changes.end(), rule.id) != changes.end()) {
        result_.remedies.push_back(in_general(remedy));
      }
    }
    if (host() == nullptr) return std::move(result_);
    for (const auto* facts : {&host()->report().topology.facts, &host()->report().judgement.facts}) {
      for (const auto& f : *facts) {
        if (f.id == rule.id) result_.facts.push_back(f);
      }
    }
    return std::move(result_);
  }

  Explanation remedy(const RemedyRule& rule) {
    result_.name = {"remedy", rule.id, rule.title};
    result_.source = rule.source;
    result_.remedies = {in_general(rule)};
    result_.used_by = users_of(rule.id, rules_);
    here(rule.id);
    return std::move(result_);
  }

  Explanation log_cause(const LogCause& rule) {
    start("log-cause", rule);
    result_.patterns = rule.patterns;
    result_.next = rule.next;
    if (rule.sets_fact) {
      result_.established = "such a line makes " + *rule.sets_fact + " " + (rule.sets_value ? "true" : "false");
    }
    if (host() != nullptr) {
      for (const auto& finding : host()->report().topology.log) {
        if (finding.cause == rule.id) result_.log.push_back(finding);
      }
    }
    return std::move(result_);
  }

  Explanation variant(const VariantRule& rule) {
    start("variant", rule);
    for (const auto& setting : rule.set) {
      result_.advice.push_back({Advice::Kind::set, setting, "what it costs: " + rule.cost, {}});
    }
    return std::move(result_);
  }

 private:
  template <class Rule>
  void start(const char* kind, const Rule& rule) {
    result_.name = {kind, rule.id, rule.title};
    result_.meaning = rule.meaning;
    result_.source = rule.source;
    result_.used_by = users_of(rule.id, rules_);
  }

  /// What is asked, and how it stands on the host by its verdicts of that id.
  template <class Verdict>
  void judged(const Question& asked, const std::string& id, std::vector<Verdict> Judgement::*verdicts) {
    result_.needs = needs_of(asked.require, index_, host());
    result_.prefers = needs_of(asked.prefer, index_, host());
    result_.remedies = remedies_of(asked.require, asked.prefer, index_);
    if (host() == nullptr) return;
    for (const auto& verdict : host()->report().judgement.*verdicts) {
      if (verdict.id != id) continue;
      result_.standing.push_back(standing_of(verdict, *host()));
      for (const auto& remedy : verdict.remedies) here(remedy);
    }
  }

  void take(const AdviceRule& a) { result_.advice.push_back({a.kind, a.text, a.why, a.otherwise}); }

  [[nodiscard]] const Host* host() const { return host_ ? &*host_ : nullptr; }

  void here(const std::string& id) {
    if (host() == nullptr) return;
    for (const auto& remedy : host()->report().judgement.remedies) {
      if (remedy.id != id) continue;
      const auto same = [&](const Remedy& r) { return r.id == id; };
      if (std::none_of(result_.remedies_here.begin(), result_.remedies_here.end(), same)) {
        result_.remedies_here.push_back(remedy);
      }
    }
  }

  RuleIndex index_;
  const Rules& rules_;
  std::optional<Host> host_;
  Explanation result_;
};

template <class T>
const T* entry_of(const std::vector<T>& entries, std::string_view id) {
  const auto found = std::find_if(entries.begin(), entries.end(), [id](const T& e) { return e.id == id; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

std::vector<RuleName> rule_names(const Rules& rules) {
  std::vector<RuleName> all;
  for (const auto& m : rules.modes) all.push_back({"mode", m.id, m.title});
  for (const auto& e : rules.engines) all.push_back({"engine", e.id, e.title});
  for (const auto& r : rules.engine_modes) all.push_back({"engine-mode", r.id, r.title});
  for (const auto& a : rules.advice) all.push_back({"advice", a.id, a.text});
  for (const auto& g : rules.gates) all.push_back({"gate", g.id, g.title});
  for (const auto& f : rules.facts) all.push_back({"fact", f.id, f.title});
  for (const auto& r : rules.remedies) all.push_back({"remedy", r.id, r.title});
  for (const auto& c : rules.log_causes) all.push_back({"log-cause", c.id, c.title});
  for (const auto& m : rules.models) all.push_back({"model", m.id, m.title});
  for (const auto& s : rules.stacks) all.push_back({"stack", s.id, s.title});
  for (const auto& v : rules.variants) all.push_back({"variant", v.id, v.title});
  return all;
}

std::optional<Explanation> explain(std::string_view id, const Rules& rules, const Report* report) {
  Explainer explainer(rules, report);
  if (const auto* m = find_mode(rules, id)) return explainer.mode(*m);
  if (const auto* e = find_engine(rules, id)) return explainer.engine(*e);
  if (const auto* r = find_engine_mode(rules, id)) return explainer.engine_mode(*r);
  if (const auto* a = entry_of(rules.advice, id)) return explainer.advice(*a);
  if (const auto* m = find_model(rules, id)) return explainer.model(*m);
  if (const auto* s = entry_of(rules.stacks, id)) return explainer.stack(*s);
  if (const auto* g = find_gate(rules, id)) return explainer.gate(*g);
  if (const auto* f = find_fact_rule(rules, id)) return explainer.fact(*f);
  if (const auto* r = find_remedy(rules, id)) return explainer.remedy(*r);
  if (const auto* c = entry_of(rules.log_causes, id)) return explainer.log_cause(*c);
  if (const auto* v = entry_of(rules.variants, id)) return explainer.variant(*v);
  return std::nullopt;
}

}  // namespace gpucoop
