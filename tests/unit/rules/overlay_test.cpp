#include <doctest/doctest.h>

#include <string>

#include "rules/load.hpp"
#include "rules/rules_text.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

Result<Rules> over(const std::string& text) { return load_rules({{"mine.toml", text}}, {{"base.toml", kSmallRules}}); }

std::string mistake(const std::string& text) {
  const auto rules = over(text);
  return rules ? "loaded" : rules.error().where + ": " + rules.error().what;
}

const std::string kMode = R"([[mode]]
id = "together"
title = "another"
meaning = "m"
unproven = "u"
source = "s"
require = [{ any_of = [{ fact = "a.tried", is = true }], why = "it does not work" }]
)";

const std::string kEngine = R"([[engine]]
id = "mine"
title = "Mine"
meaning = "m"
source = "s"

[[engine-mode]]
id = "mine.together"
engine = "mine"
mode = "together"
title = "t"
meaning = "m"
builds_on = ["together"]
flags = ["--gpus {count}"]
advice = ["slowly"]
source = "s"

[[advice]]
id = "slowly"
kind = "avoid"
text = "--fast"
why = "w"
otherwise = "it hangs"
source = "s"
when = [{ fact = "a.read", is = false }]
)";

}  // namespace

TEST_CASE("an entry of an id that the rules below have replaces it in its place") {
  const auto rules = over(kMode);
  REQUIRE(rules);
  REQUIRE(rules.value().modes.size() == 1);
  CHECK(rules.value().modes.front().title == "another");
  CHECK(rules.value().modes.front().require.size() == 1);
  CHECK(rules.value().facts.size() == 3);
}

TEST_CASE("new entries are added, and may name what is below") {
  const auto rules = over(kEngine);
  REQUIRE(rules);
  REQUIRE(rules.value().engine_modes.size() == 1);
  const auto& row = rules.value().engine_modes.front();
  CHECK(row.builds_on == std::vector<std::string>{"together"});
  CHECK(row.flags == std::vector<std::string>{"--gpus {count}"});
  CHECK(row.advice == std::vector<std::string>{"slowly"});
  REQUIRE(rules.value().advice.size() == 1);
  CHECK(rules.value().advice.front().kind == Advice::Kind::avoid);
  CHECK(rules.value().advice.front().otherwise == "it hangs");
  CHECK(find_engine(rules.value(), "mine") != nullptr);
}

TEST_CASE("a remedy of the rules below that nothing offers any more is no mistake, one of the file itself is") {
  const std::string gate = R"([[gate]]
id = "readable"
title = "t"
meaning = "m"
source = "s"
require = [{ any_of = [{ fact = "a.read", is = true }], why = "w" }]

[[fact]]
id = "a.read"
subject = "gpu"
type = "bool"
tier = "static"
title = "A was read"
meaning = "m"
established = "e"
source = "s"
)";
  CHECK(mistake(gate) == "loaded");
  CHECK(mistake(gate + "[[remedy]]\nid = \"new\"\ntitle = \"t\"\ntext = \"t\"\nchanges = [\"a.read\"]\ncost = \"c\"\n"
                       "risk = \"r\"\nsource = \"s\"\n") == "mine.toml:18: remedy 'new': nothing offers it");
}

TEST_CASE("what stands over the rules is checked with file and line of its own") {
  CHECK(mistake(kMode + kMode) == "mine.toml:9: mode 'together': there is already a mode of that id at mine.toml:2");
  CHECK(mistake(with(kEngine, "mode = \"together\"", "mode = \"apart\"")) ==
        "mine.toml:10: 'mine.together' names the mode 'apart', which there is not");
  CHECK(mistake(with(kEngine, "engine = \"mine\"", "engine = \"yours\"")) ==
        "mine.toml:9: 'mine.together' names the engine 'yours', which there is not");
  CHECK(mistake(with(kEngine, "builds_on = [\"together\"]\n", "")) ==
        "mine.toml:7: engine-mode 'mine.together': an engine-mode needs 'builds_on' or at least one 'require' clause");
  CHECK(mistake(with(kEngine, "builds_on = [\"together\"]",
                     "require = [{ any_of = [{ fact = \"a.read\", is = true }], why = \"w\" }]")) ==
        "mine.toml:8: engine-mode 'mine.together': readings alone could answer it with yes");
  CHECK(mistake(with(kEngine, "kind = \"avoid\"", "kind = \"perhaps\"")) ==
        "mine.toml:20: advice 'slowly': 'kind' is 'perhaps', it must be set or avoid");
  CHECK(mistake(with(kEngine, "advice = [\"slowly\"]\n", "")) == "mine.toml:18: advice 'slowly': nothing offers it");
  CHECK(mistake(with(kEngine, "[\"slowly\"]", "[\"quickly\"]")) ==
        "mine.toml:15: 'mine.together' names the advice 'quickly', which there is not");
  CHECK(mistake(with(kEngine, "{count}", "{number}")) ==
        "mine.toml:14: engine-mode 'mine.together': unknown placeholder '{number}'");
  CHECK(mistake(kEngine.substr(0, kEngine.find("[[engine-mode]]"))) ==
        "mine.toml:2: engine 'mine': it has no way of doing anything");
  // A gate below that now follows from itself.
  CHECK(mistake(R"([[fact]]
id = "a.read"
subject = "gpu"
type = "bool"
tier = "static"
title = "A was read"
meaning = "m"
established = "e"
expected = [{ gate = "readable" }]
source = "s"
)") == "mine.toml:2: 'a.read' depends on itself: a.read → readable → a.read");
}

TEST_CASE("a model's shape is checked") {
  const std::string model = R"([[model]]
id = "m-1b"
title = "t"
hidden = 2048
layers = 16
heads = 32
kv_heads = 8
head_dim = 64
vocabulary = 128256
parameters_billion = 1.2
source = "s"
)";
  const auto rules = over(model);
  REQUIRE(rules);
  CHECK(find_model(rules.value(), "m-1b")->active_billion == doctest::Approx(1.2));
  CHECK(mistake(with(model, "hidden = 2048", "hidden = 0")) ==
        "mine.toml:4: model 'm-1b': 'hidden' must be a whole number from 1 to 10000000");
  CHECK(mistake(with(model, "parameters_billion = 1.2", "parameters_billion = nan")) ==
        "mine.toml:10: model 'm-1b': 'parameters_billion' must be a number from 0.001 to 100000");
  CHECK(mistake(with(model, "head_dim = 64", "head_dim = 64\nexperts = 8")) ==
        "mine.toml:1: model 'm-1b': 'experts_per_token' is missing");
}

TEST_CASE("the rules that ship can be read again from their own files") {
  const auto rules = load_rules(builtin_rules_texts());
  REQUIRE(rules);
  CHECK(rules.value().modes.size() == builtin_rules().modes.size());
  CHECK(rules.value().facts.size() == builtin_rules().facts.size());
  CHECK(builtin_rules_texts().front().name == "rules/advice.toml");
}
