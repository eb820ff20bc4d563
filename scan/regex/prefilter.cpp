// SPDX-License-Identifier: MIT
// Estimates candidates by multiplying the frequencies of bytes as if they were independent, which
// is wrong for text but ranks probes well enough. Measured rates, as in class Worth of
// regex_searcher.cpp, correct it while text is read.

#include "scan/regex/prefilter.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <utility>

#include "format/cpu_loops.h"
#include "scan/bytes/byte_frequency.h"
#include "scan/literal/literal_matcher.h"

namespace presso::scan_detail {
namespace {

using ByteSet = std::bitset<256>;
using Clause = RequiredLiterals::Clause;

/// Strings of this size are looked for rather than sets of bytes.
constexpr std::size_t kGoodString = 3;
/// With fewer candidates than this, looking more closely costs more than it saves.
constexpr double kFewCandidates = 1.0 / 4096;
constexpr std::size_t kMostLeading = SequenceProbe::kMaxReach;

/// How often a byte of ordinary text is in the set.
double probability(const ByteSet& set) {
  double sum = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (set.test(byte)) sum += byte_probability(static_cast<Byte>(byte));
  }
  return std::min(sum, 1.0);
}

// --- Strings ----------------------------------------------------------------------------------

std::size_t shortest(const Clause& clause) {
  std::size_t least = ~std::size_t{0};
  for (const std::string& text : clause.any_of) least = std::min(least, text.size());
  return least;
}

/// A clause with how many candidates a byte of text is expected to have.
struct RatedClause {
  const Clause* clause = nullptr;
  double candidates = 1;
};

/// All clauses, the one with the fewest expected candidates first.
std::vector<RatedClause> rated_clauses(const RequiredLiterals& required) {
  std::vector<RatedClause> rated;
  for (const Clause& clause : required.clauses)
    rated.push_back({&clause, expected_candidates(clause)});
  std::stable_sort(rated.begin(), rated.end(), [](const RatedClause& a, const RatedClause& b) {
    return a.candidates < b.candidates;
  });
  return rated;
}

// --- Sets of bytes ----------------------------------------------------------------------------

/// A stretch near the start of a match in which all bytes come from one set.
struct Stretch {
  ByteSet set;
  std::uint32_t offset = 0;
  std::uint32_t run = 1;
  double candidates = 1;
};

/// The stretches of equal sets among the leading bytes of a match.
std::vector<Stretch> stretches_of(const std::vector<ByteSet>& leading) {
  std::vector<Stretch> stretches;
  for (std::uint32_t i = 0; i < leading.size(); ++i) {
    if (!stretches.empty() && stretches.back().set == leading[i]) {
      ++stretches.back().run;
    } else {
      stretches.push_back({leading[i], i, 1, 1});
    }
  }
  for (Stretch& stretch : stretches) {
    stretch.candidates = std::pow(probability(stretch.set), stretch.run);
  }
  return stretches;
}

/// A set of bytes as two nibble tables. A row is the 16 bytes with one high nibble. Equal rows
/// share a bit; if more than 8 different rows exist, the rest share the last bit, which lets more
/// bytes through.
SequenceProbe::Set tables_of(const ByteSet& set) {
  SequenceProbe::Set tables;
  std::vector<std::uint16_t> rows;
  for (unsigned high = 0; high < 16; ++high) {
    std::uint16_t row = 0;
    for (unsigned low = 0; low < 16; ++low) {
      if (set.test(16 * high + low)) row = static_cast<std::uint16_t>(row | (1u << low));
    }
    if (row == 0) continue;
    const auto known = std::find(rows.begin(), rows.end(), row);
    const auto bucket = std::min<std::size_t>(static_cast<std::size_t>(known - rows.begin()), 7);
    if (known == rows.end()) rows.push_back(row);
    const auto bit = static_cast<Byte>(1u << bucket);
    tables.high[high] = static_cast<Byte>(tables.high[high] | bit);
    for (unsigned low = 0; low < 16; ++low) {
      if ((row >> low & 1) != 0) tables.low[low] = static_cast<Byte>(tables.low[low] | bit);
    }
  }
  return tables;
}

/// Adds terms, the rarest first, for as long as they help. Returns the probe and the share of
/// places that are expected to pass it.
std::pair<SequenceProbe, double> plan_sequence(const std::vector<ByteSet>& leading) {
  std::vector<Stretch> stretches = stretches_of(leading);
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const Stretch& a, const Stretch& b) { return a.candidates < b.candidates; });
  SequenceProbe probe;
  std::vector<ByteSet> sets;
  double candidates = 1;
  for (const Stretch& stretch : stretches) {
    if (stretch.candidates > 0.7 || candidates < kFewCandidates) break;
    if (probe.term_count == SequenceProbe::kMaxTerms) break;
    auto set = std::find(sets.begin(), sets.end(), stretch.set);
    if (set == sets.end() && sets.size() == SequenceProbe::kMaxSets) continue;
    const auto number = static_cast<std::uint32_t>(set - sets.begin());
    if (set == sets.end()) {
      probe.sets[sets.size()] = tables_of(stretch.set);
      sets.push_back(stretch.set);
    }
    probe.terms[probe.term_count++] = {number, stretch.offset, stretch.run};
    probe.reach = std::max(probe.reach, stretch.offset + stretch.run - 1);
    candidates *= stretch.candidates;
  }
  probe.set_count = static_cast<std::uint32_t>(sets.size());
  return {probe, candidates};
}

/// The place as a pair probe can compare it: one byte, or all bytes that agree after a mask.
/// nullopt for other sets.
std::optional<PairProbe::Place> place_of(const Stretch& stretch) {
  unsigned bits_of_all = 0xFF;
  unsigned bits_of_any = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (!stretch.set.test(byte)) continue;
    bits_of_all &= byte;
    bits_of_any |= byte;
  }
  const unsigned differing = bits_of_any & ~bits_of_all;
  const bool fits = stretch.set.count() == (std::size_t{1} << std::popcount(differing));
  if (!fits) return std::nullopt;
  return PairProbe::Place{stretch.offset, static_cast<Byte>(~differing),
                          static_cast<Byte>(bits_of_all)};
}

/// The two rarest bytes at the start of a match, which are the cheapest to look for, or nullopt if
/// they are not rare enough.
std::optional<PairProbe> plan_pair(const std::vector<ByteSet>& leading) {
  std::vector<std::pair<double, PairProbe::Place>> places;
  for (Stretch& stretch : stretches_of(leading)) {
    const auto place = place_of(stretch);
    if (place) places.emplace_back(probability(stretch.set), *place);
  }
  if (places.size() < 2) return std::nullopt;
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (places[0].first * places[1].first > kFewCandidates) return std::nullopt;
  return PairProbe{places[0].second, places[1].second};
}

/// The literal engine for the strings of a clause; nullptr if it takes none of them.
std::shared_ptr<const Matcher> matcher_of(const Clause& clause) {
  PatternOptions options;
  options.ignore_case = clause.ignore_ascii_case;
  options.multiline = true;  // of patterns that span lines the strings may hold '\n'
  const std::vector<std::uint32_t> pattern_of(clause.any_of.size(), 0);
  Result<std::shared_ptr<const Matcher>> matcher =
      make_literal_matcher(clause.any_of, pattern_of, options);
  return matcher.ok() ? std::move(*matcher) : nullptr;
}

/// No set, or the best set of strings and, if it is good too, the next best.
std::vector<PrefilterPlan::Literals> plan_strings(const PatternLiterals& literals,
                                                  double candidates_of_sets) {
  std::vector<PrefilterPlan::Literals> plan;
  for (const RatedClause& rated : rated_clauses(literals.required)) {
    const bool good = rated.candidates <= kMostCandidates &&
                      (shortest(*rated.clause) >= kGoodString ||
                       (plan.empty() && rated.candidates <= candidates_of_sets));
    if (!good || plan.size() == 2) break;
    std::shared_ptr<const Matcher> matcher = matcher_of(*rated.clause);
    if (matcher == nullptr) break;
    const bool is_first = rated.clause == literals.required.clauses.data();
    plan.push_back({std::move(matcher), is_first && literals.first_is_prefix});
  }
  return plan;
}

}  // namespace

/// Estimates candidates by the two rarest bytes of each string, as the literal probes look for
/// those.
double expected_candidates(const Clause& clause) {
  double sum = 0;
  for (const std::string& text : clause.any_of) {
    double rarest = 1;
    double second = 1;
    for (const char c : text) {
      double here = byte_probability(static_cast<Byte>(c));
      if (clause.ignore_ascii_case && c >= 'a' && c <= 'z') {
        here += byte_probability(static_cast<Byte>(c - 'a' + 'A'));
      }
      if (here < rarest) std::swap(here, rarest);
      second = std::min(second, here);
    }
    sum += rarest * second;
  }
  return sum;
}

/// Chooses the prefilter that is expected to pass the fewest places: required strings first, then a
/// pair of leading bytes, then a row of byte sets. An empty plan where all would pass too many.
PrefilterPlan plan_prefilter(const PatternLiterals& literals, const Program& program) {
  const std::vector<ByteSet> leading = leading_bytes(program, kMostLeading);
  auto [sequence, candidates] = plan_sequence(leading);
  PrefilterPlan plan;
  plan.literals = plan_strings(literals, candidates);
  if (!plan.literals.empty()) return plan;
  plan.pair = plan_pair(leading);
  if (!plan.pair && candidates <= kMostCandidates && sequence.term_count > 0) {
    plan.sequence = sequence;
  }
  return plan;
}

/// Chooses the sets of strings to look for when matches may span lines; the rarest come first.
SpanningPlan plan_spanning(const PatternLiterals& literals) {
  constexpr std::size_t kMostSets = 6;
  SpanningPlan plan;
  plan.whole = literals.whole;
  const std::vector<RequiredLiterals::Clause>& clauses = literals.required.clauses;
  for (const RatedClause& rated : rated_clauses(literals.required)) {
    if (rated.candidates > kMostCandidates || plan.strings.size() == kMostSets) break;
    std::shared_ptr<const Matcher> matcher = matcher_of(*rated.clause);
    if (matcher == nullptr) continue;
    const auto number = static_cast<std::size_t>(rated.clause - clauses.data());
    plan.strings.push_back({std::move(matcher), literals.before[number]});
  }
  return plan;
}

/// Makes a searcher for each set of strings. The trial decides later which of them leads.
Prefilter::Prefilter(const PrefilterPlan& plan, CpuLevel level)
    : plan_(plan), kernels_(loops_for<Kernels>(level)), trial_(plan.literals.size()) {
  for (const PrefilterPlan::Literals& literals : plan.literals) {
    literals_.push_back(literals.matcher->searcher(level));
  }
}

/// Takes another text. Counts its bytes to the leading set while the trial is not settled.
void Prefilter::start(Bytes text) {
  text_ = text;
  swept_ = 0;
  taken_ = 0;
  batch_.count = 0;
  other_end_ = 0;
  if (!literals_.empty()) {
    if (!is_settled()) choose_leader();
    trial_[leader_].bytes += text.size();
    return literals_[leader_]->start(text);
  }
  const std::size_t reach = plan_.pair
                                ? std::max(plan_.pair->first.offset, plan_.pair->second.offset)
                                : plan_.sequence->reach;
  limit_ = text.size() > reach ? text.size() - reach : 0;
}

/// The next candidate from `from` on, or the text's size. Calls have to ascend within a text.
std::size_t Prefilter::next(std::size_t from) {
  if (literals_.empty()) return next_place(from);
  const std::optional<MatchSpan> found = literals_[leader_]->next(from);
  if (!found) return text_.size();
  ++trial_[leader_].candidates;
  return found->begin;
}

/// With two sets of strings: whether the other one occurs in [begin, end) too, so that a line
/// without it is not read. What was found is kept, as calls ascend.
bool Prefilter::may_match(std::size_t begin, std::size_t end) {
  if (literals_.size() < 2) return true;
  Searcher& other = *literals_[1 - leader_];
  const bool goes_on = end == other_end_ && begin >= other_begin_;
  if (!goes_on) {
    other_begin_ = begin;
    other_end_ = end;
    other.start(text_.subspan(begin, end - begin));
  }
  if (!goes_on || other_at_ < begin) {
    const std::optional<MatchSpan> found = other.next(begin - other_begin_);
    other_at_ = found ? other_begin_ + found->begin : end;
  }
  return other_at_ < end;
}

/// Lets the other set lead once this one has led for long enough; after both, the one with fewer
/// candidates.
void Prefilter::choose_leader() {
  if (trial_[leader_].bytes < kTrialBytes) return;
  ++trials_;
  leader_ = is_settled() && trial_[0].rate() <= trial_[1].rate() ? 0 : 1;
}

/// The next candidate of a kernel, from the batch or from a new sweep.
std::size_t Prefilter::next_place(std::size_t from) {
  for (;;) {
    for (; taken_ < batch_.count; ++taken_) {
      if (batch_.at[taken_] >= from) return batch_.at[taken_];
    }
    swept_ = std::max(swept_, from);
    if (swept_ >= limit_) return text_.size();
    batch_.count = 0;
    taken_ = 0;
    swept_ = sweep(swept_);
  }
}

std::size_t Prefilter::sweep(std::size_t from) {
  const Byte* const text = text_.data();
  if (plan_.pair) return kernels_.find_pairs(*plan_.pair, text, from, limit_, batch_);
  return kernels_.find_sequences(*plan_.sequence, text, from, limit_, batch_);
}

}  // namespace presso::scan_detail
