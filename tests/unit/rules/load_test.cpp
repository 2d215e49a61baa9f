#include "rules/load.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rules/rules_text.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

Result<Rules> load(const std::string& text) { return load_rules({{"rules/test.toml", text}}); }

/// `file:line: what`, or `loaded`.
std::string mistake(const std::string& text) {
  const auto rules = load(text);
  return rules ? "loaded" : rules.error().where + ": " + rules.error().what;
}

std::string broken(const std::string& from, const std::string& to) { return mistake(with(kSmallRules, from, to)); }

}  // namespace

TEST_CASE("a valid file gives its entries") {
  const auto rules = load(kSmallRules);
  REQUIRE(rules);
  CHECK(rules.value().facts.size() == 3);
  const auto& tried = rules.value().facts.at(2);
  CHECK(tried.id == "a.tried");
  CHECK(tried.subject == SubjectKind::set);
  CHECK(tried.tier == Tier::probed);
  REQUIRE(tried.expected.size() == 1);
  CHECK(tried.expected.front().gate == "readable");
  const auto& gate = rules.value().gates.at(0);
  REQUIRE(gate.require.size() == 1);
  CHECK(gate.require.front().why == "{gpu} is not readable");
  CHECK(gate.require.front().any_of.front().fact == "a.read");
  CHECK(gate.require.front().any_of.front().value == FactValue(true));
  CHECK(rules.value().modes.at(0).require.size() == 2);
  CHECK(rules.value().remedies.at(0).changes == std::vector<std::string>{"a.read"});
}

TEST_CASE("entries may be spread over files in any order") {
  const auto at = kSmallRules.find("[[mode]]");
  const auto rules = load_rules({{"b.toml", kSmallRules.substr(at)}, {"a.toml", kSmallRules.substr(0, at)}});
  REQUIRE(rules);
  CHECK(rules.value().modes.size() == 1);
  CHECK(rules.value().gates.size() == 1);
}

TEST_CASE("a mistake is named with its file and line") {
  CHECK(broken("tier = \"static\"", "tier = static").rfind("rules/test.toml:5: not well-formed TOML: ", 0) == 0);
  CHECK(broken("established = \"e\"", "established = \"e\"\ncolour = 1") ==
        "rules/test.toml:9: fact 'a.read': unknown key 'colour'");
  CHECK(broken("[[remedy]]", "[[cure]]") == "rules/test.toml:51: rules file: unknown key 'cure'");
  CHECK(broken("source = \"s\"\n\n[[fact]]\nid = \"a.size\"", "[[fact]]\nid = \"a.size\"") ==
        "rules/test.toml:1: fact 'a.read': 'source' is missing");
  CHECK(broken("source = \"s\"", "source = \" \"") == "rules/test.toml:10: fact 'a.read': 'source' is empty");
  CHECK(broken("source = \"s\"", "source = 3") == "rules/test.toml:10: fact 'a.read': 'source' must be a text");
  CHECK(broken("type = \"bool\"", "type = \"bit\"") ==
        "rules/test.toml:4: fact 'a.read': 'type' is 'bit', it must be bool, number or text");
  CHECK(broken("id = \"a.read\"", "id = \"A read\"") == "rules/test.toml:2: fact: 'A read' is no id");
  CHECK(broken("settle = [\"fix\"]", "settle = [1]") ==
        "rules/test.toml:9: fact 'a.read': 'settle' must hold texts only");
  CHECK(broken("settle = [\"fix\"]", "settle = true") ==
        "rules/test.toml:9: fact 'a.read': 'settle' must be an array of texts");
  CHECK(mistake("fact = 3\n") == "rules/test.toml:1: rules file: 'fact' must be an array of tables");
}

TEST_CASE("ids are unique over every kind and must exist") {
  CHECK(broken("id = \"a.size\"", "id = \"a.read\"") ==
        "rules/test.toml:13: fact 'a.read': there is already a fact of that id at rules/test.toml:2");
  CHECK(broken("id = \"together\"", "id = \"fix\"") ==
        "rules/test.toml:52: remedy 'fix': there is already a mode of that id at rules/test.toml:41");
  CHECK(broken("fact = \"a.tried\"", "fact = \"a.tied\"") ==
        "rules/test.toml:48: 'together' names the fact 'a.tied', which there is not");
  CHECK(broken("[{ gate = \"readable\" }] },", "[{ gate = \"legible\" }] },") ==
        "rules/test.toml:47: 'together' names the gate 'legible', which there is not");
  CHECK(broken("settle = [\"fix\"]", "settle = [\"mend\"]") ==
        "rules/test.toml:9: 'a.read' names the remedy 'mend', which there is not");
  CHECK(broken("changes = [\"a.read\"]", "changes = [\"fix\"]") ==
        "rules/test.toml:55: 'fix' names the fact 'fix', which there is not");
}

TEST_CASE("comparisons fit the fact's type") {
  CHECK(broken("fact = \"a.read\", is = true", "fact = \"a.read\", is = 3") ==
        "rules/test.toml:38: 'readable' compares 'a.read': it is a bool and the value is a number");
  CHECK(broken("fact = \"a.read\", is = true", "fact = \"a.read\", below = 3") ==
        "rules/test.toml:38: 'readable' compares 'a.read': only a number can be compared with at_least or below");
  CHECK(broken("fact = \"a.read\", is = true", "fact = \"a.read\"") ==
        "rules/test.toml:38: gate 'readable': a condition on 'a.read' needs exactly one comparison");
  CHECK(broken("fact = \"a.read\", is = true", "fact = \"a.read\", is = true, known = true") ==
        "rules/test.toml:38: gate 'readable': a condition on 'a.read' needs exactly one comparison");
  CHECK(broken("fact = \"a.read\", is = true", "is = true") ==
        "rules/test.toml:38: gate 'readable': a condition names either a 'fact' or a 'gate'");
  CHECK(broken("fact = \"a.read\", is = true", "fact = \"a.read\", known = false") ==
        "rules/test.toml:38: gate 'readable': 'known' can only be true");
  CHECK(broken("subject = \"gpu\"", "subject = \"link\"") ==
        "rules/test.toml:38: 'readable' compares 'a.read': a fact of a link belongs to no GPU and cannot be compared");
}

TEST_CASE("texts have known placeholders only") {
  CHECK(broken("{gpu} is not", "{card} is not") == "rules/test.toml:38: gate 'readable': unknown placeholder '{card}'");
  CHECK(broken("Fix {gpu}", "Fix {gpu") == "rules/test.toml:54: remedy 'fix': '{' without '}'");
}

TEST_CASE("what depends on itself is refused") {
  CHECK(broken("{ fact = \"a.read\", is = true }", "{ fact = \"a.tried\", is = true }") ==
        "rules/test.toml:23: 'a.tried' depends on itself: a.tried → readable → a.tried");
  CHECK(broken("{ fact = \"a.read\", is = true }", "{ gate = \"readable\" }") ==
        "rules/test.toml:34: 'readable' depends on itself: readable → readable");
}

TEST_CASE("a key of endlessly many parts is a mistake, wherever it stands") {
  std::string key = "a";
  for (int i = 0; i < 50000; ++i) key += i % 2 == 0 ? ".a" : ".\"a\"";
  const std::string wrong = "rules/test.toml:2: not well-formed TOML: a key of more parts than any rule has";
  for (const auto& line : {"[" + key + "]", "[[" + key + "]]", key + " = 1", "x = { " + key + " = 1 }"}) {
    CHECK(mistake("\n" + line) == wrong);
  }
  CHECK(broken("is not readable", "is not readable" + std::string(5000, '.')) == "loaded");
}

TEST_CASE("a chain of gates has a limit") {
  std::string deep;
  for (int i = 0; i < 40; ++i) {
    const auto next = i == 39 ? "readable" : "g" + std::to_string(i + 1);
    deep += "[[gate]]\nid = \"g" + std::to_string(i) + "\"\ntitle = \"t\"\nmeaning = \"m\"\nsource = \"s\"\n" +
            "require = [{ any_of = [{ gate = \"" + next + "\" }] }]\n";
  }
  CHECK(mistake(kSmallRules + deep).find("is nested more than 32 gates and facts deep") != std::string::npos);
}

TEST_CASE("gates that name others many times over have a limit") {
  std::string wide;
  for (int i = 0; i < 20; ++i) {
    const auto next = i == 19 ? "readable" : "g" + std::to_string(i + 1);
    wide += "[[gate]]\nid = \"g" + std::to_string(i) + "\"\ntitle = \"t\"\nmeaning = \"m\"\nsource = \"s\"\n" +
            "require = [{ any_of = [{ gate = \"" + next + "\" }, { gate = \"" + next + "\" }] , why = \"w\" }]\n";
  }
  CHECK(mistake(kSmallRules + wide).find("comes to more than 10000 gates and facts") != std::string::npos);
}

TEST_CASE("a remedy that nothing offers is refused") {
  auto text = with(kSmallRules, "settle = [\"fix\"]\n", "");
  CHECK(mistake(text) == "loaded");
  text = with(text, ", remedies = [\"fix\"]", "");
  CHECK(mistake(text) == "rules/test.toml:51: remedy 'fix': nothing offers it");
}

TEST_CASE("readings alone never answer a mode with yes") {
  CHECK(broken("  { any_of = [{ fact = \"a.tried\", is = true }], why = \"it does not work\" },\n", "") ==
        "rules/test.toml:41: mode 'together': readings alone could answer it with yes");
  // A probed clause that only some vendors have does not help the others.
  CHECK(broken("why = \"it does not work\"", "why = \"it does not work\", vendors = [\"amd\"]") ==
        "rules/test.toml:41: mode 'together': readings alone could answer it with yes");
  CHECK(broken("why = \"it does not work\"", "why = \"w\", vendors = [\"amt\"]") ==
        "rules/test.toml:48: mode 'together': unknown vendor 'amt'");
}

TEST_CASE("a lower bound names a bool fact of the host") {
  CHECK(broken("title = \"size\"", "title = \"size\"\nfloor_unless = \"a.read\"") ==
        "rules/test.toml:13: fact 'a.size': 'floor_unless' must name a bool fact of the host");
  CHECK(broken("title = \"A was read\"", "title = \"A was read\"\nfloor_unless = \"a.read\"") ==
        "rules/test.toml:7: fact 'a.read': only a number can be a lower bound");
}

TEST_CASE("devices have ids and a range") {
  const std::string device =
      "[[device]]\nkind = \"chipset-bridge\"\nvendor = 0x1022\nfirst_device = 0x43f4\nlast_device = 0x43f5\n"
      "title = \"t\"\nname_contains = [\"B650\"]\nsource = \"s\"\n";
  const auto rules = load(device);
  REQUIRE(rules);
  const auto& d = rules.value().devices.at(0);
  CHECK(d.kind == DeviceKind::chipset_bridge);
  CHECK(d.vendor == 0x1022);
  CHECK(d.first_device == 0x43f4);
  CHECK(d.last_device == 0x43f5);
  CHECK(d.name_contains == std::vector<std::string>{"B650"});
  CHECK(mistake(with(device, "0x1022", "0x10221")) ==
        "rules/test.toml:3: device: 'vendor' must be a whole number from 0 to 65535");
  CHECK(mistake(with(device, "0x43f5", "0x43f0")) == "rules/test.toml:5: device: the range of devices is empty");
  CHECK(mistake(with(device, "first_device", "device")) ==
        "rules/test.toml:4: device: 'device' stands alone, a range is 'first_device' and 'last_device'");
  CHECK(mistake(with(device, "chipset-bridge", "bridge")).rfind("rules/test.toml:2: device: 'kind' is 'bridge'", 0) ==
        0);
}

TEST_CASE("a chip tells something of its generation, and nothing else does") {
  const std::string chip =
      "[[device]]\nkind = \"chip\"\nvendor = 0x1002\ndevice = 0x7551\ntitle = \"t\"\ngfx = \"gfx1201\"\n"
      "fabric = false\nsource = \"s\"\n";
  const auto rules = load(chip);
  REQUIRE(rules);
  const auto& d = rules.value().devices.at(0);
  CHECK(d.kind == DeviceKind::chip);
  CHECK(d.gfx == "gfx1201");
  CHECK(d.fabric == false);
  CHECK_FALSE(d.compute_capability.has_value());
  const std::string wrong =
      "rules/test.toml:2: device 't': a chip, and nothing else, has 'gfx', 'compute_capability' or 'fabric'";
  CHECK(mistake(with(chip, "kind = \"chip\"", "kind = \"integrated-gpu\"")) == wrong);
  CHECK(mistake(with(with(chip, "gfx = \"gfx1201\"\n", ""), "fabric = false\n", "")) == wrong);
  CHECK(mistake(with(chip, "fabric = false", "compute_capability = 120")) ==
        "rules/test.toml:7: device 't': 'compute_capability' must be a number from 1 to 99");
}

TEST_CASE("log causes have patterns, and set facts of GPUs") {
  const std::string cause =
      "[[log-cause]]\nid = \"no-a\"\npatterns = [\"*no A*\"]\ntitle = \"t\"\nmeaning = \"m\"\nnext = \"n\"\n"
      "sets_fact = \"a.read\"\nsets_value = false\nsource = \"s\"\n";
  const auto rules = load(kSmallRules + cause);
  REQUIRE(rules);
  CHECK(rules.value().log_causes.at(0).sets_fact == "a.read");
  CHECK_FALSE(rules.value().log_causes.at(0).sets_value);
  CHECK(mistake(kSmallRules + with(cause, "*no A*", "**")).find("fits every line") != std::string::npos);
  CHECK(mistake(kSmallRules + with(cause, "a.read", "a.tried")).find("only a fact of a GPU can be set") !=
        std::string::npos);
  CHECK(mistake(kSmallRules + with(cause, "a.read", "a.size")).find("it is a number and the value is a bool") !=
        std::string::npos);
}

TEST_CASE("a variant sets what a library does, never what is loaded") {
  const std::string variant =
      "[[variant]]\nid = \"careful\"\ntitle = \"t\"\nlibraries = [\"nccl\"]\nset = [\"NCCL_PROTO=Simple\"]\n"
      "control = true\nmeaning = \"m\"\ncost = \"c\"\nsource = \"s\"\n";
  const auto rules = load(kSmallRules + variant);
  REQUIRE(rules);
  CHECK(rules.value().variants.at(0).set == std::vector<std::string>{"NCCL_PROTO=Simple"});
  CHECK(rules.value().variants.at(0).control);
  const auto wrong = [&](const std::string& from, const std::string& to) { return mistake(with(variant, from, to)); };
  CHECK(wrong("\"nccl\"", "\"mpi\"") == "rules/test.toml:4: variant 'careful': unknown library 'mpi'");
  CHECK(wrong("NCCL_PROTO=Simple", "NCCL_PROTO").find("is no NAME=value without blanks") != std::string::npos);
  CHECK(wrong("NCCL_PROTO=Simple", "A=b c").find("is no NAME=value without blanks") != std::string::npos);
  for (const char* setting : {"LD_PRELOAD=x.so", "NCCL_NET_PLUGIN=x", "NCCL_TOPO_FILE=x", "LD_LIBRARY_PATH=x"}) {
    CHECK_MESSAGE(wrong("NCCL_PROTO=Simple", setting).find("chooses files or code") != std::string::npos, setting);
  }
  CHECK(wrong("set = [\"NCCL_PROTO=Simple\"]\n", "").find("a variant needs 'set'") != std::string::npos);
}
