// SPDX-License-Identifier: MIT
// How many lanes of a warp have a row to test, as it is counted on the host.
#include "lab/programs/strings_gpu/lane_use.h"

#include <gtest/gtest.h>

#include "corpora/random.h"
#include "query/strings/condition_automaton.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::gpu::bench::lane_use_test {
namespace {

using query::test::condition_of;
using query::test::StringRows;
using Kind = query::StringCondition::Kind;

std::vector<std::uint32_t> pieces_of(Kind kind, const char* text, const StringRows& rows) {
  const auto dfa = query::condition_automaton(condition_of(kind, text));
  EXPECT_TRUE(dfa.ok());
  const auto table = lay_out_text(*dfa);
  EXPECT_TRUE(table.ok());
  return pieces_of_rows(*dfa, *table, rows.text, rows.offsets);
}

TEST(LaneUse, PiecesEndWhereAStateIsDecided) {
  const StringRows rows({"", std::string(16, 'z'), std::string(17, 'z'), std::string(40, 'z'),
                         std::string(20, 'z') + "q" + std::string(40, 'z')});
  EXPECT_EQ(pieces_of(Kind::kLike, "%q%", rows), (std::vector<std::uint32_t>{0, 1, 2, 3, 2}));
  EXPECT_EQ(pieces_of(Kind::kLike, "q%", rows), (std::vector<std::uint32_t>{0, 1, 1, 1, 1}));
  EXPECT_EQ(pieces_of(Kind::kEqual, "zzzzzzzzzzzzzzzz", rows),
            (std::vector<std::uint32_t>{0, 1, 0, 0, 0}));
}

TEST(LaneUse, OneLongRowHoldsUpAWarp) {
  std::vector<std::uint32_t> pieces(1024, 1);
  EXPECT_DOUBLE_EQ(count_lane_steps(pieces, 0).use(), 1);
  for (std::size_t i = 0; i < pieces.size(); i += 32) pieces[i] = 10;
  EXPECT_EQ(count_lane_steps(pieces, 0).steps, 320u);
  EXPECT_EQ(count_lane_steps(pieces, 0).pieces, 32u * 41);
  // As many steps as there are pieces for 32 lanes, and the last ones.
  const std::uint64_t refilled = count_lane_steps(pieces, 32).steps;
  EXPECT_GE(refilled, 41u);
  EXPECT_LE(refilled, 41u + 10);
  EXPECT_DOUBLE_EQ(count_lane_steps({}, 0).use(), 1);
}

TEST(LaneUse, GrowsWithTheThreshold) {
  corpora::Random random(3);
  std::vector<std::uint32_t> pieces(20 * 1024);
  for (std::uint32_t& of_row : pieces) {
    for (of_row = 1; random.below(4) != 0;) ++of_row;
  }
  // Rows are not taken before all lanes are done: the same steps as of lanes that keep theirs.
  EXPECT_EQ(count_lane_steps(pieces, 1).steps, count_lane_steps(pieces, 0).steps);
  double last = 0;
  for (const std::uint32_t refill : {1u, 8u, 16u, 24u, 32u}) {
    const double use = count_lane_steps(pieces, refill).use();
    EXPECT_GT(use, last);
    EXPECT_LE(use, 1);
    last = use;
  }
  EXPECT_GT(last, 0.8);
}

}  // namespace
}  // namespace presso::gpu::bench::lane_use_test
