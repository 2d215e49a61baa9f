#include "judge/verdict.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "judge/outcome_words.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

/// A report names each kind of fact for so many subjects at most: 16 GPUs have 240 ordered pairs.
constexpr std::size_t kReferencesOfOneFact = 16;

bool is_established(const Leaf& leaf) { return leaf.fact != nullptr && !leaf.fact->value.is_unknown(); }

/// Which facts are named first: what is established, then of the unknown the ones that decide; or, of what is
/// established, what was tried.
enum class Order { probes_decide, readings_decide, tried_first };

constexpr int kHighestTier = static_cast<int>(Tier::probed);
constexpr int kPlaces = 2 * (kHighestTier + 1);

/// Smaller is named earlier.
int place(const Leaf& leaf, Order order) {
  const int tier = static_cast<int>(leaf.rule->tier);
  if (is_established(leaf)) return order == Order::tried_first ? kHighestTier - tier : 0;
  return kHighestTier + 1 + (order == Order::readings_decide ? tier : kHighestTier - tier);
}

/// The outcomes of a mode's clauses.
struct Judged {
  Tri value = Tri::yes;                ///< the worst of them
  std::vector<const Outcome*> worst;   ///< those that are as bad
  std::vector<const Outcome*> failed;  ///< those that are false

  /// The worst as one, with the leaves for which `chosen` is true.
  template <class F>
  [[nodiscard]] Outcome together(F chosen) const {
    Outcome all;
    all.value = value;
    if (!worst.empty()) all.clause = worst.front()->clause;
    if (!worst.empty()) all.through = worst.front()->through;
    for (const auto* outcome : worst) {
      std::copy_if(outcome->leaves.begin(), outcome->leaves.end(), std::back_inserter(all.leaves), chosen);
    }
    return all;
  }
};

Judged judge_clauses(const std::vector<const Clause*>& clauses, const Evaluator& evaluator, Basis basis) {
  Judged judged;
  for (const auto* clause : clauses) {
    const auto& outcome = evaluator.clause(*clause, basis);
    if (outcome.value == Tri::no) judged.failed.push_back(&outcome);
    if (outcome.value > judged.value) continue;
    if (outcome.value < judged.value) judged.worst.clear();
    judged.value = outcome.value;
    judged.worst.push_back(&outcome);
  }
  return judged;
}

bool any_probed(const Judged& judged) {
  const auto probed = [](const Leaf& leaf) { return leaf.rule->tier == Tier::probed; };
  return std::any_of(judged.worst.begin(), judged.worst.end(), [&](const Outcome* outcome) {
    return std::any_of(outcome->leaves.begin(), outcome->leaves.end(), probed);
  });
}

/// Builds one answer.
class Judge {
 public:
  Judge(const Question& question, const Evaluator& evaluator, const std::vector<LeftOut>& left_out, RemedyBook& book,
        MissingFacts& missing)
      : question_(question), evaluator_(evaluator), left_out_(left_out), book_(book), missing_(missing) {}

  Answer answer() {
    verdict_.set = evaluator_.set();
    verdict_.settled_by = Known<std::string>::absent();
    const auto shown = judge_clauses(question_.require, evaluator_, Basis::established);
    const auto preferred = judge_clauses(question_.prefer, evaluator_, Basis::established);
    switch (shown.value) {
      case Tri::no: state(ModeState::no, shown, false); break;
      // Without a probe's evidence nothing is a yes, not even where there is nothing that could fail.
      case Tri::yes: any_probed(shown) ? settled(shown, preferred) : open(shown, preferred); break;
      case Tri::unknown: open(shown, preferred); break;
    }
    return std::move(verdict_);
  }

 private:
  void state(ModeState state, const Judged& judged, bool expected) {
    if (!expected) verdict_.state = state;
    verdict_.expected = state;
    const auto& first = *judged.failed.front();
    verdict_.why = failure_words(first, evaluator_, left_out_, expected);
    for (const auto* outcome : judged.failed) offer(*outcome);
    cite({&first});
  }

  void settled(const Judged& shown, const Judged& preferred) {
    const bool degraded = !preferred.failed.empty();
    verdict_.state = degraded ? ModeState::degraded : ModeState::yes;
    verdict_.expected = verdict_.state;
    verdict_.why = degraded ? preference_words(preferred) : "all that it needs has been tried and works";
    cite(shown.worst, Order::tried_first);
  }

  void open(const Judged& shown, const Judged& preferred) {
    verdict_.state = ModeState::unknown;
    const auto hoped = judge_clauses(question_.require, evaluator_, Basis::expected);
    if (hoped.value == Tri::no) {
      state(ModeState::no, hoped, true);
      settle(*hoped.failed.front(), shown);
      return;
    }
    if (hoped.value == Tri::unknown) {
      const auto open = hoped.together([](const Leaf&) { return true; });
      verdict_.expected = Known<ModeState>::unknown(Reason::not_derivable);
      verdict_.why = unknown_words(open, evaluator_, left_out_);
      cite({&open}, Order::readings_decide);
      settle_by_reading(open);
      return;
    }
    const bool degraded = !preferred.failed.empty();
    auto promise = hoped.together([](const Leaf& leaf) { return !leaf.condition->holds.empty(); });
    verdict_.expected = degraded ? ModeState::degraded : ModeState::yes;
    verdict_.why = degraded ? preference_words(preferred) : promise_words(promise, *question_.unproven, evaluator_);
    std::erase_if(promise.leaves, [](const Leaf& leaf) { return !is_established(leaf); });
    cite({&promise});
    cite(shown.worst);
    settle_by_command();
  }

  /// Words, remedies and evidence of the preferences that are not met.
  std::string preference_words(const Judged& preferred) {
    std::vector<std::string> texts;
    for (const auto* outcome : preferred.failed) {
      add_once(texts, failure_words(*outcome, evaluator_, left_out_, false));
      offer(*outcome);
      cite({outcome});
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

  void cite(const std::vector<const Outcome*>& outcomes, Order order = Order::probes_decide) {
    for (int now = 0; now < kPlaces; ++now) {
      for (const auto* outcome : outcomes) {
        for (const auto& leaf : outcome->leaves) {
          if (place(leaf, order) == now) cite(leaf);
        }
      }
    }
  }

  void cite(const Leaf& leaf) {
    auto& cited = cited_[leaf.rule];
    if (cited.size() >= kReferencesOfOneFact || std::find(cited.begin(), cited.end(), leaf.focus) != cited.end())
      return;
    cited.push_back(leaf.focus);
    verdict_.decided_by.push_back(missing_.reference_of(leaf, evaluator_.set()));
  }

  void settle_by_command() {
    for (const auto& entry : *question_.settled_by) {
      if (!evaluator_.concerns(entry.vendors)) continue;
      const auto count = evaluator_.set().size();
      verdict_.settled_by =
          fill(entry.command, {{"count", std::to_string(count)}, {"half", std::to_string(count / 2)}});
      return;
    }
  }

  /// A run can settle the mode where nothing that decides is left to be read; else reading it comes first.
  void settle(const Outcome& decisive, const Judged& shown) {
    const auto unread = [](const Leaf& leaf) { return leaf.rule->tier == Tier::static_ && !is_established(leaf); };
    const bool runnable =
        evaluator_.set().size() > 1 && std::none_of(decisive.leaves.begin(), decisive.leaves.end(), unread);
    if (runnable) {
      settle_by_command();
      return;
    }
    const auto read = shown.together([](const Leaf& leaf) { return leaf.rule->tier == Tier::static_; });
    for (const auto& leaf : read.leaves) {
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
  /// What each fact has been named for; of one for the set or the host that is nothing in particular.
  std::unordered_map<const FactRule*, std::vector<Focus>> cited_;
};

}  // namespace

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
  const auto shown = judge_clauses(question.require, evaluator, Basis::established);
  const auto held = [&] {
    const auto preferred = judge_clauses(question.prefer, evaluator, Basis::established);
    return preferred.failed.empty() ? ModeState::yes : ModeState::degraded;
  };
  if (shown.value == Tri::no) {
    here.state = ModeState::no;
    here.expected = ModeState::no;
    here.failed = shown.failed;
  } else if (shown.value == Tri::yes && any_probed(shown)) {
    here.state = held();
    here.expected = here.state;
  } else {
    const auto hoped = judge_clauses(question.require, evaluator, Basis::expected);
    here.failed = hoped.failed;
    if (hoped.value == Tri::no) here.expected = ModeState::no;
    if (hoped.value == Tri::yes) here.expected = held();
    if (hoped.value == Tri::unknown) here.expected = Known<ModeState>::unknown(Reason::not_derivable);
  }
  return here;
}

Answer answer(const Question& question, const Evaluator& evaluator, const std::vector<LeftOut>& left_out,
              RemedyBook& book, MissingFacts& missing) {
  return Judge(question, evaluator, left_out, book, missing).answer();
}

}  // namespace gpucoop
