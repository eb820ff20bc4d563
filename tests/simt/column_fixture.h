// SPDX-License-Identifier: MIT
// What the suites of blocks of tables on a GPU, real or emulated, share: what the CPU's decoders
// give for a block, and a fixture that compares.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "decompress/columns/cpu/integer_decoder.h"
#include "tests/simt/column_backend.h"

namespace presso::gpu::test {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline u32 code_of(const Status& status) {
  return status.ok() ? 0 : static_cast<u32>(status.error().code);
}

inline ColumnOutcome cpu_answer(const IntegerCase& one) {
  ColumnOutcome answer;
  answer.bytes.resize(output_bytes(one.parameters));
  answer.status = code_of(decode_integers(one.parameters, one.payload, answer.bytes));
  return answer;
}

inline std::string describe(const IntegerCase& one) {
  const IntegerParameters& of = one.parameters;
  std::string text = std::to_string(of.rows) + " rows of " + std::to_string(of.width_bytes) +
                     " bytes, divisor " + std::to_string(of.divisor);
  if (one.payload.size() < kVectorEntryBytes) return text;
  const VectorEntry entry = load_vector_entry(one.payload.data());
  return text + ", kind " + std::to_string(entry.kind) + ", widths " + std::to_string(entry.width) +
         ", " + std::to_string(entry.width2) + ", exceptions " + std::to_string(entry.exceptions);
}

class Columns : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = column_backend().unavailable();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  /// Decodes all of them; counts statuses in seen_.
  template <class Case>
  void expect_the_cpus_answers(const std::vector<Case>& cases, const ColumnOptions& options = {}) {
    const auto outcomes = decode_cases(cases, ColumnRun{options, ++seed_});
    ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const ColumnOutcome& outcome = (*outcomes)[i];
      const ColumnOutcome answer = cpu_answer(cases[i]);
      ++seen_[outcome.status];
      ASSERT_EQ(outcome.status, answer.status) << i << ": " << describe(cases[i]);
      ASSERT_TRUE(outcome.is_intact) << i << ": " << describe(cases[i]);
      if (answer.status != 0) continue;
      ASSERT_TRUE(outcome.bytes == answer.bytes) << i << ": " << describe(cases[i]);
      ASSERT_TRUE(outcome.offsets == answer.offsets) << i << ": " << describe(cases[i]);
    }
  }

  u32 random_below(u32 end) { return static_cast<u32>(random_() % end); }
  Byte random_width(u32 most) { return static_cast<Byte>(random_below(most + 1)); }

  std::mt19937_64 random_{22};
  std::map<u32, u32> seen_;  ///< by status
  u32 seed_ = 0;
};

}  // namespace presso::gpu::test
