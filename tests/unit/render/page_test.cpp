#include "render/page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "render/escape.hpp"

using namespace gpucoop;

namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns(line));
  return most;
}

}  // namespace

TEST_CASE("text breaks at blanks") {
  CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("one two three", 13) == std::vector<std::string>{"one two three"});
  CHECK(wrap("  one   two ", 80) == std::vector<std::string>{"one two"});
  CHECK(wrap("", 10) == std::vector<std::string>{""});
}

TEST_CASE("a word breaks only where it is wider than the line") {
  CHECK(wrap("ab cdefghij kl", 4) == std::vector<std::string>{"ab", "cdef", "ghij", "kl"});
  CHECK(wrap("abcdefgh", 4) == std::vector<std::string>{"abcd", "efgh"});
  CHECK(wrap("\xe6\xbc\xa2\xe5\xad\x97", 3) == std::vector<std::string>{"\xe6\xbc\xa2", "\xe5\xad\x97"});
}

TEST_CASE("a paragraph hangs and keeps to the page") {
  Page page(40, false);
  page.paragraph(2, "Link to the CPU: 1.97 GB/s, 16 GT/s x1 at 06:09.0.", Style::plain, 2);
  CHECK(page.take() == "  Link to the CPU: 1.97 GB/s, 16 GT/s x1\n    at 06:09.0.\n");
}

TEST_CASE("an item's text starts at its column, below a lead that is longer") {
  Page page(40, false);
  page.item(2, "no", Style::bad, 8, "tensor");
  page.item(2, "not expected", Style::bad, 8, "tensor");
  CHECK(page.take() == "  no    tensor\n  not expected\n        tensor\n");
}

TEST_CASE("cells wrap on their own and no line ends in a blank") {
  Page page(40, false);
  page.row(0, {{"a b", 1, Style::plain}, {"cc", 4, Style::plain}, {"", 4, Style::plain}});
  CHECK(page.take() == "a  cc\nb\n");
}

TEST_CASE("colour surrounds text and changes nothing else") {
  Page plain(60, false);
  Page colored(60, true);
  for (Page* page : {&plain, &colored}) {
    page->heading("Head");
    page->item(2, "no", Style::bad, 8, "tensor");
    page->row(2, {{"x", 3, Style::dim}, {"y", 3, Style::good}});
  }
  std::string with = colored.take();
  CHECK(with.find("\x1b[1mHead\x1b[0m\n") == 0);
  for (std::size_t at = 0; (at = with.find('\x1b')) != std::string::npos;) with.erase(at, with.find('m', at) - at + 1);
  CHECK(with == plain.take());
}

TEST_CASE("nothing put on a page gets through raw or too wide") {
  const std::string evil = "\x1b[2J\xe2\x80\xae" + std::string(300, 'x') + "\n\r\xff";
  Page page(80, false);
  page.heading(evil);
  page.paragraph(4, evil, Style::plain, 4);
  page.item(2, evil, Style::bold, 20, evil);
  page.row(2, {{evil, 10}, {evil, 20}});
  page.verbatim(evil);
  const std::string text = page.take();
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  CHECK(text.find('\xff') == std::string::npos);
  CHECK(widest(text) == 80);
}
