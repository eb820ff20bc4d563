// SPDX-License-Identifier: MIT
// The laboratory's tables of joins in the suite of tests/unit (join_table_suite.cpp), and what is
// theirs alone: loads of slots, tables that double, keys that are partitioned in several levels.
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/join/lab_join_table.h"
#include "tests/unit/query/join/join_table_suite.h"

namespace presso::query::join::test {
namespace {

class LabWay : public JoinWay {
 public:
  explicit LabWay(lab::Strategy which) { plan.which = which; }

  std::string name() const override {
    std::string name(lab::kStrategyNames[static_cast<std::size_t>(plan.which)]);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
  bool is_slow() const override { return plan.which == lab::Strategy::kNestedLoop; }
  bool finds_unique_keys() const override { return !is_slow(); }
  Result<std::unique_ptr<JoinTable>> build(const Asked& asked, const BuildKeys& keys) override {
    plan.threads = asked.threads;
    plan.memory_bytes = asked.memory_bytes;
    return lab::build(plan, keys);
  }
  JoinMemory predict(const Asked& /*asked*/, const JoinTable& table) const override {
    return lab::predict(plan, table.facts());
  }
  std::shared_ptr<Found> make_found() const override { return std::make_shared<lab::LabFound>(); }

  lab::Plan plan;
};

TEST(LabJoinTable, KeepsItsAnswerAtAnyLoad) {
  for (const JoinCase& which : join_cases(2'000, 300)) {
    const JoinedRows expected = expected_rows(which);
    for (const lab::Strategy strategy :
         {lab::Strategy::kChained, lab::Strategy::kOpen, lab::Strategy::kDistinct}) {
      for (const double load : {0.25, 0.5, 0.95, 4.0}) {
        LabWay way(strategy);
        way.plan.load = load;
        expect_rows(way, 1, which, expected);
        way.plan.buckets = true;
        if (strategy == lab::Strategy::kOpen) expect_rows(way, 1, which, expected);
      }
    }
  }
}

TEST(LabJoinTable, DoublesATableOfDistinctKeysThatIsTooSmall) {
  Words keys(4096);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  LabWay way(lab::Strategy::kDistinct);
  way.plan.load = 1;
  auto table = way.build({}, {keys, nullptr});
  ASSERT_TRUE(table.ok());
  EXPECT_GT(way.plan.doublings, 0u);
  EXPECT_EQ(way.predict({}, **table).kept(), (*table)->bytes());
  lab::LabFound found;
  ASSERT_TRUE((*table)->find(keys, nullptr, found).ok());
  EXPECT_EQ(found.pairs, keys.size());
}

TEST(LabJoinTable, PartitionsInSeveralLevels) {
  const Words build = zipf_keys(700'000, 200'000, 0.7, 3);
  Words probe(2'000);
  for (std::size_t i = 0; i < probe.size(); ++i) probe[i] = 101 * i;
  const JoinCase which{"several levels", build, probe, {}, {}};
  LabWay radix(lab::Strategy::kRadix);
  expect_rows(radix, 2, which, expected_rows(which));
}

}  // namespace

std::vector<JoinWay*> join_ways() {
  static LabWay ways[] = {LabWay(lab::Strategy::kChained),    LabWay(lab::Strategy::kOpen),
                          LabWay(lab::Strategy::kDistinct),   LabWay(lab::Strategy::kRadix),
                          LabWay(lab::Strategy::kNestedLoop), LabWay(lab::Strategy::kSortMerge)};
  std::vector<JoinWay*> all;
  for (LabWay& way : ways) all.push_back(&way);
  return all;
}

}  // namespace presso::query::join::test
