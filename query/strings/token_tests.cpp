// SPDX-License-Identifier: MIT
// Implements token_tests.h, conditions on strings that are stored as token codes. Rows are short, 1
// to 10 codes, so the end of a row matters as much as each code. If most rows are decided by their
// first codes, rows are read one by one and left early; otherwise several rows are read side by
// side (Lanes), without a branch on a row's length.
#include "query/strings/token_tests.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "query/strings/code_sweep.h"
#include "query/strings/row_cursor.h"
#include "query/strings/token_automaton.h"

namespace presso::query {
namespace {

using State = CodeTable::State;

/// Row i has the codes [begins[i], begins[i + 1]).
struct CodeRows {
  const std::uint16_t* codes = nullptr;
  const std::uint32_t* begins = nullptr;
  std::uint32_t rows = 0;

  std::uint32_t length(std::uint32_t row) const { return begins[row + 1] - begins[row]; }
};

/// Reads kCount rows side by side. All take as many steps as the longest. What a row reads after
/// its end does no harm, as its state there is looked up among the stored ones.
class Lanes {
 public:
  static constexpr std::uint32_t kCount = 8;

  Lanes(const CodeTable& table, const CodeRows& rows) : table_(table), rows_(rows) {}

  struct Answers {
    std::uint32_t known = 0;    ///< bit i: row first + i was read
    std::uint32_t matches = 0;  ///< bit i: row first + i matches; only where it is known
  };
  /// Reads kCount rows from `first` on. No row is known if there are fewer, or if codes beyond the
  /// last row would be read.
  Answers run(std::uint32_t first) const {
    if (first + kCount > rows_.rows) return {};
    std::uint32_t longest = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      longest = std::max(longest, rows_.length(first + i));
    }
    const std::uint32_t steps = (longest + kSteps - 1) / kSteps * kSteps;
    if (rows_.begins[first + kCount - 1] + steps > rows_.begins[rows_.rows]) return {};
    std::array<State, kCount> states;
    states.fill(table_.start());
    for (std::uint32_t step = 0; step < steps; step += kSteps) read(first, step, states);
    Answers answers;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      answers.known |= static_cast<std::uint32_t>(states[i] != CodeTable::kUnknown) << i;
      answers.matches |= static_cast<std::uint32_t>(table_.matches(states[i])) << i;
    }
    return answers;
  }

 private:
  static constexpr std::uint32_t kSteps = 8;

  /// Reads codes [step, step + kSteps) of each row.
  void read(std::uint32_t first, std::uint32_t step, std::array<State, kCount>& states) const {
    State after[kSteps + 1][kCount];
    std::array<const std::uint16_t*, kCount> codes;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      after[0][i] = states[i];
      codes[i] = rows_.codes + rows_.begins[first + i] + step;
    }
    for (std::uint32_t k = 0; k < kSteps; ++k) {
      for (std::uint32_t i = 0; i < kCount; ++i) {
        states[i] = table_.known_step(states[i], codes[i][k]);
        after[k + 1][i] = states[i];
      }
    }
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::uint32_t length = rows_.length(first + i);
      const std::uint32_t left = length > step ? length - step : 0;
      states[i] = after[std::min(left, kSteps)][i];
    }
  }

  const CodeTable& table_;
  const CodeRows& rows_;
};

/// If fewer than one row in 16 is alive, looking at each of them is faster than sweeping all.
constexpr std::uint64_t kLeastAlive = 16;

/// Chooses for each call: a sweep, rows one by one, or lanes.
class TokenTest final : public StringTest::TokenAutomaton {
 public:
  TokenTest(std::shared_ptr<const TokenPlan> plan, const TokenDictionary& tokens,
            std::shared_ptr<const RowTest> test)
      : plan_(std::move(plan)), tokens_(tokens), test_(std::move(test)) {
    if (plan_->automaton != nullptr) table_.emplace(*plan_->automaton, tokens, plan_->backwards);
    if (table_ && !table_->has_memory()) table_.reset();
    const std::size_t rarest = plan_->rarest.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < plan_->clauses.size(); ++i) {
      const bool wanted = rarest == TokenPlan::kUndecided || rarest == i;
      if (wanted) sweeps_.push_back({CodeSweep(tokens, plan_->clauses[i]), i});
    }
  }

  void find(const std::uint16_t* codes, const std::uint32_t* begins, std::uint32_t rows,
            const std::uint64_t* alive, std::uint64_t* bits) const override {
    if (rows == 0) return;
    const CodeRows given{codes, begins, rows};
    if (few_are_alive(rows, alive, kLeastAlive)) return read_rows(given, alive, bits);
    const CodeSweep* const sweep = best_sweep(given);
    if (sweep != nullptr) return sweep_rows(*sweep, given, alive, bits);
    if (!table_ || plan_->backwards) return read_rows(given, alive, bits);
    rows_end_early(given) ? read_rows(given, alive, bits) : read_lanes(given, alive, bits);
  }

 private:
  /// A sweep and the number of its clause in the plan.
  struct NumberedSweep {
    CodeSweep sweep;
    std::size_t number = 0;  ///< the number of the plan's clause that it sweeps for
  };

  // --- Row by row ----------------------------------------------------------------------------

  /// One row, whatever the plan has.
  bool matches(const CodeRows& rows, std::uint32_t row) const {
    if (!table_) return matches_decoded(rows, row);
    return plan_->backwards ? read_row<true>(rows, row) : read_row<false>(rows, row);
  }

  /// Reads one row until it is decided.
  template <bool kBackwards>
  bool read_row(const CodeRows& rows, std::uint32_t row) const {
    const std::uint32_t begin = rows.begins[row];
    const std::uint32_t end = rows.begins[row + 1];
    State state = table_->start();
    for (std::uint32_t i = begin; i < end; ++i) {
      state = table_->step(state, rows.codes[kBackwards ? begin + end - 1 - i : i]);
      if (table_->is_decided(state)) break;
    }
    return table_->matches(state);
  }

  /// Decodes the row and asks the test of strings.
  bool matches_decoded(const CodeRows& rows, std::uint32_t row) const {
    std::vector<Byte> text;
    for (std::uint32_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i) {
      const Bytes token = tokens_.token(rows.codes[i]);
      text.insert(text.end(), token.begin(), token.end());
    }
    return test_->matches(text);
  }

  /// All live rows, one by one.
  void read_rows(const CodeRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const {
    const auto run = [&](const auto& test) { test_rows(rows.rows, alive, bits, test); };
    if (!table_) return run([&](std::uint32_t row) { return matches_decoded(rows, row); });
    if (plan_->backwards) return run([&](std::uint32_t row) { return read_row<true>(rows, row); });
    run([&](std::uint32_t row) { return read_row<false>(rows, row); });
  }

  /// Whether the automaton needs less than half of the codes, judged by a sample of the first rows.
  bool rows_end_early(const CodeRows& rows) const {
    const std::uint32_t sample = std::min(rows.rows, std::clamp(rows.rows / 32, 16u, 256u));
    std::uint32_t steps = 0;
    for (std::uint32_t row = 0; row < sample; ++row) {
      State state = table_->start();
      for (std::uint32_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i) {
        state = table_->step(state, rows.codes[i]);
        ++steps;
        if (table_->is_decided(state)) break;
      }
    }
    return 2 * steps < rows.begins[sample] - rows.begins[0];
  }

  /// All live rows, eight at a time; words with few live rows are read row by row.
  void read_lanes(const CodeRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const {
    constexpr std::uint32_t kFewRows = 16;
    const Lanes lanes(*table_, rows);
    for (std::size_t word = 0; word < (std::size_t{rows.rows} + 63) / 64; ++word) {
      const std::uint64_t live = live_rows(rows.rows, word, alive);
      const auto first = static_cast<std::uint32_t>(64 * word);
      std::uint64_t left = live;
      std::uint64_t found = 0;
      const bool many = ones_of(live) > kFewRows;
      for (std::uint32_t i = 0; i < 64 && many; i += Lanes::kCount) {
        const Lanes::Answers answers = lanes.run(first + i);
        found |= std::uint64_t{answers.matches} << i;
        left &= ~(std::uint64_t{answers.known} << i);
      }
      for (; left != 0; left &= left - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
        found |= static_cast<std::uint64_t>(matches(rows, first + i)) << i;
      }
      bits[word] = found & live;
    }
  }

  // --- Swept -----------------------------------------------------------------------------------

  /// Returns the sweep with the fewest hits in a sample of the codes; nullptr if there is none, or
  /// if none has few enough for sweeping to pay.
  const CodeSweep* best_sweep(const CodeRows& rows) const {
    constexpr std::size_t kSample = 4096;
    constexpr std::size_t kMostFound = 24;  ///< one hit for this number of codes
    if (sweeps_.empty()) return nullptr;
    const std::uint16_t* const codes = rows.codes + rows.begins[0];
    const std::size_t all = rows.begins[rows.rows] - rows.begins[0];
    // An eighth of the codes is enough; for the few rows of a vector more would not pay.
    const std::size_t count = std::min({kSample, std::max<std::size_t>(all / 8, 256), all});
    const NumberedSweep* best = nullptr;
    std::size_t fewest = ~std::size_t{0};
    for (const NumberedSweep& numbered : sweeps_) {
      const std::size_t found = places_in(numbered.sweep, codes, count);
      if (found < fewest) best = &numbered;
      fewest = std::min(fewest, found);
    }
    if (count == kSample) plan_->rarest.store(best->number, std::memory_order_relaxed);
    const bool too_many = table_ && fewest > count / kMostFound;
    return too_many ? nullptr : &best->sweep;
  }

  /// The number of hits among the first `count` codes.
  static std::size_t places_in(const CodeSweep& sweep, const std::uint16_t* codes,
                               std::size_t count) {
    CodeSweep::Places places;
    std::size_t found = 0;
    for (std::size_t from = 0; from < count;) {
      from = sweep.find(codes, from, count, places);
      found += places.count;
    }
    return found;
  }

  /// Tests the rows with a hit, each once.
  void sweep_rows(const CodeSweep& sweep, const CodeRows& rows, const std::uint64_t* alive,
                  std::uint64_t* bits) const {
    const std::uint32_t begin = rows.begins[0];
    const std::size_t count = rows.begins[rows.rows] - begin;
    RisingBits found(rows.rows, bits);
    RowCursor<std::uint32_t> cursor(rows.begins, rows.rows);
    std::size_t decided = 0;  // codes before it belong to rows that are
    CodeSweep::Places places;
    for (std::size_t from = 0; from < count;) {
      from = sweep.find(rows.codes + begin, from, count, places);
      for (std::size_t i = 0; i < places.count; ++i) {
        const CodeSweep::Place place = places.places[i];
        if (place.at < decided) continue;
        const std::uint32_t row = cursor.row_of(static_cast<std::uint32_t>(place.at) + begin);
        const bool known = plan_->literal_is_all && place.whole;
        decided = rows.begins[row + 1] - begin;
        if (is_alive(alive, row) && (known || matches(rows, row))) found.set(row);
      }
    }
    found.finish();
  }

  std::shared_ptr<const TokenPlan> plan_;
  const TokenDictionary& tokens_;
  std::shared_ptr<const RowTest> test_;
  std::optional<CodeTable> table_;
  std::vector<NumberedSweep> sweeps_;
};

}  // namespace

std::unique_ptr<const StringTest::TokenAutomaton> make_token_test(
    std::shared_ptr<const TokenPlan> plan, const TokenDictionary& tokens,
    std::shared_ptr<const RowTest> test) {
  return std::make_unique<TokenTest>(std::move(plan), tokens, std::move(test));
}

}  // namespace presso::query
