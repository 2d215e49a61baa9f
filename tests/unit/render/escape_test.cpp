#include "render/escape.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;

TEST_CASE("plain text and letters of other languages are kept") {
  CHECK(escape("Radeon RX 560, 4 GiB") == "Radeon RX 560, 4 GiB");
  CHECK(escape("Größe \xe2\x82\xac \xf0\x9f\x98\x80") == "Größe \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST_CASE("control characters become visible") {
  CHECK(escape(std::string_view("a\x1b[31mb\tc\n\0d", 12)) == "a\\x1b[31mb\\x09c\\x0a\\x00d");
  CHECK(escape("\x7f") == "\\x7f");
  CHECK(escape("\xc2\x9b") == "\\x9b");  // CSI of the C1 set
}

TEST_CASE("what reorders or hides text becomes visible") {
  CHECK(escape("\xe2\x80\xae") == "\\u202e");
  CHECK(escape("\xe2\x81\xa6\xe2\x81\xa9") == "\\u2066\\u2069");
  CHECK(escape("\xe2\x80\x8b") == "\\u200b");
  CHECK(escape("\xf3\xa0\x81\x81") == "\\ue0041");
}

TEST_CASE("bytes that are no UTF-8 are replaced one by one") {
  CHECK(escape("a\xff"
               "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(escape("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong
  CHECK(escape("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  CHECK(escape("\xe2\x82") == "\xef\xbf\xbd\xef\xbf\xbd");                  // cut short
  CHECK(escape("\xe2\x82x") == "\xef\xbf\xbd\xef\xbf\xbdx");
  CHECK(escape("\xf4\x90\x80\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("columns count what a terminal shows") {
  CHECK(columns("") == 0);
  CHECK(columns("abc") == 3);
  CHECK(columns("ä") == 1);
  CHECK(columns("a\xcc\x88") == 1);                 // combining mark
  CHECK(columns("\xe6\xbc\xa2\xe5\xad\x97") == 4);  // two wide characters
}

TEST_CASE("shortening never cuts a character and never exceeds the width") {
  CHECK(shorten("abc", 3) == "abc");
  CHECK(shorten("abcd", 3) == "ab\xe2\x80\xa6");
  CHECK(shorten("\xe6\xbc\xa2\xe5\xad\x97", 3) == "\xe6\xbc\xa2\xe2\x80\xa6");
  CHECK(shorten("\xe6\xbc\xa2\xe5\xad\x97", 2) == "\xe2\x80\xa6");
  CHECK(shorten("abc", 0).empty());
}
