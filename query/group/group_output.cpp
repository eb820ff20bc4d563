// SPDX-License-Identifier: MIT
// Implements group_output.h, which writes groups as rows of the answer. Writing goes column by
// column, a thousand groups at a time. One thread sets the bitmap of first rows; all threads look
// up ranks and write.
//
// A group's row in the answer is its rank: the number of groups whose first row is before its own.
// So groups come in the order in which they first occur in the input, whatever strategy and threads
// found them, and rows can be written by any thread in any order; groups themselves are never
// sorted.
#include "query/group/group_output.h"

#include "format/cpu_loops.h"
#include "format/threads/parallel.h"
#include "presso/ordered_pipeline.h"

namespace presso::query::grouping {
namespace {

/// Groups that a thread takes at a time: enough work to outweigh handing it out.
constexpr std::uint32_t kPortion = 16 * kBatchRows;

/// A part of a piece that one thread writes.
struct Portion {
  std::size_t piece;
  std::uint32_t first;
  std::uint32_t count;
};

/// Writes the groups of one answer.
template <class Key>
class GroupWriter {
 public:
  GroupWriter(const GroupingPlan& plan, const KeyCoder& coder,
              const std::vector<GroupPiece<Key>>& pieces, std::uint64_t row_limit)
      : plan_(plan), coder_(coder), pieces_(pieces), ranks_(row_limit, total(pieces)) {}

  /// The memory of the finished rows is taken from the budget before anything is made.
  Result<RowStore> write(MemoryBudget& budget, std::vector<std::uint64_t>* first_rows) {
    PRESSO_TRY(budget.take(total(pieces_) * finished_bytes(plan_) + ranks_.bytes()));
    order();
    prepare(first_rows);
    PRESSO_TRY(
        for_each_in_parallel(portions_.size(), plan_.threads, [&](std::size_t portion, unsigned) {
          return write_portion(portions_[portion], first_rows);
        }));
    store_.drop_idle_validity();
    return std::move(store_);
  }

 private:
  static std::uint64_t total(const std::vector<GroupPiece<Key>>& pieces) {
    std::uint64_t groups = 0;
    for (const GroupPiece<Key>& piece : pieces) groups += piece.groups.size();
    return groups;
  }

  /// Collects the first rows of all groups, and cuts pieces into portions.
  void order() {
    std::array<std::uint64_t, kBatchRows> first_rows;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const auto count = static_cast<std::uint32_t>(pieces_[i].groups.size());
      for (std::uint32_t first = 0; first < count; first += kPortion) {
        portions_.push_back({i, first, std::min(kPortion, count - first)});
      }
      for (std::uint32_t first = 0; first < count; first += kBatchRows) {
        const GroupList list{pieces_[i].groups.data() + first, std::min(kBatchRows, count - first)};
        pieces_[i].states->get_first_rows(list, first_rows.data());
        ranks_.add({first_rows.data(), list.count});
      }
    }
    ranks_.finish();
  }

  /// Makes the columns of the answer, with bitmaps only where nulls are possible.
  /// The store keeps every arena to which strings of the answer point, so the pieces may be
  /// released after write().
  void prepare(std::vector<std::uint64_t>* first_rows) {
    std::vector<Physical> columns;
    for (const KeySpec& key : plan_.keys) columns.push_back(key.physical);
    for (const AggregateSpec& spec : plan_.aggregates) columns.push_back(result_of(spec));
    store_ = RowStore(columns);
    store_.resize_unset(total(pieces_));
    if (first_rows != nullptr) first_rows->resize(store_.rows());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool may_be_null =
          i < plan_.keys.size()
              ? plan_.keys[i].nullable
              : !pieces_.empty() && pieces_[0].states->has_nulls(i - plan_.keys.size());
      out_.push_back({store_.values(i), may_be_null ? store_.validity(i) : nullptr});
    }
    for (const GroupPiece<Key>& piece : pieces_) {
      if (piece.arena != nullptr) store_.keep(piece.arena);
      for (std::size_t i = 0; i < plan_.aggregates.size(); ++i) {
        if (auto strings = piece.states->strings(i)) store_.keep(std::move(strings));
      }
    }
  }

  /// Ranks, keys and aggregates of one portion.
  Status write_portion(const Portion& portion, std::vector<std::uint64_t>* first_rows) const {
    const GroupPiece<Key>& piece = pieces_[portion.piece];
    std::array<std::uint64_t, kBatchRows> firsts;
    std::array<std::uint64_t, kBatchRows> rows;
    std::array<std::uint64_t, kBatchRows> counts;
    const std::uint64_t* const to = rows.data();
    for (std::uint32_t done = 0; done < portion.count; done += kBatchRows) {
      const std::uint32_t count = std::min(kBatchRows, portion.count - done);
      const GroupList list{piece.groups.data() + portion.first + done, count};
      piece.states->get_first_rows(list, firsts.data());
      ranks_.rank(firsts.data(), count, rows.data());
      piece.states->get_row_counts(list, counts.data());
      write_keys(piece, list, to);
      for (std::size_t i = 0; i < plan_.aggregates.size(); ++i) {
        PRESSO_TRY(piece.states->write(i, list, counts.data(), to, out_[plan_.keys.size() + i]));
      }
      if (first_rows == nullptr) continue;
      for (std::uint32_t i = 0; i < count; ++i) (*first_rows)[to[i]] = firsts[i];
    }
    return {};
  }

  /// Decodes the codes; without codes the group's number is the code.
  void write_keys(const GroupPiece<Key>& piece, const GroupList& list,
                  const std::uint64_t* to) const {
    std::array<Key, kBatchRows> codes;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      if constexpr (std::is_same_v<Key, std::uint64_t>) {
        if (piece.codes.empty()) {
          codes[i] = list.at[i];
          continue;
        }
      }
      codes[i] = piece.codes[list.at[i]];
    }
    for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
      coder_.decode(i, codes.data(), to, list.count, out_[i].values, [&](std::uint64_t row) {
        const std::size_t width = physical_bytes(plan_.keys[i].physical);
        std::memset(out_[i].values + width * row, 0, width);
        if (out_[i].validity != nullptr) out_[i].set_null(row);
      });
    }
  }

  const GroupingPlan& plan_;
  const KeyCoder& coder_;
  const std::vector<GroupPiece<Key>>& pieces_;
  std::vector<Portion> portions_;
  RowRanks ranks_;
  RowStore store_;
  std::vector<ResultColumn> out_;
};

}  // namespace

/// Counts, besides the row itself, the group's number in GroupPiece::groups and, if the query runs
/// in parts, the number of its first row.
std::uint64_t finished_bytes(const GroupingPlan& plan) {
  std::uint64_t bytes = sizeof(std::uint32_t);  // of GroupPiece::groups
  if (plan.parts > 1) bytes += sizeof(std::uint64_t);
  for (const KeySpec& key : plan.keys) bytes += physical_bytes(key.physical);
  for (const AggregateSpec& spec : plan.aggregates) bytes += physical_bytes(result_of(spec));
  return bytes;
}

/// The bitmap is used if it has at most some 256 bits for each group.
/// Beyond that, clearing and scanning the bitmap costs more than sorting the first rows.
RowRanks::RowRanks(std::uint64_t limit, std::uint64_t groups) {
  if (groups <= 1 || limit / 64 > 4 * groups + 1024) {
    sorted_.reserve(static_cast<std::size_t>(groups));
    return;
  }
  bits_.extend(static_cast<std::size_t>(limit / 64 + 1));
}

/// A first row belongs to one group only, so setting bits counts each group once.
void RowRanks::add(std::span<const std::uint64_t> first_rows) {
  if (bits_.empty()) {
    sorted_.insert(sorted_.end(), first_rows.begin(), first_rows.end());
    return;
  }
  for (const std::uint64_t row : first_rows) bits_[row / 64] |= std::uint64_t{1} << (row % 64);
}

/// before_[w] becomes the number of bits in all words before w.
void RowRanks::finish() {
  std::sort(sorted_.begin(), sorted_.end());
  before_.extend_unset(bits_.size());
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word < bits_.size(); ++word) {
    before_[word] = sum;
    sum += static_cast<unsigned>(__builtin_popcountll(bits_[word]));
  }
}

/// With the bitmap: one look-up and one count of bits for each group. Without it: a binary search.
void RowRanks::rank(const std::uint64_t* first_rows, std::uint32_t count,
                    std::uint64_t* out) const {
  if (!bits_.empty())
    return loops_for<Kernels>().ranks(first_rows, count, bits_.data(), before_.data(), out);
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint64_t>(
        std::lower_bound(sorted_.begin(), sorted_.end(), first_rows[i]) - sorted_.begin());
  }
}

template <class Key>
Result<RowStore> write_groups(const GroupingPlan& plan, const KeyCoder& coder,
                              const std::vector<GroupPiece<Key>>& pieces, std::uint64_t row_limit,
                              MemoryBudget& budget, std::vector<std::uint64_t>* first_rows) {
  return GroupWriter<Key>(plan, coder, pieces, row_limit).write(budget, first_rows);
}

template Result<RowStore> write_groups(const GroupingPlan&, const KeyCoder&,
                                       const std::vector<GroupPiece<std::uint64_t>>&, std::uint64_t,
                                       MemoryBudget&, std::vector<std::uint64_t>*);
template Result<RowStore> write_groups(const GroupingPlan&, const KeyCoder&,
                                       const std::vector<GroupPiece<WordPair>>&, std::uint64_t,
                                       MemoryBudget&, std::vector<std::uint64_t>*);
template Result<RowStore> write_groups(const GroupingPlan&, const KeyCoder&,
                                       const std::vector<GroupPiece<StringRef>>&, std::uint64_t,
                                       MemoryBudget&, std::vector<std::uint64_t>*);

}  // namespace presso::query::grouping
