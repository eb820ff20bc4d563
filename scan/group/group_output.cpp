// SPDX-License-Identifier: MIT
// The order of first rows: where first rows are dense among all rows, a bitmap of them is set and
// the place of a group is the number of bits before its own; else they are sorted.
#include "scan/group/group_output.h"

#include <bit>
#include <numeric>

#include "presso/ordered_pipeline.h"

namespace presso::query::grouping {
namespace {

constexpr std::uint32_t kPortion = 16 * kBatchRows;

/// The bitmap's way; false where two groups have one first row, which no input gives.
bool rank_by_bitmap(const Column<std::uint64_t>& first_rows, std::uint64_t greatest,
                    Column<std::uint64_t>& rows) {
  const auto words = static_cast<std::size_t>(greatest / 64 + 1);
  Column<std::uint64_t> bits;
  bits.extend(words);
  for (std::size_t i = 0; i < first_rows.size(); ++i) {
    bits[first_rows[i] / 64] |= std::uint64_t{1} << (first_rows[i] % 64);
  }
  Column<std::uint64_t> before;
  before.extend_unset(words);
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word < words; ++word) {
    before[word] = sum;
    sum += static_cast<unsigned>(std::popcount(bits[word]));
  }
  if (sum != first_rows.size()) return false;
  for (std::size_t i = 0; i < first_rows.size(); ++i) {
    const std::uint64_t below = (std::uint64_t{1} << (first_rows[i] % 64)) - 1;
    const std::size_t word = first_rows[i] / 64;
    rows[i] = before[word] + static_cast<unsigned>(std::popcount(bits[word] & below));
  }
  return true;
}

void rank_by_sorting(const Column<std::uint64_t>& first_rows, Column<std::uint64_t>& rows) {
  std::vector<std::size_t> order(first_rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(first_rows[a], a) < std::pair(first_rows[b], b);
  });
  for (std::size_t i = 0; i < order.size(); ++i) rows[order[i]] = i;
}

/// A part of a piece, which one thread writes.
struct Portion {
  std::size_t piece;
  std::uint32_t first;
  std::uint32_t count;
  std::size_t place;  ///< among all groups
};

template <class Key>
class GroupWriter {
 public:
  GroupWriter(const GroupingPlan& plan, const KeyCoder& coder,
              const std::vector<GroupPiece<Key>>& pieces)
      : plan_(plan), coder_(coder), pieces_(pieces) {}

  Result<RowStore> write(std::vector<std::uint64_t>* first_rows) {
    order();
    prepare(first_rows);
    PRESSO_TRY(for_each_on_threads(plan_.threads, portions_.size(), [&](std::size_t portion) {
      return write_portion(portions_[portion], first_rows);
    }));
    store_.drop_idle_validity();
    return std::move(store_);
  }

 private:
  void order() {
    std::size_t place = 0;
    Column<std::uint64_t> first_rows;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const GroupPiece<Key>& piece = pieces_[i];
      const auto count = static_cast<std::uint32_t>(piece.groups.size());
      first_rows.extend_unset(place + count);
      for (std::uint32_t j = 0; j < count; ++j) {
        first_rows[place + j] = piece.states->first_row(piece.groups[j]);
      }
      for (std::uint32_t first = 0; first < count; first += kPortion) {
        portions_.push_back({i, first, std::min(kPortion, count - first), place + first});
      }
      place += count;
    }
    rows_ = rows_by_first(first_rows);
  }

  void prepare(std::vector<std::uint64_t>* first_rows) {
    std::vector<Physical> columns;
    for (const KeySpec& key : plan_.keys) columns.push_back(key.physical);
    for (const AggregateSpec& spec : plan_.aggregates) columns.push_back(result_of(spec));
    store_ = RowStore(columns);
    store_.resize_unset(rows_.size());
    if (first_rows != nullptr) first_rows->resize(rows_.size());
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

  Status write_portion(const Portion& portion, std::vector<std::uint64_t>* first_rows) const {
    const GroupPiece<Key>& piece = pieces_[portion.piece];
    for (std::uint32_t done = 0; done < portion.count; done += kBatchRows) {
      const std::uint32_t count = std::min(kBatchRows, portion.count - done);
      const GroupList list{piece.groups.data() + portion.first + done, count};
      const std::uint64_t* to = rows_.data() + portion.place + done;
      write_keys(piece, list, to);
      for (std::size_t i = 0; i < plan_.aggregates.size(); ++i) {
        PRESSO_TRY(piece.states->write(i, list, to, out_[plan_.keys.size() + i]));
      }
      if (first_rows == nullptr) continue;
      for (std::uint32_t i = 0; i < count; ++i) {
        (*first_rows)[to[i]] = piece.states->first_row(list.at[i]);
      }
    }
    return {};
  }

  void write_keys(const GroupPiece<Key>& piece, const GroupList& list,
                  const std::uint64_t* to) const {
    std::array<Key, kBatchRows> codes;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      if constexpr (std::is_same_v<Key, std::uint64_t>) {
        if (piece.codes == nullptr) {
          codes[i] = piece.first_code + list.at[i];
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
  Column<std::uint64_t> rows_;
  RowStore store_;
  std::vector<ResultColumn> out_;
};

}  // namespace

Status for_each_on_threads(unsigned threads, std::size_t count,
                           const std::function<Status(std::size_t)>& task) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) PRESSO_TRY(task(i));
    return {};
  }
  std::size_t next = 0;
  return run_ordered<std::size_t, Status>(
      {threads, 0},
      [&]() -> Result<std::optional<std::size_t>> {
        return next == count ? std::nullopt : std::optional(next++);
      },
      [&](std::size_t i, unsigned) { return task(i); },
      [](Status done) -> Result<bool> {
        PRESSO_TRY(std::move(done));
        return true;
      });
}

Column<std::uint64_t> rows_by_first(const Column<std::uint64_t>& first_rows) {
  Column<std::uint64_t> rows;
  rows.extend_unset(first_rows.size());
  if (rows.empty()) return rows;
  const std::uint64_t greatest =
      *std::max_element(first_rows.data(), first_rows.data() + first_rows.size());
  const bool is_dense = greatest / 64 <= 4 * std::uint64_t{first_rows.size()} + 1024;
  if (!is_dense || !rank_by_bitmap(first_rows, greatest, rows)) rank_by_sorting(first_rows, rows);
  return rows;
}

template <class Key>
Result<RowStore> write_groups(const GroupingPlan& plan, const KeyCoder& coder,
                              const std::vector<GroupPiece<Key>>& pieces,
                              std::vector<std::uint64_t>* first_rows) {
  return GroupWriter<Key>(plan, coder, pieces).write(first_rows);
}

template Result<RowStore> write_groups(const GroupingPlan&, const KeyCoder&,
                                       const std::vector<GroupPiece<std::uint64_t>>&,
                                       std::vector<std::uint64_t>*);
template Result<RowStore> write_groups(const GroupingPlan&, const KeyCoder&,
                                       const std::vector<GroupPiece<WordPair>>&,
                                       std::vector<std::uint64_t>*);
template Result<RowStore> write_groups(const GroupingPlan&, const KeyCoder&,
                                       const std::vector<GroupPiece<StringRef>>&,
                                       std::vector<std::uint64_t>*);

}  // namespace presso::query::grouping
