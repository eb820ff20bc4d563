// SPDX-License-Identifier: MIT
// Implements join_table.h, the index of a join's build side: chooses the strategy (strategies.h)
// and holds what all tables have in common: facts of keys, the check of memory, and masking of null
// keys. The thresholds were measured, see NOTES.md, "Which strategy".
#include "query/join/join_table.h"

#include <cstdio>

#include "format/threads/parallel.h"
#include "query/join/strategies.h"

namespace presso::query::join {
namespace {

/// kDirect is chosen if the range of keys has at most kPlacesPerKey places for each key, or at most
/// kFewPlaces (4 MB) in all.
constexpr std::uint64_t kPlacesPerKey = 16;
constexpr std::uint64_t kFewPlaces = std::uint64_t{1} << 20;

/// The two functions of a strategy.
struct Strategy {
  BuildResult (*build)(const BuildInput& input);
  JoinMemory (*predict)(const JoinTablePlan& plan, const JoinKeyFacts& facts);
};

/// kAuto must have been replaced by a strategy.
Strategy functions_of(JoinStrategy strategy) {
  switch (strategy) {
    case JoinStrategy::kMerge:
      return {build_merge, predict_merge};
    case JoinStrategy::kDirect:
      return {build_direct, predict_direct};
    default:
      return {build_unchained, predict_unchained};
  }
}

/// Decimal megabytes or gigabytes with one digit, for messages.
std::string megabytes(std::uint64_t bytes) {
  char text[40];
  const double value = static_cast<double>(bytes);
  if (bytes < 999'950'000) {
    std::snprintf(text, sizeof(text), "%.1f MB", value / 1e6);
  } else {
    std::snprintf(text, sizeof(text), "%.1f GB", value / 1e9);
  }
  return text;
}

/// A copy of the plan with another strategy.
JoinTablePlan with_strategy(const JoinTablePlan& plan, JoinStrategy strategy) {
  JoinTablePlan result = plan;
  result.strategy = strategy;
  return result;
}

/// Whether the strategy's peak memory is within the plan's limit.
bool fits(const JoinTablePlan& plan, JoinStrategy strategy, const JoinKeyFacts& facts) {
  return functions_of(strategy).predict(with_strategy(plan, strategy), facts).needed() <=
         plan.memory_bytes;
}

/// Whether keys are dense enough for an array; the difference of the extremes may be up to 2^64 -
/// 1.
bool suits_direct(const JoinKeyFacts& facts) {
  const std::uint64_t span = facts.greatest - facts.least;
  return span < kFewPlaces || span / kPlacesPerKey < facts.keys;
}

/// Facts of a range of rows; those of consecutive ranges can be combined.
struct RangeFacts {
  std::uint64_t keys = 0;
  std::uint64_t first = 0;  ///< the first key of the range
  std::uint64_t last = 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t greatest = 0;
  bool ascending = true;
  bool strictly = true;  ///< no key equals the one before it
};

/// One pass over the keys of a range.
RangeFacts facts_of_range(const BuildKeys& keys, std::uint64_t begin, std::uint64_t end) {
  RangeFacts facts;
  for_each_key(keys, begin, end, [&](std::uint64_t key, std::uint32_t) {
    if (facts.keys++ == 0) {
      facts.first = key;
    } else {
      facts.ascending &= key >= facts.last;
      facts.strictly &= key > facts.last;
    }
    facts.last = key;
    facts.least = std::min(facts.least, key);
    facts.greatest = std::max(facts.greatest, key);
  });
  return facts;
}

/// Adds the facts of the range that follows.
void append_range(RangeFacts& facts, const RangeFacts& next) {
  if (next.keys == 0) return;
  if (facts.keys == 0) {
    facts = next;
    return;
  }
  facts.ascending = facts.ascending && next.ascending && facts.last <= next.first;
  facts.strictly = facts.strictly && next.strictly && facts.last < next.first;
  facts.keys += next.keys;
  facts.last = next.last;
  facts.least = std::min(facts.least, next.least);
  facts.greatest = std::max(facts.greatest, next.greatest);
}

/// Keys that are null find nothing, whatever stood in their place.
void clear_nulls(const std::uint64_t* validity, std::vector<std::uint32_t>& count) {
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (!has_bit(validity, i)) count[i] = 0;
  }
}

}  // namespace

std::uint64_t JoinMemory::needed() const {
  std::uint64_t sum = 0;
  for (const JoinBuffer& buffer : buffers) sum += buffer.bytes;
  return sum;
}

std::uint64_t JoinMemory::kept() const {
  std::uint64_t sum = 0;
  for (const JoinBuffer& buffer : buffers) sum += buffer.kept ? buffer.bytes : 0;
  return sum;
}

std::string JoinMemory::text() const {
  std::string text;
  for (const JoinBuffer& buffer : buffers) {
    if (!text.empty()) text += ", ";
    text += std::string(buffer.name) + " " + megabytes(buffer.bytes);
    if (!buffer.kept) text += " for building";
  }
  return text;
}

Status check_memory(const JoinTablePlan& plan, const JoinMemory& memory) {
  if (memory.needed() <= plan.memory_bytes) return {};
  return make_error(ErrorCode::kOutOfMemory,
                    "the table of a join needs " + megabytes(memory.needed()) + " (" +
                        memory.text() + "), " + megabytes(plan.memory_bytes) + " are allowed");
}

Result<JoinKeyFacts> facts_of(const BuildKeys& keys, unsigned threads) {
  constexpr std::uint64_t kRowsForAThread = 16'384;
  const std::uint64_t rows = keys.keys.size();
  const std::uint64_t parts = std::min<std::uint64_t>(threads, rows / kRowsForAThread + 1);
  std::vector<RangeFacts> ranges(parts);
  PRESSO_TRY(
      for_each_in_parallel(parts, static_cast<unsigned>(parts), [&](std::size_t i, unsigned) {
        ranges[i] =
            facts_of_range(keys, part_begin(rows, i, parts), part_begin(rows, i + 1, parts));
        return Status();
      }));
  RangeFacts all;
  for (const RangeFacts& range : ranges) append_range(all, range);
  if (all.keys == 0) all.least = 0;
  return JoinKeyFacts{rows, all.keys, all.least, all.greatest, all.ascending, all.strictly};
}

/// The order of the tests matters: asking whether probe keys ascend reads the other table's
/// directories, so it comes last. Merging is also the way out where only it fits into memory, as it
/// takes a third of the unchained table.
JoinStrategy JoinTable::choose(const JoinTablePlan& plan, const JoinKeyFacts& facts) {
  if (plan.strategy != JoinStrategy::kAuto) return plan.strategy;
  if (suits_direct(facts) && fits(plan, JoinStrategy::kDirect, facts)) return JoinStrategy::kDirect;
  const bool merges = facts.ascending && fits(plan, JoinStrategy::kMerge, facts);
  if (merges && plan.probes_ascend && plan.probes_ascend()) return JoinStrategy::kMerge;
  if (fits(plan, JoinStrategy::kUnchained, facts)) return JoinStrategy::kUnchained;
  return merges ? JoinStrategy::kMerge : JoinStrategy::kUnchained;
}

JoinMemory JoinTable::predict(const JoinTablePlan& plan, const JoinKeyFacts& facts) {
  const JoinStrategy strategy = choose(plan, facts);
  return functions_of(strategy).predict(with_strategy(plan, strategy), facts);
}

Result<std::unique_ptr<JoinTable>> JoinTable::build(const JoinTablePlan& plan,
                                                    const BuildKeys& keys) {
  if (keys.keys.size() >= kMostBuildRows) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the build side of a join has more than 2^32 - 3 rows");
  }
  return without_bad_alloc([&]() -> BuildResult {
    JoinTablePlan chosen = plan;
    chosen.threads = std::max(1u, plan.threads);
    PRESSO_ASSIGN(const JoinKeyFacts facts, facts_of(keys, chosen.threads));
    chosen.strategy = choose(plan, facts);
    return functions_of(chosen.strategy).build({chosen, keys, facts});
  });
}

/// Null keys are looked up like all others, and their counts are cleared afterwards, so that no
/// strategy has to test for them.
Status JoinTable::find(std::span<const std::uint64_t> keys, const std::uint64_t* validity,
                       Found& found) const {
  return without_bad_alloc([&]() -> Status {
    found.first.resize(keys.size());
    found.count.resize(keys.size());
    found.rows = nullptr;
    find_keys(keys, found);
    if (validity != nullptr) clear_nulls(validity, found.count);
    found.pairs = 0;
    for (const std::uint32_t count : found.count) found.pairs += count;
    return {};
  });
}

std::string JoinTable::describe() const {
  std::string text(name());
  const std::string more = details();
  if (!more.empty()) text += ", " + more;
  text += ", " + std::to_string(facts_.keys) + (facts_.keys == 1 ? " row" : " rows");
  return text + (facts_.unique ? ", unique keys" : "");
}

}  // namespace presso::query::join
