// SPDX-License-Identifier: MIT
// Estimates for sets of conditions. SetCounter counts how many rows, vectors and slices of the
// sample fulfil each set; Estimator combines these counts with what the set's subsets lead one to
// expect.
#include "query/plan/joint_shares.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "decompress/table/column_slice.h"
#include "query/rows/row_bits.h"

namespace presso::query {
namespace {

/// The weight of the expectation from smaller sets next to the sample, in vectors or slices.
constexpr double kWeight = 1;

/// How many rows of the sample fulfil a set of conditions, and how many vectors and slices have
/// such a row.
struct Counts {
  double rows = 0;
  double vectors = 0;
  double slices = 0;
};

/// The probability that at least one of `rows` rows is left if each is left with probability
/// `share`: 1 - (1 - share)^rows, computed with log1p and expm1 so that it keeps its precision for
/// small shares.
double any_of(double share, double rows) {
  if (share >= 1) return 1;
  return -std::expm1(rows * std::log1p(-std::max(share, 0.0)));
}

/// The share of rows that fulfil a set, estimated from a sample of `rows` rows of which `counted`
/// do, and from the share `expected` of independent conditions. If the count is within three
/// standard deviations of the expectation, the expectation is corrected with a weight of four rows,
/// since few rows say little; otherwise the sample counts alone.
double combined(double counted, double rows, double expected) {
  constexpr double kRowWeight = 4;
  const double mean = rows * expected;
  const bool is_likely = std::abs(counted - mean) <= 3 * std::sqrt(mean) + 2;
  if (is_likely) return expected * (counted + kRowWeight) / (mean + kRowWeight);
  return counted > 0 ? counted / rows : expected / (1 + mean);
}

/// The shares of one set, and how clustered its rows are.
struct Estimate {
  Left left;
  /// The number of live vectors (slices), divided by the number expected if rows lay anywhere. At
  /// most 1; small if rows lie together.
  double vector_factor = 1;
  double slice_factor = 1;
};

/// Derives the estimate of a set from those of its subsets. No set has a larger share than any of
/// its subsets.
class Estimator {
 public:
  explicit Estimator(const PlannerInput& input) : input_(input) {}

  /// A subset with one condition less, and that condition.
  struct Parent {
    const Estimate* before;
    std::size_t more;
  };
  /// The estimate of a set from `parents`, some or all of its subsets with one condition less, and
  /// from its counts in the sample.
  Estimate after(const std::vector<Parent>& parents, const Counts& counts) const {
    Estimate estimate;
    double expected = 0;
    Left most;
    for (const Parent& parent : parents) {
      const Left& left = parent.before->left;
      expected = std::max(expected, left.rows * input_.selectivities[parent.more]);
      most.rows = std::min(most.rows, left.rows);
      most.vectors = std::min(most.vectors, left.vectors);
      most.slices = std::min(most.slices, left.slices);
      estimate.vector_factor = std::min(estimate.vector_factor, parent.before->vector_factor);
      estimate.slice_factor = std::min(estimate.slice_factor, parent.before->slice_factor);
    }
    Left& left = estimate.left;
    left.rows = expected;
    if (input_.sample.vectors != 0) count_in(counts, estimate);
    left.rows = std::min(left.rows, most.rows);
    left.vectors = std::min(most.vectors, live_vectors(left.rows) * estimate.vector_factor);
    left.slices = std::min(most.slices, any_of(left.rows, kSliceRows) * estimate.slice_factor);
    return estimate;
  }

 private:
  /// The share of vectors that have a live row; min(1, 1024 p) is the thesis' approximation, for
  /// comparison.
  double live_vectors(double share) const {
    return input_.linear_vectors ? std::min(1.0, kBatchRows * share) : any_of(share, kBatchRows);
  }

  /// Corrects rows and clustering of the estimate by what the sample has.
  void count_in(const Counts& counts, Estimate& estimate) const {
    const double vectors = input_.sample.vectors;
    const double slices = static_cast<double>(input_.sample.slice_ends.size());
    const double rows = kBatchRows * vectors;
    const double expected = estimate.left.rows;
    const double seen = counts.rows / rows;
    estimate.left.rows = combined(counts.rows, rows, expected);
    const auto lean = [](double& factor, double counted, double anywhere) {
      factor = std::min(1.0, (counted + kWeight * factor) / (anywhere + kWeight));
    };
    lean(estimate.vector_factor, counts.vectors, vectors * any_of(seen, kBatchRows));
    lean(estimate.slice_factor, counts.slices, slices * any_of(seen, rows / slices));
  }

  const PlannerInput& input_;
};

/// Transposes a matrix of 8 x 8 bits: bit i of byte k becomes bit k of byte i (Warren, Hacker's
/// Delight, section 7-3).
std::uint64_t transposed(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAu;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCu;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0u;
  return x ^ t ^ (t << 28);
}

/// Counts for all 2^n sets of conditions. Each row fulfils one greatest set and all subsets of it;
/// so rows are counted by their greatest set, and the counts are then summed over supersets, one
/// condition at a time: O(rows + n 2^n) in place of O(rows 2^n).
class SetCounter {
 public:
  explicit SetCounter(const ConditionSample& sample)
      : sample_(sample),
        conditions_(sample.bits.size()),
        sets_(std::size_t{1} << conditions_),
        rows_(sets_),
        counts_(sets_),
        in_vector_((sets_ + 63) / 64),
        in_slice_(in_vector_.size()) {}

  /// Walks the sample slice by slice; each slice's sets are those of its vectors together.
  std::vector<Counts> count() {
    std::uint32_t vector = 0;
    for (const std::uint32_t end : sample_.slice_ends) {
      std::fill(in_slice_.begin(), in_slice_.end(), 0);
      for (; vector < end; ++vector) count_vector(vector);
      for_each_set(in_slice_, [&](std::size_t set) { ++counts_[set].slices; });
    }
    for (std::size_t i = 0; i < conditions_; ++i) {
      for (std::size_t set = 0; set < sets_; ++set) {
        if ((set >> i & 1) == 0) rows_[set] += rows_[set | std::size_t{1} << i];
      }
    }
    for (std::size_t set = 0; set < sets_; ++set) counts_[set].rows = rows_[set];
    return std::move(counts_);
  }

 private:
  /// Calls `take` for each set whose bit is set in `present`.
  template <class Take>
  void for_each_set(const std::vector<std::uint64_t>& present, const Take& take) const {
    for (std::size_t word = 0; word < present.size(); ++word) {
      for (std::uint64_t rest = present[word]; rest != 0; rest &= rest - 1) {
        take(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  /// Determines the greatest set of each row of a vector, eight rows at a time, and which sets
  /// occur.
  void count_vector(std::uint32_t vector) {
    std::fill(in_vector_.begin(), in_vector_.end(), 0);
    for (std::uint32_t i = 0; i < kBatchWords; ++i) {
      const std::size_t word = std::size_t{vector} * kBatchWords + i;
      for (unsigned byte = 0; byte < 8; ++byte) {
        std::uint64_t low = eight_rows(word, byte, 0);
        std::uint64_t high = conditions_ > 8 ? eight_rows(word, byte, 8) : 0;
        for (int row = 0; row < 8; ++row, low >>= 8, high >>= 8) {
          const std::size_t set = (low & 0xFF) | (high & 0xFF) << 8;
          ++rows_[set];
          in_vector_[set / 64] |= std::uint64_t{1} << (set % 64);
        }
      }
    }
    add_subsets();
    for_each_set(in_vector_, [&](std::size_t set) { ++counts_[set].vectors; });
    for (std::size_t i = 0; i < in_slice_.size(); ++i) in_slice_[i] |= in_vector_[i];
  }

  /// The greatest sets of eight rows, a byte for each row, restricted to the conditions [first,
  /// first + 8).
  std::uint64_t eight_rows(std::size_t word, unsigned byte, std::size_t first) const {
    std::uint64_t bytes = 0;
    for (std::size_t i = first; i < std::min(conditions_, first + 8); ++i) {
      bytes |= (sample_.bits[i][word] >> (8 * byte) & 0xFF) << (8 * (i - first));
    }
    return transposed(bytes);
  }

  /// Adds all subsets of the sets that occur in the vector. Sets are positions in a bit array: for
  /// the first six conditions, dropping one moves bits within a word, and for the others it moves
  /// words.
  void add_subsets() {
    constexpr std::uint64_t kWithout[] = {0x5555555555555555u, 0x3333333333333333u,
                                          0x0F0F0F0F0F0F0F0Fu, 0x00FF00FF00FF00FFu,
                                          0x0000FFFF0000FFFFu, 0x00000000FFFFFFFFu};
    for (std::size_t i = 0; i < conditions_; ++i) {
      for (std::size_t word = 0; word < in_vector_.size(); ++word) {
        if (i < 6) {
          in_vector_[word] |= in_vector_[word] >> (1u << i) & kWithout[i];
        } else if ((word >> (i - 6) & 1) == 0) {
          in_vector_[word] |= in_vector_[word | std::size_t{1} << (i - 6)];
        }
      }
    }
  }

  const ConditionSample& sample_;
  std::size_t conditions_;
  std::size_t sets_;
  /// Rows whose greatest set it is; after count(), rows that fulfil the set.
  std::vector<std::uint32_t> rows_;
  std::vector<Counts> counts_;
  /// One bit for each set: whether a row of the current vector (slice) fulfils it.
  std::vector<std::uint64_t> in_vector_;
  std::vector<std::uint64_t> in_slice_;
};

/// Counts the rows, vectors and slices in which `bits` has a bit.
Counts counts_of(const ConditionSample& sample, const std::vector<std::uint64_t>& bits) {
  Counts counts;
  std::uint32_t vector = 0;
  for (const std::uint32_t end : sample.slice_ends) {
    const double before = counts.rows;
    for (; vector < end; ++vector) {
      const std::uint32_t rows = count_rows(bits.data() + std::size_t{vector} * kBatchWords);
      counts.rows += rows;
      counts.vectors += rows != 0 ? 1 : 0;
    }
    counts.slices += counts.rows > before ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::vector<Left> shares_of_sets(const PlannerInput& input) {
  const std::size_t sets = std::size_t{1} << input.costs.size();
  std::vector<Counts> counts(sets);
  if (input.sample.vectors != 0) counts = SetCounter(input.sample).count();
  const Estimator estimator(input);
  std::vector<Estimate> estimates(sets);
  std::vector<Left> left(sets);
  std::vector<Estimator::Parent> parents;
  for (ConditionSet set = 1; set < sets; ++set) {
    parents.clear();
    for (ConditionSet rest = set; rest != 0; rest &= rest - 1) {
      parents.push_back(
          {&estimates[set & ~(rest & -rest)], static_cast<std::size_t>(std::countr_zero(rest))});
    }
    estimates[set] = estimator.after(parents, counts[set]);
    left[set] = estimates[set].left;
  }
  return left;
}

std::vector<Left> shares_of_prefixes(const PlannerInput& input,
                                     const std::vector<std::size_t>& order) {
  const Estimator estimator(input);
  const std::size_t words = std::size_t{input.sample.vectors} * kBatchWords;
  std::vector<std::uint64_t> bits(words, ~std::uint64_t{0});
  std::vector<Left> left(1);
  Estimate estimate;
  for (const std::size_t condition : order) {
    for (std::size_t i = 0; i < words; ++i) bits[i] &= input.sample.bits[condition][i];
    const Estimate before = estimate;
    estimate = estimator.after({{&before, condition}}, counts_of(input.sample, bits));
    left.push_back(estimate.left);
  }
  return left;
}

}  // namespace presso::query
