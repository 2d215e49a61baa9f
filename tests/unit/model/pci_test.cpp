#include "model/pci.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;

TEST_CASE("lane rates are those of the encodings") {
  CHECK(lane_gbytes_per_s(LinkSpeed::gen1) == doctest::Approx(0.25));
  CHECK(lane_gbytes_per_s(LinkSpeed::gen2) == doctest::Approx(0.5));
  CHECK(lane_gbytes_per_s(LinkSpeed::gen3) == doctest::Approx(0.9846).epsilon(0.001));
  CHECK(lane_gbytes_per_s(LinkSpeed::gen4) == doctest::Approx(1.9692).epsilon(0.001));
  CHECK(8 * lane_gbytes_per_s(LinkSpeed::gen5) == doctest::Approx(31.51).epsilon(0.001));
  CHECK(lane_gbytes_per_s(LinkSpeed::gen6) == doctest::Approx(7.5625));
}

TEST_CASE("a speed is recognised from gigatransfers and nothing else is") {
  CHECK(speed_from_gigatransfers(2.5) == LinkSpeed::gen1);
  CHECK(speed_from_gigatransfers(32.0) == LinkSpeed::gen5);
  CHECK_FALSE(speed_from_gigatransfers(0));
  CHECK_FALSE(speed_from_gigatransfers(10));
  CHECK_FALSE(speed_from_gigatransfers(-2.5));
}

TEST_CASE("only the widths that PCI Express has are widths") {
  for (unsigned w : {1u, 2u, 4u, 8u, 12u, 16u, 32u}) CHECK(is_link_width(w));
  for (unsigned w : {0u, 3u, 6u, 24u, 63u, 255u}) CHECK_FALSE(is_link_width(w));
}
