// SPDX-License-Identifier: MIT
// Implements group_rows.h. kInvalidArgument for a group with a key outside of its column's range.
#include "query/gpu/table/group_rows.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "format/threads/parallel.h"
#include "query/gpu/kernels/node_width.h"
#include "query/group/group_output.h"
#include "query/group/long_sum.h"
#include "query/group/ratio.h"

namespace presso::gpu {
namespace {

using query::AggregateKind;
using query::Int128;
using query::Physical;
using query::RowStore;
using query::grouping::ResultColumn;

/// Of records that a thread writes at a time.
constexpr std::size_t kPortion = 1 << 15;
/// Sums of limbs have 64 bits, and each stands 32 above the one before.
constexpr std::size_t kLimbsOfInt128 = 3;

/// A group, as GroupList has it.
class Record {
 public:
  Record(const std::uint64_t* words, std::size_t count) : words_(words), last_(count - 1) {}
  std::uint64_t first_row() const { return words_[0]; }
  std::uint64_t cell(std::size_t i) const { return words_[kGroupCells + i]; }
  /// Of merged groups: how many values each has.
  std::uint64_t distinct_values() const { return words_[last_ - 1]; }
  std::uint64_t number() const { return words_[last_]; }

 private:
  const std::uint64_t* words_;
  std::size_t last_;
};

Error key_is_outside() {
  return make_error(ErrorCode::kInvalidArgument, "a key is outside of its column's range");
}

/// Whether the number of a group is one that keys may have; 0: all numbers are keys.
bool has_keys(const PipelineBuilder& builder, const Record& group) {
  return builder.groups() == 0 || builder.number_of_key(group.number()) < builder.groups();
}

/// A key's value in a group, nothing where it is null; of strings their number.
std::optional<std::int64_t> key_value(const PipelineBuilder& builder, const RowKeys& row_keys,
                                      std::size_t i, const Record& group) {
  const PipelineBuilder::Key& key = builder.keys()[i];
  const std::uint64_t number_of_key = builder.number_of_key(group.number());
  if (key.of_row) {
    const StageUse& use = builder.stages()[*builder.row_stage()];
    const std::int64_t value = row_keys[i][number_of_key / builder.row_stride()];
    return value == use.columns[*key.of_row].null_value ? std::nullopt : std::optional(value);
  }
  if (key.values == 0) {
    const auto number = static_cast<std::int64_t>(group.number());
    const bool is_null = key.is_real && key.nullable && number == kNullReal;
    return is_null ? std::nullopt : std::optional(number);
  }
  const std::uint64_t value = number_of_key / key.stride % key.values;
  if (key.nullable && value == key.values - 1) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(key.least) + value);
}

/// Rows of an answer from the cells of groups.
class GroupTable {
 public:
  GroupTable(const PipelineBuilder& builder, const query::Execution& execution,
             const query::GroupInput& input, const FoundGroups& from)
      : builder_(builder),
        threads_(execution.threads),
        bound_(execution.query),
        input_(input),
        from_(from),
        ranks_(builder.order_limit(), count_of(from.records)) {
    find_order();
  }

  Result<RowStore> make() {
    std::vector<Physical> physical;
    for (const PipelineBuilder::Key& key : builder_.keys()) {
      physical.push_back(key.is_string() ? Physical::kString
                         : key.is_real   ? Physical::kDouble
                         : key.is_truth  ? Physical::kBool
                                         : Physical::kInt64);
    }
    for (const query::AggregateSpec& spec : input_.plan().aggregates) {
      physical.push_back(physical_of(spec));
    }
    RowStore rows(physical);
    rows.resize_unset(bound_.keys.empty() ? 1 : count_of(from_.records));
    for (std::size_t i = 0; i < physical.size(); ++i) {
      columns_.push_back({rows.values(i), rows.validity(i)});
    }
    copy_strings(rows);
    if (bound_.keys.empty()) {
      write_aggregates(the_group(), 0);
    } else {
      PRESSO_TRY(for_each_in_parallel(portions_.size(), threads_, [this](std::size_t i, unsigned) {
        return write_portion(portions_[i]);
      }));
    }
    rows.drop_idle_validity();
    return rows;
  }

 private:
  struct Portion {
    std::size_t piece;
    std::size_t first;
    std::size_t count;
  };

  static Physical physical_of(const query::AggregateSpec& spec) {
    const bool counts = spec.kind == AggregateKind::kCountRows ||
                        spec.kind == AggregateKind::kCount ||
                        spec.kind == AggregateKind::kCountDistinct;
    const bool is_real = spec.argument == Physical::kDouble && !counts;
    if (is_real || spec.kind == AggregateKind::kAverage) return Physical::kDouble;
    return spec.kind == AggregateKind::kSum ? Physical::kInt128 : Physical::kInt64;
  }

  static std::uint64_t count_of(const GroupRecords& records) {
    std::uint64_t count = 0;
    for (const auto& piece : records.pieces) count += piece.size() / records.words;
    return count;
  }

  Record record(std::size_t piece, std::size_t i) const {
    return {from_.records.pieces[piece].data() + i * from_.records.words, from_.records.words};
  }
  /// All rows, where there are no keys.
  Record the_group() const {
    static constexpr std::uint64_t kNothing[1] = {};
    return from_.records.pieces.empty() ? Record(kNothing, 1) : record(0, 0);
  }

  void find_order() {
    std::vector<std::uint64_t> first_rows;
    for (std::size_t piece = 0; piece < from_.records.pieces.size(); ++piece) {
      const std::size_t count = from_.records.pieces[piece].size() / from_.records.words;
      for (std::size_t first = 0; first < count; first += kPortion) {
        portions_.push_back({piece, first, std::min(kPortion, count - first)});
        get_first_rows(portions_.back(), first_rows);
        ranks_.add(first_rows);
      }
    }
    ranks_.finish();
  }

  void get_first_rows(const Portion& portion, std::vector<std::uint64_t>& to) const {
    to.resize(portion.count);
    for (std::size_t i = 0; i < portion.count; ++i) {
      to[i] = record(portion.piece, portion.first + i).first_row();
    }
  }

  Status write_portion(const Portion& portion) const {
    std::vector<std::uint64_t> rows;
    get_first_rows(portion, rows);
    ranks_.rank(rows.data(), static_cast<std::uint32_t>(rows.size()), rows.data());
    for (std::size_t i = 0; i < portion.count; ++i) {
      const Record group = record(portion.piece, portion.first + i);
      if (!has_keys(builder_, group)) return key_is_outside();
      for (std::size_t key = 0; key < bound_.keys.size(); ++key) write_key(key, group, rows[i]);
      write_aggregates(group, rows[i]);
    }
    return {};
  }

  void write_key(std::size_t i, const Record& group, std::uint64_t row) const {
    const auto value = key_value(builder_, from_.row_keys, i, group);
    if (!value) columns_[i].set_null(row);
    Byte* const to = columns_[i].values;
    const PipelineBuilder::Key& key = builder_.keys()[i];
    if (key.is_truth) return store(to + row, static_cast<Byte>(value.value_or(0)));
    if (!key.is_string()) return store(to + 8 * row, value.value_or(0));
    query::StringRef string;
    if (value) {
      string = key.strings != nullptr ? from_.strings[i].at(static_cast<std::uint32_t>(*value))
                                      : strings_[i][static_cast<std::size_t>(*value)];
    }
    reinterpret_cast<query::StringRef*>(to)[row] = string;
  }

  void copy_strings(RowStore& rows) {
    strings_.resize(builder_.keys().size());
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      const query::KeyCodes* const codes = builder_.keys()[i].codes;
      if (codes == nullptr) continue;
      const auto arena = std::make_shared<query::StringArena>();
      strings_[i] = copied_strings(*codes, *arena);
      rows.keep(arena);
    }
    if (from_.arena != nullptr) rows.keep(from_.arena);
  }

  std::uint64_t row_count(const Record& group) const {
    // One row is the answer where there are no keys, also if no row has matched.
    if (!builder_.has_groups() || bound_.keys.empty()) return from_.matched;
    return builder_.row_count() ? group.cell(*builder_.row_count()) : 1;
  }

  static Int128 sum_of(const CellsOfAggregate& of, const Record& group) {
    if (!of.limbs.empty()) return sum_of_pieces(of, group);
    const std::uint64_t low = group.cell(*of.low);
    if (!of.high) return static_cast<std::int64_t>(low);
    return (Int128{static_cast<std::int64_t>(group.cell(*of.high))} << 32) +
           static_cast<Int128>(low);
  }

  /// Of integers in pieces of kShortBits: the last one is signed.
  static Int128 sum_of_pieces(const CellsOfAggregate& of, const Record& group) {
    Int128 sum = static_cast<std::int64_t>(group.cell(of.limbs.back()));
    for (std::size_t i = of.limbs.size() - 1; i-- > 0;) {
      sum = sum * (Int128{1} << kShortBits) + static_cast<Int128>(group.cell(of.limbs[i]));
    }
    return sum;
  }

  /// The sum of doubles, divided and rounded once, as DoubleSumState does it.
  static double real_sum_of(const CellsOfAggregate& of, const Record& group,
                            std::uint64_t divisor) {
    const std::uint64_t specials = group.cell(*of.specials);
    const bool has_minus = of.plus ? specials != 0 : specials >= kSpecialMinus;
    const bool has_plus = of.plus ? group.cell(*of.plus) != 0 : specials % kSpecialMinus != 0;
    if (has_minus && has_plus) return std::numeric_limits<double>::quiet_NaN();
    if (has_minus || has_plus) {
      constexpr double kInfinite = std::numeric_limits<double>::infinity();
      return has_minus ? -kInfinite : kInfinite;
    }
    const auto limb = [&](std::size_t i) {
      return Int128{static_cast<std::int64_t>(group.cell(of.limbs[i]))};
    };
    constexpr int kLongBits = 32;  // allow(bare-32): bits of a word
    const int limb_bits = of.plus ? int{kShortBits} : kLongBits;
    if (of.limbs.size() > kLimbsOfInt128) {
      query::grouping::LongSum sum;
      for (std::size_t i = 0; i < of.limbs.size(); ++i) {
        sum.add(limb(i), of.unit + limb_bits * static_cast<int>(i));
      }
      return sum.divided_by(divisor);
    }
    Int128 units = 0;
    for (std::size_t i = of.limbs.size(); i-- > 0;) {
      units = units * (Int128{1} << limb_bits) + limb(i);
    }
    query::grouping::WideSum sum;
    sum.add(units);
    return query::grouping::average_rounded(sum, 0, divisor, of.unit);
  }

  /// The double that a cell in the order of doubles stands for.
  static std::uint64_t real_of_order(std::uint64_t order) {
    constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
    return (order & kTopBit) != 0 ? order ^ kTopBit : ~order;
  }

  void write_aggregates(const Record& group, std::uint64_t row) const {
    const std::uint64_t rows = row_count(group);
    for (std::size_t i = 0; i < bound_.aggregates.size(); ++i) {
      if (builder_.choice().gives(bound_.aggregates[i])) write_aggregate(i, group, rows, row);
    }
  }

  void write_real(std::size_t i, const Record& group, std::uint64_t count,
                  std::uint64_t row) const {
    const ResultColumn& to = columns_[bound_.keys.size() + i];
    const CellsOfAggregate& of = builder_.aggregates()[i];
    const AggregateKind kind = input_.plan().aggregates[i].kind;
    std::uint64_t bits = 0;
    if (count == 0) {
      to.set_null(row);
    } else if (of.specials) {
      const std::uint64_t divisor = kind == AggregateKind::kAverage ? count : 1;
      bits = std::bit_cast<std::uint64_t>(real_sum_of(of, group, divisor));
    } else {
      bits = real_of_order(group.cell(*of.low));
    }
    store(to.values + 8 * row, bits);
  }

  void write_aggregate(std::size_t i, const Record& group, std::uint64_t rows,
                       std::uint64_t row) const {
    const ResultColumn& to = columns_[bound_.keys.size() + i];
    const CellsOfAggregate& of = builder_.aggregates()[i];
    const query::AggregateSpec& spec = input_.plan().aggregates[i];
    const std::uint64_t count = of.count ? group.cell(*of.count) : rows;
    if (physical_of(spec) == Physical::kDouble && spec.argument == Physical::kDouble) {
      write_real(i, group, count, row);
      return;
    }
    switch (spec.kind) {
      case AggregateKind::kCountRows:
        return store(to.values + 8 * row, rows);
      case AggregateKind::kCount:
        return store(to.values + 8 * row, count);
      case AggregateKind::kCountDistinct:
        return store(to.values + 8 * row, group.distinct_values());
      case AggregateKind::kSum:
        store(to.values + 16 * row, count == 0 ? Int128{0} : sum_of(of, group));
        break;
      case AggregateKind::kAverage: {
        query::grouping::WideSum sum;
        if (count != 0) sum.add(sum_of(of, group));
        store(to.values + 8 * row,
              count == 0 ? 0.0 : query::grouping::average_rounded(sum, spec.scale, count));
        break;
      }
      default:
        store(to.values + 8 * row,
              count == 0 ? std::uint64_t{0} : group.cell(*of.low) ^ (std::uint64_t{1} << 63));
    }
    if (count == 0) to.set_null(row);
  }

  const PipelineBuilder& builder_;
  unsigned threads_;
  const query::BoundQuery& bound_;
  const query::GroupInput& input_;
  const FoundGroups& from_;
  query::grouping::RowRanks ranks_;
  std::vector<Portion> portions_;
  std::vector<ResultColumn> columns_;
  std::vector<std::vector<query::StringRef>> strings_;
};

}  // namespace

std::vector<query::StringRef> copied_strings(const query::KeyCodes& codes,
                                             query::StringArena& arena) {
  std::vector<query::StringRef> strings;
  strings.reserve(codes.count());
  for (std::uint32_t code = 0; code < codes.count(); ++code) {
    strings.push_back(arena.add(codes.string(code).bytes()));
  }
  return strings;
}

Status fetch_strings(const RunSpace& space, const PipelineBuilder& builder, FoundGroups& groups) {
  const GroupRecords& records = groups.records;
  groups.strings.resize(builder.keys().size());
  for (std::size_t i = 0; i < builder.keys().size(); ++i) {
    const KeyStrings* const strings = builder.keys()[i].strings;
    if (strings == nullptr) continue;
    ListedStrings& listed = groups.strings[i];
    listed = ListedStrings(strings->limit());
    for (const auto& piece : records.pieces) {
      for (std::size_t at = 0; at < piece.size(); at += records.words) {
        const Record group(piece.data() + at, records.words);
        if (!has_keys(builder, group)) return key_is_outside();
        const auto value = key_value(builder, groups.row_keys, i, group);
        if (value) listed.want(static_cast<std::uint32_t>(*value));
      }
    }
    if (groups.arena == nullptr) groups.arena = std::make_shared<query::StringArena>();
    PRESSO_TRY(listed.fetch(space, strings->index(), *groups.arena));
  }
  return {};
}

Result<RowStore> rows_of_groups(const PipelineBuilder& builder, const query::Execution& execution,
                                const query::GroupInput& input, const FoundGroups& from) {
  return GroupTable(builder, execution, input, from).make();
}

}  // namespace presso::gpu
