#include "probe/journal.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include "probe/journal_lines.hpp"
#include "state_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;
using Why = Unfinished::Why;

namespace {

const Address kGpu{0, 0x0b, 0, 0};
const Address kOther{0, 0x0c, 0, 0};

bool all_live(std::int32_t, std::uint64_t) { return true; }
bool none_live(std::int32_t, std::uint64_t) { return false; }

JournalEntry entry(const std::string& id) {
  return {id, "boot-1", 812, 9913, "2026-11-30T12:00:00Z", "p2p.write", {kGpu, kOther}};
}

int in_child(const std::function<bool()>& job) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(job() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("A line of the journal is read as it was written") {
  const auto text = begin_line(entry("812-9913-1"));
  CHECK(text ==
        "begin 812-9913-1 boot=boot-1 pid=812 started=9913 at=2026-11-30T12:00:00Z rung=p2p.write "
        "of=0000:0b:00.0,0000:0c:00.0 .");
  const auto line = parse_line(text);
  REQUIRE(line);
  CHECK(line->begins);
  CHECK(begin_line(line->entry) == text);
  const auto end = parse_line(end_line("812-9913-1", "hung", "2026-11-30T12:00:09Z"));
  REQUIRE(end);
  CHECK_FALSE(end->begins);
  CHECK(end->entry.id == "812-9913-1");
  CHECK(end->state == "hung");
  auto simulated = entry("1");
  simulated.of = {simulated_device(0), simulated_device(12)};
  CHECK(parse_line(begin_line(simulated))->entry.of == simulated.of);
}

TEST_CASE("Any other line is none") {
  const auto good = begin_line(entry("1"));
  REQUIRE(parse_line(good));
  for (std::size_t length = 0; length < good.size(); ++length) CHECK_FALSE(parse_line(good.substr(0, length)));
  for (const auto& line :
       {std::string("begin"), std::string("begin "), std::string("end 1"), std::string("end 1 state= at=x ."),
        std::string("start 1 boot=b pid=1 started=1 at=x rung=r of= ."), std::string(5000, 'x'),
        std::string("begin 1 boot=b pid=x started=1 at=x rung=r of= ."), std::string("\0\0 .", 4),
        std::string("begin 1 boot=b pid=1 started=1 at=x rung=r of=nonsense ."),
        std::string("begin 1 boot=b pid=1 started=-1 at=x rung=r of= ."),
        std::string("begin \x1b[31m boot=b pid=1 started=1 at=x rung=r of= .")}) {
    CAPTURE(line);
    CHECK_FALSE(parse_line(line));
  }
}

TEST_CASE("What was not closed tells whether the host went down or the probe was killed") {
  const auto text = begin_line(entry("1")) + "\n" + end_line("1", "passed", "x") + "\n" + begin_line(entry("2")) +
                    "\nbegin cut off\n" + begin_line(entry("2")) + "\n";
  const auto down = parse_journal(text, "boot-2", all_live);
  REQUIRE(down.unfinished.size() == 1);
  CHECK(down.damaged == 1);
  CHECK(down.unfinished[0].entry.id == "2");
  CHECK(down.unfinished[0].why == Why::host_down);
  CHECK(sentence(down.unfinished[0]) ==
        "p2p.write on 0000:0b:00.0 and 0000:0c:00.0 had begun at 2026-11-30T12:00:00Z and had not ended when the host "
        "went down");
  const auto killed = parse_journal(text, "boot-1", none_live);
  CHECK(killed.unfinished.at(0).why == Why::killed);
  CHECK(sentence(killed.unfinished[0]).find("when the probe (pid 812) was killed") != std::string::npos);
  CHECK(parse_journal(text, "boot-1", all_live).unfinished.at(0).why == Why::running);
  CHECK(parse_journal("", "boot-1", all_live).unfinished.empty());
}

TEST_CASE("An entry is there before what it is about begins, and gone after it has ended") {
  const StateHome home;
  CHECK(Journal::look(home.place()).value().unfinished.empty());
  CHECK_FALSE(std::filesystem::exists(home.folder()));
  auto journal = Journal::open(home.place());
  REQUIRE(journal);
  const auto first = journal.value().begin("gpu.dispatch", {kGpu});
  const auto second = journal.value().begin("p2p.write", {kGpu, kOther});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first.value() != second.value());
  CHECK(journal.value().unfinished().unfinished.size() == 2);
  CHECK(Journal::look(home.place()).value().unfinished.at(0).why == Why::running);
  CHECK_FALSE(journal.value().finish(first.value(), "passed"));
  const auto left = journal.value().unfinished();
  REQUIRE(left.unfinished.size() == 1);
  CHECK(left.unfinished[0].entry.of == std::vector<Address>{kGpu, kOther});
  CHECK(left.damaged == 0);
  CHECK_FALSE(journal.value().acknowledge(left));
  CHECK(journal.value().unfinished().unfinished.size() == 1);  // it still runs
}

TEST_CASE("A probe that is killed leaves its entry, which is told until it is acknowledged") {
  const StateHome home;
  const auto place = home.place();
  const auto status = in_child([&] {
    auto journal = Journal::open(place);
    if (!journal || !journal.value().begin("ccl.allreduce", {kGpu})) return false;
    ::kill(::getpid(), SIGKILL);
    return true;
  });
  CHECK(WIFSIGNALED(status));
  auto journal = Journal::open(place);
  REQUIRE(journal);
  const auto reading = journal.value().unfinished();
  REQUIRE(reading.unfinished.size() == 1);
  CHECK(reading.unfinished[0].why == Why::killed);
  CHECK(reading.unfinished[0].entry.rung == "ccl.allreduce");
  CHECK_FALSE(journal.value().acknowledge(reading));
  CHECK(journal.value().unfinished().unfinished.empty());
}

TEST_CASE("A journal that was damaged is read as far as it goes, and goes on in a line of its own") {
  const StateHome home;
  auto journal = Journal::open(home.place());
  REQUIRE(journal);
  home.write(begin_line(entry("1")) + "\n" + std::string("\xff\0garbage", 9) + "\nbegin 2 boot=boot-1 pi");
  const auto id = journal.value().begin("gpu.dispatch", {kGpu});
  REQUIRE(id);
  const auto reading = journal.value().unfinished();
  CHECK(reading.damaged == 2);
  REQUIRE(reading.unfinished.size() == 2);
  CHECK(reading.unfinished[0].why == Why::host_down);
  CHECK(reading.unfinished[1].entry.rung == "gpu.dispatch");
}

TEST_CASE("A journal does not grow for ever, and what is open stays in it") {
  const StateHome home;
  auto opened = Journal::open(home.place());
  REQUIRE(opened);
  auto& journal = opened.value();
  home.write(begin_line(entry("old")) + "\n");
  const auto open = journal.begin("soak", {kGpu});
  REQUIRE(open);
  const std::string filler = end_line("x", "passed", std::string(1000, 'f')) + "\n";
  for (int round = 0; round < 4; ++round) {
    std::ofstream file(home.folder() + "/journal", std::ios::app);
    for (int i = 0; i < 300; ++i) file << filler;
    file.close();
    const auto id = journal.begin("gpu.dispatch", {kGpu});
    REQUIRE(id);
    CHECK_FALSE(journal.finish(id.value(), "passed"));
  }
  CHECK(home.read().size() < 10000);
  CHECK(home.read("journal.1").size() < 400000);
  const auto reading = journal.unfinished();
  REQUIRE(reading.unfinished.size() == 2);
  CHECK(reading.unfinished[0].entry.id == "old");
  CHECK(reading.unfinished[1].entry.id == open.value());
  CHECK(reading.damaged == 0);
}

TEST_CASE("A journal of any size is read in bounded memory") {
  const StateHome home;
  REQUIRE(Journal::open(home.place()));
  home.write(std::string(3U << 20U, 'x') + "\n" + begin_line(entry("last")) + "\n");
  const auto reading = Journal::look(home.place());
  REQUIRE(reading);
  CHECK(reading.value().unfinished.size() == 1);
  home.write(std::string(3U << 20U, 'x'));
  CHECK(Journal::look(home.place()).value().unfinished.empty());
}

TEST_CASE("Probes that run at once do not spoil each other's entries") {
  const StateHome home;
  const auto place = home.place();
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto journal = Journal::open(place);
      bool good = static_cast<bool>(journal);
      for (int n = 0; good && n < 100; ++n) {
        const auto id = journal.value().begin("gpu.dispatch", {kGpu});
        good = id && (n == 99 || !journal.value().finish(id.value(), "passed"));
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const auto child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  const auto reading = Journal::look(place);
  REQUIRE(reading);
  CHECK(reading.value().damaged == 0);
  CHECK(reading.value().unfinished.size() == 4);
}

TEST_CASE("Where nothing can be written nothing may begin") {
  const StateHome home;
  const auto place = home.place();
  REQUIRE(Journal::open(place));
  home.write(std::string(4000, 'x') + "\n");
  const auto status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit { 4100, 4100 };
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto journal = Journal::open(place);
    if (!journal) return false;
    const auto id = journal.value().begin("gpu.dispatch", {kGpu});
    return !id && id.error().code == ExitCode::cannot_create && id.error().where == place.path() + "/journal" &&
           id.error().what.find("what is about to be probed cannot be written down: ") == 0;
  });
  CHECK(status == 0);
  // What was cut is no entry, and does not spoil the next one.
  auto journal = Journal::open(place);
  REQUIRE(journal);
  REQUIRE(journal.value().begin("p2p.write", {kGpu}));
  REQUIRE(journal.value().unfinished().unfinished.size() == 1);
  CHECK(journal.value().unfinished().unfinished[0].entry.rung == "p2p.write");
}

TEST_CASE("A journal that is a link is neither read nor written") {
  const StateHome home;
  REQUIRE(open_state(home.place(), true));
  std::filesystem::create_symlink("/etc/passwd", home.folder() + "/journal");
  const auto journal = Journal::open(home.place());
  REQUIRE_FALSE(journal);
  CHECK(journal.error().code == ExitCode::permission);
  CHECK(journal.error().where == home.folder() + "/journal");
  CHECK(Journal::look(home.place()).value().damaged == 0);
}
