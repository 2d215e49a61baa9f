#include "probe/groups.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using namespace gpucoop::probe;

namespace {

/// `tp [0,1] [2,3]; dp [0,2] [1,3]`
std::string drawn(const std::string& layout) {
  const auto parsed = parse_layout(layout);
  if (!parsed) return parsed.error().what;
  std::string text;
  for (const auto& division : divide(parsed.value())) {
    text += (text.empty() ? "" : "; ") + division.name;
    for (const auto& group : division.groups) {
      std::string ranks;
      for (const unsigned rank : group.ranks) ranks += (ranks.empty() ? "" : ",") + std::to_string(rank);
      text += " [" + ranks + "]";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("ranks are grouped as vLLM groups them") {
  // vllm/distributed/parallel_state.py initialize_model_parallel
  CHECK(drawn("tp=2,dp=2") == "tp [0,1] [2,3]; dp [0,2] [1,3]; ep [0,1,2,3]");
  CHECK(drawn("tp=2,pp=2") == "tp [0,1] [2,3]; pp [0,2] [1,3]");
  CHECK(drawn("tp=2,pp=2,dp=2") ==
        "tp [0,1] [2,3] [4,5] [6,7]; pp [0,2] [1,3] [4,6] [5,7]; dp [0,4] [1,5] [2,6] [3,7]; ep [0,1,4,5] [2,3,6,7]");
  CHECK(drawn("dp=2") == "dp [0,1]");
  CHECK(drawn("tp=4") == "tp [0,1,2,3]");
  CHECK(drawn("tp=2,dp=2,ep=1") == "tp [0,1] [2,3]; dp [0,2] [1,3]");
  CHECK(drawn("tp=2,dp=2,ep=4") == drawn("tp=2,dp=2"));
  CHECK(drawn("tp=1").empty());
}

TEST_CASE("ranks are grouped as SGLang groups them: experts and attention inside the tensor group") {
  CHECK(drawn("tp=4,ep=2,order=sglang") == "tp [0,1,2,3]; moe_tp [0,1] [2,3]; ep [0,2] [1,3]");
  CHECK(drawn("tp=4,ep=4,order=sglang") == "tp [0,1,2,3]; ep [0,1,2,3]");
  CHECK(drawn("tp=4,dp=2,order=sglang") == "tp [0,1,2,3]; attn_tp [0,1] [2,3]");
  CHECK(drawn("tp=2,pp=2,order=sglang") == "tp [0,1] [2,3]; pp [0,2] [1,3]");
  CHECK(parse_layout("tp=4,dp=2,order=sglang").value().ranks() == 4);
  CHECK(parse_layout("tp=4,dp=2").value().ranks() == 8);
}

TEST_CASE("groups cross where each has members that the other lacks") {
  const auto crossing = [](const char* text) { return crosses(divide(parse_layout(text).value())); };
  CHECK(crossing("tp=2,dp=2"));
  CHECK(crossing("tp=2,pp=2"));
  CHECK(crossing("tp=4,ep=2,order=sglang"));
  CHECK_FALSE(crossing("tp=4"));
  CHECK_FALSE(crossing("tp=4,dp=2,order=sglang"));
  CHECK_FALSE(crossing("dp=4"));
}

TEST_CASE("layouts that cannot be are told with what is wrong") {
  const auto what = [](const char* text) {
    const auto layout = parse_layout(text);
    return layout ? std::string("taken") : layout.error().what;
  };
  CHECK(what("") == "--groups : '' is no NAME=N");
  CHECK(what("tp") == "--groups tp: 'tp' is no NAME=N");
  CHECK(what("tp=0") == "--groups tp=0: '0' is no number from 1 to 64");
  CHECK(what("tp=65") == "--groups tp=65: '65' is no number from 1 to 64");
  CHECK(what("tp=2,tp=2") == "--groups tp=2,tp=2: 'tp' stands there twice");
  CHECK(what("cp=2") == "--groups cp=2: 'cp' is none of tp, pp, dp, ep and order");
  CHECK(what("tp=2,dp=2,") == "--groups tp=2,dp=2,: '' is no NAME=N");
  CHECK(what("tp=9,dp=8") == "--groups tp=9,dp=8: that takes more than 64 GPUs");
  CHECK(what("tp=2,dp=2,ep=2") == "--groups tp=2,dp=2,ep=2: with vLLM, ep is tp times dp: 4");
  CHECK(what("tp=4,ep=3,order=sglang") == "--groups tp=4,ep=3,order=sglang: with SGLang, ep divides tp");
  CHECK(what("tp=2,order=torch") == "--groups tp=2,order=torch: an order is vllm or sglang");
  CHECK(to_string(parse_layout("dp=2,tp=2").value()) == "tp=2,dp=2");
}

TEST_CASE("without a layout even sets from 4 on are two replicas") {
  CHECK(to_string(usual_layout(4)) == "tp=2,dp=2");
  CHECK(to_string(usual_layout(8)) == "tp=4,dp=2");
  CHECK(to_string(usual_layout(2)) == "tp=2");
  CHECK(to_string(usual_layout(5)) == "tp=5");
}
