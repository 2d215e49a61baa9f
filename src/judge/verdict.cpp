#include "judge/verdict.hpp"

#include <algorithm>

#include "judge/outcome_words.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

/// A report names each kind of fact for so many subjects at most: 16 GPUs have 240 ordered pairs.
constexpr std::size_t kReferencesOfOneFact = 16;

Reason why_missing(const FactRule& rule) {
  if (rule.subject == SubjectKind::library) return Reason::not_inspected;
  return rule.tier == Tier::static_ ? Reason::not_in_input : Reason::not_probed;
}

Subject subject_of(const Leaf& leaf, const std::vector<Address>& set) {
  if (leaf.rule->subject == SubjectKind::set) return {SubjectKind::set, set};
  return {leaf.rule->subject, {leaf.focus.begin(), leaf.focus.end()}};
}

bool is_established(const Leaf& leaf) { return leaf.fact != nullptr && !leaf.fact->value.is_unknown(); }

/// Which of the unknown facts decide.
enum class Decisive { probes, readings };

/// What is known first, then the decisive ones of the unknown.
void sort_by_weight(std::vector<Leaf>& leaves, Decisive decisive) {
  std::stable_sort(leaves.begin(), leaves.end(), [decisive](const Leaf& a, const Leaf& b) {
    if (is_established(a) != is_established(b)) return is_established(a);
    if (is_established(a)) return false;
    return decisive == Decisive::probes ? a.rule->tier > b.rule->tier : a.rule->tier < b.rule->tier;
  });
}

bool any_probed(const Outcome& outcome) {
  return std::any_of(outcome.leaves.begin(), outcome.leaves.end(),
                     [](const Leaf& leaf) { return leaf.rule->tier == Tier::probed; });
}

/// The outcomes of a mode's clauses.
struct Judged {
  Outcome worst;
  std::vector<Outcome> failed;  ///< those that are false
};

Judged judge_clauses(const std::vector<const Clause*>& clauses, const Evaluator& evaluator, Basis basis) {
  Judged judged;
  for (const auto* clause : clauses) {
    auto outcome = evaluator.clause(*clause, basis);
    if (outcome.value == Tri::no) judged.failed.push_back(outcome);
    if (outcome.value < judged.worst.value) {
      judged.worst = std::move(outcome);
    } else if (outcome.value == judged.worst.value) {
      judged.worst.leaves.insert(judged.worst.leaves.end(), outcome.leaves.begin(), outcome.leaves.end());
    }
  }
  return judged;
}

/// Builds one answer.
class Judge {
 public:
  Judge(const Question& question, const Evaluator& evaluator, const std::vector<LeftOut>& left_out, RemedyBook& book,
        MissingFacts& missing)
      : question_(question), evaluator_(evaluator), left_out_(left_out), book_(book), missing_(missing) {}

  Answer answer() {
    verdict_.settled_by = Known<std::string>::absent();
    const auto shown = judge_clauses(question_.require, evaluator_, Basis::established);
    const auto preferred = judge_clauses(question_.prefer, evaluator_, Basis::established);
    switch (shown.worst.value) {
      case Tri::no: state(ModeState::no, shown, false); break;
      // Without a probe's evidence nothing is a yes, not even where there is nothing that could fail.
      case Tri::yes: any_probed(shown.worst) ? settled(shown, preferred) : open(shown, preferred); break;
      case Tri::unknown: open(shown, preferred); break;
    }
    return std::move(verdict_);
  }

 private:
  void state(ModeState state, const Judged& judged, bool expected) {
    if (!expected) verdict_.state = state;
    verdict_.expected = state;
    const auto& first = judged.failed.front();
    verdict_.why = failure_words(first, evaluator_, left_out_, expected);
    for (const auto& outcome : judged.failed) offer(outcome);
    cite(first.leaves);
  }

  void settled(const Judged& shown, const Judged& preferred) {
    const bool degraded = !preferred.failed.empty();
    verdict_.state = degraded ? ModeState::degraded : ModeState::yes;
    verdict_.expected = verdict_.state;
    verdict_.why = degraded ? preference_words(preferred) : "all that it needs has been tried and works";
    auto probed = shown.worst.leaves;
    std::stable_sort(probed.begin(), probed.end(),
                     [](const Leaf& a, const Leaf& b) { return a.rule->tier > b.rule->tier; });
    cite(probed);
  }

  void open(const Judged& shown, const Judged& preferred) {
    verdict_.state = ModeState::unknown;
    const auto hoped = judge_clauses(question_.require, evaluator_, Basis::expected);
    if (hoped.worst.value == Tri::no) {
      state(ModeState::no, hoped, true);
      settle(hoped.failed.front(), shown.worst);
      return;
    }
    if (hoped.worst.value == Tri::unknown) {
      verdict_.expected = Known<ModeState>::unknown(Reason::not_derivable);
      verdict_.why = unknown_words(hoped.worst, evaluator_, left_out_);
      cite(hoped.worst.leaves, Decisive::readings);
      settle_by_reading(hoped.worst);
      return;
    }
    const bool degraded = !preferred.failed.empty();
    verdict_.expected = degraded ? ModeState::degraded : ModeState::yes;
    verdict_.why = degraded ? preference_words(preferred) : promise_words(hoped.worst, *question_.unproven, evaluator_);
    auto known = hoped.worst.leaves;
    std::erase_if(known, [](const Leaf& leaf) { return leaf.condition->holds.empty() || !is_established(leaf); });
    cite(known);
    cite(shown.worst.leaves);
    settle_by_command();
  }

  /// Words, remedies and evidence of the preferences that are not met.
  std::string preference_words(const Judged& preferred) {
    std::vector<std::string> texts;
    for (const auto& outcome : preferred.failed) {
      add_once(texts, failure_words(outcome, evaluator_, left_out_, false));
      offer(outcome);
      cite(outcome.leaves);
    }
    std::string text;
    for (const auto& one : texts) text += (text.empty() ? "" : "; ") + one;
    return text;
  }

  std::vector<Address> concerned(const Outcome& outcome) const {
    auto gpus = gpus_of(outcome);
    if (!gpus.empty()) return gpus;
    gpus = evaluator_.set();
    for (const auto& left : left_out_) {
      if (left.worth_saying) gpus.push_back(left.gpu);
    }
    return gpus;
  }

  void offer(const Outcome& outcome) {
    const auto gpus = concerned(outcome);
    const auto ports = ports_of(outcome);
    const auto take = [&](const Clause& clause) {
      for (const auto& id : clause.remedies) {
        if (book_.offer(id, gpus, ports, evaluator_)) add_once(verdict_.remedies, id);
      }
    };
    for (const auto* clause : outcome.through) take(*clause);
  }

  void cite(std::vector<Leaf> leaves, Decisive decisive = Decisive::probes) {
    sort_by_weight(leaves, decisive);
    for (const auto& leaf : leaves) {
      const auto& id = leaf.rule->id;
      const auto named = std::count(cited_.begin(), cited_.end(), &id);
      if (static_cast<std::size_t>(named) >= kReferencesOfOneFact) continue;
      const auto reference = missing_.reference_of(leaf, evaluator_.set());
      if (std::find(verdict_.decided_by.begin(), verdict_.decided_by.end(), reference) != verdict_.decided_by.end()) {
        continue;
      }
      verdict_.decided_by.push_back(reference);
      cited_.push_back(&id);
    }
  }

  void settle_by_command() {
    for (const auto& entry : *question_.settled_by) {
      if (!evaluator_.concerns(entry.vendors)) continue;
      verdict_.settled_by = fill(entry.command, {{"count", std::to_string(evaluator_.set().size())}});
      return;
    }
  }

  /// A run can settle the mode where nothing that decides is left to be read; else reading it comes first.
  void settle(const Outcome& decisive, const Outcome& shown) {
    const auto unread = [](const Leaf& leaf) { return leaf.rule->tier == Tier::static_ && !is_established(leaf); };
    const bool runnable =
        evaluator_.set().size() > 1 && std::none_of(decisive.leaves.begin(), decisive.leaves.end(), unread);
    if (runnable) {
      settle_by_command();
      return;
    }
    for (const auto& leaf : shown.leaves) {
      if (leaf.rule->tier != Tier::static_) continue;
      for (const auto& id : leaf.rule->settle) {
        const auto& remedy = evaluator_.rules().remedy(id);
        if (remedy.command.empty() || verdict_.settled_by.is_known()) continue;
        if (applies(remedy, evaluator_)) verdict_.settled_by = remedy.command;
      }
    }
  }

  /// The remedies that would make the decisive unknown facts known; the first with a command settles the mode.
  void settle_by_reading(const Outcome& outcome) {
    for (const auto& leaf : outcome.leaves) {
      for (const auto& id : leaf.rule->settle) {
        const std::vector<Address> gpus(leaf.focus.begin(), leaf.focus.end());
        if (!book_.offer(id, gpus, {}, evaluator_)) continue;
        add_once(verdict_.remedies, id);
        const auto& command = evaluator_.rules().remedy(id).command;
        if (!command.empty() && !verdict_.settled_by.is_known()) verdict_.settled_by = command;
      }
    }
    if (outcome.leaves.front().floored) offer(outcome);
  }

  const Question& question_;
  const Evaluator& evaluator_;
  const std::vector<LeftOut>& left_out_;
  RemedyBook& book_;
  MissingFacts& missing_;
  Answer verdict_;
  std::vector<const std::string*> cited_;  ///< ids of the facts named so far, one entry a reference
};

}  // namespace

std::string MissingFacts::reference_of(const Leaf& leaf, const std::vector<Address>& set) {
  if (leaf.fact != nullptr) return reference(*leaf.fact);
  Fact fact;
  fact.id = leaf.rule->id;
  fact.subject = subject_of(leaf, set);
  fact.value = Known<FactValue>::unknown(why_missing(*leaf.rule));
  fact.tier = leaf.rule->tier;
  fact.evidence = reason_words(fact.value.reason());
  if (find_fact(facts_, fact.id, fact.subject) == nullptr) facts_.push_back(fact);
  return reference(fact);
}

Question question(const ModeRule& mode) {
  Question q;
  for (const auto& clause : mode.require) q.require.push_back(&clause);
  for (const auto& clause : mode.prefer) q.prefer.push_back(&clause);
  q.unproven = &mode.unproven;
  q.settled_by = &mode.settled_by;
  return q;
}

Question question(const EngineModeRule& row, const RuleIndex& rules) {
  Question q;
  for (const auto& id : row.builds_on) {
    const auto below = question(rules.mode(id));
    q.require.insert(q.require.end(), below.require.begin(), below.require.end());
    q.prefer.insert(q.prefer.end(), below.prefer.begin(), below.prefer.end());
  }
  for (const auto& clause : row.require) q.require.push_back(&clause);
  for (const auto& clause : row.prefer) q.prefer.push_back(&clause);
  const auto& mode = rules.mode(row.mode);
  q.unproven = row.unproven.empty() ? &mode.unproven : &row.unproven;
  q.settled_by = row.settled_by.empty() ? &mode.settled_by : &row.settled_by;
  return q;
}

Standing standing(const Question& question, const Evaluator& evaluator) {
  Standing here;
  auto shown = judge_clauses(question.require, evaluator, Basis::established);
  const auto held = [&] {
    const auto preferred = judge_clauses(question.prefer, evaluator, Basis::established);
    return preferred.failed.empty() ? ModeState::yes : ModeState::degraded;
  };
  if (shown.worst.value == Tri::no) {
    here.state = ModeState::no;
    here.expected = ModeState::no;
    here.failed = std::move(shown.failed);
  } else if (shown.worst.value == Tri::yes && any_probed(shown.worst)) {
    here.state = held();
    here.expected = here.state;
  } else {
    auto hoped = judge_clauses(question.require, evaluator, Basis::expected);
    here.failed = std::move(hoped.failed);
    if (hoped.worst.value == Tri::no) here.expected = ModeState::no;
    if (hoped.worst.value == Tri::yes) here.expected = held();
    if (hoped.worst.value == Tri::unknown) here.expected = Known<ModeState>::unknown(Reason::not_derivable);
  }
  return here;
}

Answer answer(const Question& question, const Evaluator& evaluator, const std::vector<LeftOut>& left_out,
              RemedyBook& book, MissingFacts& missing) {
  return Judge(question, evaluator, left_out, book, missing).answer();
}

}  // namespace gpucoop
