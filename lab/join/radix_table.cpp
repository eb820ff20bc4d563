// SPDX-License-Identifier: MIT
// kRadix (G8, G14): the product's unchained table made in several levels, until a part fits into
// the second-level cache; probe keys are dealt out in the same way and looked up part by part, and
// what is found is written to their own places. Keys that no bit tells apart stay in one part,
// which may be larger.
#include "lab/join/strategies.h"
#include "query/join/combining_writer.h"
#include "query/join/unchained_table.h"

namespace presso::query::join::lab {
namespace {

/// The number of hash bits that each level of partitioning looks at; their sum is `bits`.
std::vector<unsigned> levels_of(unsigned bits) {
  constexpr unsigned kRadixBits = 6;
  std::vector<unsigned> levels = {std::min(bits, kRadixBits)};
  for (bits -= levels.back(); bits != 0; bits -= levels.back()) {
    levels.push_back(std::min(bits, kRadixBits));
  }
  return levels;
}

/// Splits one part, the tuples of [begin, end), into 2^more parts by the next `more` hash bits.
/// Writes where each of them begins to `begins`.
void split(const Tuple* from, std::uint64_t begin, std::uint64_t end, unsigned bits, unsigned more,
           std::uint64_t* begins, Tuple* to) {
  const std::uint64_t mask = (std::uint64_t{1} << more) - 1;
  const auto part_of_tuple = [&](const Tuple& tuple) {
    return static_cast<std::size_t>(partition_of(hash_word(key_of(tuple)), bits + more) & mask);
  };
  std::vector<std::uint64_t> next(mask + 2);
  for (std::uint64_t i = begin; i < end; ++i) ++next[part_of_tuple(from[i]) + 1];
  next[0] = begin;
  for (std::uint64_t part = 0; part <= mask; ++part) {
    next[part + 1] += next[part];
    begins[part] = next[part];
  }
  CombiningWriter writer(mask + 1, next.data(), to);
  for (std::uint64_t i = begin; i < end; ++i) writer.add(part_of_tuple(from[i]), from[i]);
  writer.finish();
}

/// Splits each of the 2^bits parts of `from` in 2^more, into `to`. Returns the new beginnings.
Result<std::vector<std::uint64_t>> partition_again(const Tuple* from,
                                                   const std::vector<std::uint64_t>& begins,
                                                   unsigned threads, unsigned bits, unsigned more,
                                                   Tuple* to) {
  const std::size_t parts = begins.size() - 1;
  std::vector<std::uint64_t> result((parts << more) + 1);
  PRESSO_TRY(for_each_in_parallel(parts, threads, [&](std::size_t part, unsigned) {
    split(from, begins[part], begins[part + 1], bits, more, result.data() + (part << more), to);
    return Status();
  }));
  result.back() = begins.back();
  return result;
}

class RadixTable final : public UnchainedTable {
 public:
  using UnchainedTable::UnchainedTable;

 protected:
  struct OtherPlaces {
    std::uint32_t* first;
    std::uint32_t* count;
    const std::uint32_t* places;
    std::uint32_t operator[](std::uint32_t i) const { return places[i]; }
  };

  /// Keys are ordered by part in one step: as many parts as there are keys at once are few.
  void find_keys(std::span<const std::uint64_t> keys, Found& any) const override {
    LabFound& found = static_cast<LabFound&>(any);
    const unsigned bits = partition_bits();
    const auto part = [&](std::uint64_t key) {
      return static_cast<std::size_t>(partition_of(hash_word(key), bits));
    };
    found.numbers.assign((std::size_t{1} << bits) + 1, 0);
    for (const std::uint64_t key : keys) ++found.numbers[part(key) + 1];
    for (std::size_t i = 1; i < found.numbers.size(); ++i) found.numbers[i] += found.numbers[i - 1];
    found.words.resize(keys.size());
    found.more_numbers.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t to = found.numbers[part(keys[i])]++;
      found.words[to] = keys[i];
      found.more_numbers[to] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t at = 0; at < keys.size(); at += kUnchainedBatch) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kUnchainedBatch, keys.size() - at));
      const OtherPlaces places{found.first.data(), found.count.data(),
                               found.more_numbers.data() + at};
      find_batch(found.words.data() + at, count, places);
    }
    if (!facts_.unique) found.rows = rows();
  }
  std::string_view name() const override { return "radix"; }

  /// Into `scratch`, by way of words_ where there are more levels.
  Status partition(const BuildInput& input, Column<std::uint32_t>& scratch) override {
    const std::vector<unsigned> levels = levels_of(wanted_bits());
    if (levels.size() % 2 == 0) words_.swap(scratch);
    unsigned bits = levels[0];
    PRESSO_ASSIGN(begins_,
                  partition_keys(input.keys, input.plan.threads, bits, as_tuples(scratch)));
    for (std::size_t level = 1; level < levels.size(); ++level) {
      PRESSO_ASSIGN(begins_, partition_again(as_tuples(scratch), begins_, input.plan.threads, bits,
                                             levels[level], as_tuples(words_)));
      bits += levels[level];
      words_.swap(scratch);
    }
    return {};
  }
};

}  // namespace

BuildResult build_radix(const LabInput& input) {
  PRESSO_TRY(check_memory(input.plan, predict_radix(input.plan, input.facts)));
  const BuildInput inner{input.plan, input.keys, input.facts};
  auto table = std::make_unique<RadixTable>(inner);
  PRESSO_TRY(table->fill(inner));
  return std::unique_ptr<JoinTable>(std::move(table));
}

JoinMemory predict_radix(const Plan& plan, const JoinKeyFacts& facts) {
  return predict_unchained(plan, facts);
}

}  // namespace presso::query::join::lab
