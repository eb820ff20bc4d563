// SPDX-License-Identifier: MIT
// Implements key_columns.h, which makes a request's key columns fit for the kernels of joins. One
// column of keys is used in place. Several columns are packed into one of 4 or 8 bytes: the offset
// of each key from its column's least build key is a digit in mixed radix (choose_factors()). If
// the ranges take more than 64 bits together, columns are first replaced by numbers: a key's number
// is one of the build rows that have this key, found in a table.
//
// Example: two columns with ranges of 2^40 and 2^30 values take 70 bits. With a million build rows
// the first one becomes numbers of 20 bits, and both fit into 50.
//
// Costs: a pass over build columns of unknown range, with a wait for the result; a pass to pack
// each side; for numbers a table of the build side and a look-up for every row. Copies of columns
// and bitmaps are made only where their address does not suit the kernels.
#include "query/gpu/join/key_columns.h"

#include <algorithm>
#include <limits>
#include <string>

#include "query/gpu/join/join_sizes.h"

namespace presso::gpu {
namespace {

constexpr std::uint64_t kMostRows = kNoRow - 1;
constexpr std::uintptr_t kKeyAlignment = 16;  ///< alignment that kernels want of a key column

Error invalid(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

/// Whether an address is a multiple of `alignment`.
bool is_placed(const void* at, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(at) % alignment == 0;
}

Error unsupported_key(std::string what) {
  return make_error(ErrorCode::kUnsupported, std::move(what));
}

/// Checks what can be checked without reading device memory.
Status check_column(const JoinColumn& column, const std::string& side) {
  const KeyTypeFacts type = facts_of(column.type);
  if (type.bytes == 0) return invalid("the " + side + " side has keys of an unknown type");
  if (column.rows > kMostRows) {
    return invalid("the " + side + " side has " + grouped(column.rows) + " rows, and " +
                   grouped(kMostRows) + " is the most");
  }
  if (column.rows > 0 && column.d_keys == nullptr) {
    return invalid("the " + side + " side has " + grouped(column.rows) + " rows and no keys");
  }
  if (!is_placed(column.d_keys, type.bytes)) {
    return invalid("the keys of the " + side + " side are not at a multiple of their " +
                   std::to_string(type.bytes) + " bytes");
  }
  return {};
}

/// All columns of a side have the same number of rows.
Status check_side(const JoinSide& side, const std::string& name) {
  const std::size_t columns = side.keys.size();
  if (columns == 0 || columns > kMostJoinKeys) {
    return invalid("the " + name + " side has " + grouped(columns) + " columns of keys, not 1 to " +
                   std::to_string(kMostJoinKeys));
  }
  for (const JoinColumn& column : side.keys) {
    PRESSO_TRY(check_column(column, name));
    if (column.rows != side.keys[0].rows) {
      return invalid("the " + name + " side has columns of " + grouped(side.keys[0].rows) +
                     " and of " + grouped(column.rows) + " rows");
    }
  }
  return {};
}

/// Whether rows that are selected may still not take part.
bool may_leave_rows_out(const JoinSide& side) {
  return std::any_of(side.keys.begin(), side.keys.end(), [](const JoinColumn& column) {
    return column.d_valid != nullptr || column.range.has_value();
  });
}

/// Nothing if the columns do not fit into 64 bits.
std::optional<KeyFactors> factors_of(const std::vector<KeyPartPair>& parts) {
  std::vector<std::uint64_t> lasts;
  for (const KeyPartPair& part : parts) lasts.push_back(part.build.last);
  return choose_factors(lasts);
}

/// Whether the columns still fit with one more.
bool fits_with(std::vector<KeyPartPair> parts, const KeyPartPair& further) {
  parts.push_back(further);
  return factors_of(parts).has_value();
}

/// Whether the strategy gains from knowing the range of build keys, so that one pass over them
/// pays.
bool wants_range(const JoinInput& input) {
  if (input.range) return false;
  switch (input.strategy) {
    case DeviceJoinAlgorithm::kDirect:
      return true;
    case DeviceJoinAlgorithm::kTable:
    case DeviceJoinAlgorithm::kRadix:
      return input.key_bytes == 8;  // which it may narrow
    case DeviceJoinAlgorithm::kAuto:
      return !input.ascends;
    default:
      return false;
  }
}

}  // namespace

/// Dates and timestamps are compared as the integers that they are.
KeyTypeFacts facts_of(JoinKeyType type) {
  switch (type) {
    case JoinKeyType::kInt32:
      return {"int32", 4, true};
    case JoinKeyType::kUint32:
      return {"uint32", 4, false};
    case JoinKeyType::kInt64:
      return {"int64", 8, true};
    case JoinKeyType::kUint64:
      return {"uint64", 8, false};
    case JoinKeyType::kDate32:
      return {"date32", 4, true};
    case JoinKeyType::kDate64:
      return {"date64", 8, true};
    case JoinKeyType::kTimestampSeconds:
      return {"timestamps in seconds", 8, true};
    case JoinKeyType::kTimestampMillis:
      return {"timestamps in milliseconds", 8, true};
    case JoinKeyType::kTimestampMicros:
      return {"timestamps in microseconds", 8, true};
    case JoinKeyType::kTimestampNanos:
      return {"timestamps in nanoseconds", 8, true};
  }
  return {"of an unknown type", 0, false};
}

Status check_request(const JoinRequest& request) {
  PRESSO_TRY(check_side(request.build, "build"));
  PRESSO_TRY(check_side(request.probe, "probe"));
  const auto& build = request.build.keys;
  const auto& probe = request.probe.keys;
  if (build.size() != probe.size()) {
    return invalid("the build side has " + std::to_string(build.size()) +
                   " columns of keys, the probe side " + std::to_string(probe.size()));
  }
  for (std::size_t i = 0; i < build.size(); ++i) {
    if (build[i].type == probe[i].type) continue;
    return invalid(std::string("the keys of the build side are ") + facts_of(build[i].type).name +
                   ", those of the probe side " + facts_of(probe[i].type).name);
  }
  if (request.strategy == DeviceJoinAlgorithm::kMerge && !request.ascends) {
    return invalid("merging wants keys that are known to ascend");
  }
  return {};
}

/// Everything is enqueued on the scratch's stream.
Result<JoinInput> KeyColumns::input() {
  PRESSO_TRY(await(request_.build));
  PRESSO_TRY(await(request_.probe));
  JoinInput input = plain_input();
  PRESSO_ASSIGN(input.build, selected_rows(request_.build));
  PRESSO_ASSIGN(input.probe, selected_rows(request_.probe));
  PRESSO_TRY(request_.build.keys.size() == 1 ? make_one(input) : make_several(input));
  return input;
}

/// Makes the scratch's stream wait for the events after which columns are ready; the host goes on.
Status KeyColumns::await(const JoinSide& side) {
  for (const JoinColumn& column : side.keys) {
    if (column.ready == nullptr) continue;
    PRESSO_TRY(scratch_.place().device().stream_wait(scratch_.stream(),
                                                     *static_cast<Event*>(column.ready)));
  }
  return {};
}

/// The parts of a request that do not depend on columns.
JoinInput KeyColumns::plain_input() const {
  JoinInput input;
  input.kind = request_.kind;
  input.strategy = request_.strategy;
  input.ordered = request_.ordered;
  input.unique = request_.unique;
  input.ascends = request_.ascends;
  return input;
}

/// Bitmaps that are whole, aligned words are used where they are.
Result<const std::uint32_t*> KeyColumns::bits_of(const void* d_bits, std::uint64_t first,
                                                 std::uint64_t rows) {
  if (d_bits == nullptr || rows == 0) return static_cast<const std::uint32_t*>(nullptr);
  const auto* const from = static_cast<const Byte*>(d_bits) + first / 8;
  const std::uint64_t first_of_byte = first % 8;
  if (first_of_byte == 0 && rows % kBitsOfWord == 0 && is_placed(from, sizeof(std::uint32_t))) {
    return reinterpret_cast<const std::uint32_t*>(from);
  }
  PRESSO_ASSIGN(std::uint32_t* const d_to, scratch_.allocate_bits(rows, "a copy of a bitmap"));
  PRESSO_TRY(
      scratch_.place().kernels().copy_bits(from, first_of_byte, rows, d_to, scratch_.stream()));
  return static_cast<const std::uint32_t*>(d_to);
}

/// A side without keys: the number of rows, and which the caller has selected.
Result<JoinRows> KeyColumns::selected_rows(const JoinSide& side) {
  JoinRows rows;
  rows.count = static_cast<std::uint32_t>(side.keys[0].rows);
  PRESSO_ASSIGN(rows.d_selected, bits_of(side.d_selected, 0, rows.count));
  return rows;
}

/// A column whose address does not suit the kernels is copied.
Status KeyColumns::add_keys(const JoinColumn& column, JoinRows& rows) {
  if (rows.count == 0) return {};
  rows.d_keys = column.d_keys;
  if (!is_placed(column.d_keys, kKeyAlignment)) {
    const std::uint64_t bytes = column.rows * facts_of(column.type).bytes;
    PRESSO_ASSIGN(Byte* const to, scratch_.allocate(bytes, "a copy of keys"));
    PRESSO_TRY(scratch_.place().device().copy_within(to, static_cast<const Byte*>(column.d_keys),
                                                     static_cast<std::size_t>(bytes),
                                                     scratch_.stream()));
    rows.d_keys = to;
  }
  PRESSO_ASSIGN(rows.d_valid, bits_of(column.d_valid, column.first_valid, column.rows));
  return {};
}

/// All columns are enqueued before the results are read back together.
/// Kernels compare keys as unsigned numbers, with the sign bit flipped; here it is flipped back. A
/// column without any key gets the range of 0 alone.
Result<std::vector<JoinKeyRange>> KeyColumns::find_ranges(const std::vector<KeyColumn>& columns) {
  std::vector<JoinKeyRange> ranges(columns.size());
  if (columns.empty() || columns[0].rows.count == 0) return ranges;
  PRESSO_ASSIGN(auto* const d_ranges,
                scratch_.allocate_values<JoinKeyRange>(ranges.size(), "the ranges of keys"));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PRESSO_TRY(scratch_.place().kernels().find_range(columns[i], d_ranges + i, scratch_.stream()));
  }
  PRESSO_TRY(scratch_.read_back(ranges.data(), d_ranges, ranges.size() * sizeof *d_ranges));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t sign = columns[i].sign_bit();
    const bool is_there = ranges[i].least <= ranges[i].most;
    ranges[i] =
        is_there ? JoinKeyRange{ranges[i].least ^ sign, ranges[i].most ^ sign} : JoinKeyRange{};
  }
  return ranges;
}

/// One column is used as it is.
Status KeyColumns::make_one(JoinInput& input) {
  const JoinColumn& build = request_.build.keys[0];
  const KeyTypeFacts type = facts_of(build.type);
  input.key_bytes = type.bytes;
  input.is_signed = type.is_signed;
  PRESSO_TRY(add_keys(build, input.build));
  PRESSO_TRY(add_keys(request_.probe.keys[0], input.probe));
  input.range = build.range;
  if (!wants_range(input)) return {};
  PRESSO_ASSIGN(const auto ranges, find_ranges({{input.build, type.bytes, type.is_signed}}));
  input.range = ranges[0];
  return {};
}

/// Packed keys have a known range, so that narrow ones become 32 bits.
Status KeyColumns::make_several(JoinInput& input) {
  PRESSO_ASSIGN(const Parts columns, parts_of(input));
  PRESSO_ASSIGN(const Parts parts, fitting(columns, input));
  const std::uint64_t last = factors_of(parts)->last;
  input.key_bytes = last > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
  input.range = JoinKeyRange{0, last};
  PRESSO_ASSIGN(const Sides sides, pack(parts, input.key_bytes, input));
  input.build = sides.build;
  input.probe = sides.probe;
  if (!may_leave_rows_out(request_.build)) input.build.d_valid = nullptr;  // all bits are set
  return {};
}

/// Ranges that the caller does not give are looked for.
Result<KeyColumns::Parts> KeyColumns::parts_of(const JoinInput& input) {
  Parts parts;
  std::vector<std::size_t> unknown;
  std::vector<KeyColumn> asked;
  std::vector<JoinKeyRange> ranges;
  for (std::size_t i = 0; i < request_.build.keys.size(); ++i) {
    const JoinColumn& column = request_.build.keys[i];
    KeyPartPair pair;
    PRESSO_ASSIGN(pair.build, part_of(column));
    PRESSO_ASSIGN(pair.probe, part_of(request_.probe.keys[i]));
    parts.push_back(pair);
    ranges.push_back(column.range.value_or(JoinKeyRange{}));
    if (column.range) continue;
    unknown.push_back(i);
    const JoinRows rows{pair.build.d_keys, pair.build.d_valid, input.build.d_selected,
                        input.build.count};
    asked.push_back({rows, pair.build.key_bytes, facts_of(column.type).is_signed});
  }
  PRESSO_ASSIGN(const auto found, find_ranges(asked));
  for (std::size_t i = 0; i < unknown.size(); ++i) ranges[unknown[i]] = found[i];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (KeyPart* const part : {&parts[i].build, &parts[i].probe}) {
      part->least = ranges[i].least;
      part->last = span_of(ranges[i], part->key_bytes);
    }
  }
  return parts;
}

/// One column as a digit; its range is set by parts_of().
Result<KeyPart> KeyColumns::part_of(const JoinColumn& column) {
  KeyPart part;
  part.d_keys = column.d_keys;
  part.key_bytes = facts_of(column.type).bytes;
  PRESSO_ASSIGN(part.d_valid, bits_of(column.d_valid, column.first_valid, column.rows));
  return part;
}

/// Columns are added one after another; when one does not fit, the wider of both (the column, or
/// all columns before it) is replaced by numbers.
Result<KeyColumns::Parts> KeyColumns::fitting(const Parts& columns, JoinInput& input) {
  Parts parts;
  for (KeyPartPair column : columns) {
    if (!fits_with(parts, column)) {
      if (input.strategy == DeviceJoinAlgorithm::kMerge) {
        return unsupported_key(
            "the ranges of the build side's keys take more than 64 bits together, "
            "and numbers in their place do not ascend");
      }
      input.ascends = false;
    }
    // The wider of both is numbered first. Two numbers below the build rows always fit.
    while (!fits_with(parts, column)) {
      if (column.build.last >= factors_of(parts)->last) {
        PRESSO_ASSIGN(column, number({column}, input));
      } else {
        PRESSO_ASSIGN(const KeyPartPair numbered, number(parts, input));
        parts = {numbered};
      }
    }
    parts.push_back(column);
  }
  return parts;
}

/// A key's number is one of the build rows that have it, found by a table of packed keys.
/// Error: kUnsupported for more than kMostLookupRows build rows.
Result<KeyPartPair> KeyColumns::number(const Parts& parts, const JoinInput& input) {
  const std::uint64_t rows = input.build.count;
  if (rows > kMostLookupRows) {
    return unsupported_key(
        "the ranges of the build side's keys take more than 64 bits together, and "
        "only " +
        grouped(kMostLookupRows) + " rows can have numbers in their place");
  }
  PRESSO_ASSIGN(const Sides sides, pack(parts, sizeof(std::uint64_t), input));
  const LookupPlan plan(rows, std::nullopt);
  KeyNumbers numbers;
  PRESSO_ASSIGN(Byte* const d_lookup,
                scratch_.allocate(plan.bytes(), "a table of keys that get numbers"));
  numbers.lookup = plan.at(d_lookup);
  PRESSO_ASSIGN(numbers.d_totals, scratch_.allocate_values<JoinTotals>(1, "a table of keys"));
  PRESSO_ASSIGN(numbers.build, numbered_side(sides.build));
  PRESSO_ASSIGN(numbers.probe, numbered_side(sides.probe));
  PRESSO_TRY(scratch_.place().kernels().number(numbers, scratch_.stream()));
  // kNoRow lies in no range, so rows without a number have no match.
  const auto part = [&](const NumberedSide& side) {
    return KeyPart{side.d_numbers, nullptr, sizeof(std::uint32_t), 0, rows == 0 ? 0 : rows - 1, 0};
  };
  return KeyPartPair{part(numbers.build), part(numbers.probe)};
}

/// Memory for the numbers of one side.
Result<NumberedSide> KeyColumns::numbered_side(const JoinRows& rows) {
  NumberedSide side;
  side.rows = rows;
  PRESSO_ASSIGN(side.d_numbers,
                scratch_.allocate_values<std::uint32_t>(rows.count, "numbers of keys"));
  return side;
}

/// Both sides use the factors of the build side.
Result<KeyColumns::Sides> KeyColumns::pack(const Parts& parts, std::uint32_t key_bytes,
                                           const JoinInput& input) {
  PackedKeys build, probe;
  build.key_bytes = probe.key_bytes = key_bytes;
  const auto factors = factors_of(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    build.parts[i] = parts[i].build;
    probe.parts[i] = parts[i].probe;
    build.parts[i].factor = probe.parts[i].factor = factors->factors[i];
  }
  build.part_count = probe.part_count = static_cast<std::uint32_t>(parts.size());
  Sides sides;
  PRESSO_ASSIGN(sides.build, pack_side(build, input.build));
  PRESSO_ASSIGN(sides.probe, pack_side(probe, input.probe));
  return sides;
}

/// Packs one side on the stream. A row with a null, or with a key out of the build side's range,
/// becomes invalid in the packed column, because it cannot have a match.
Result<JoinRows> KeyColumns::pack_side(PackedKeys& keys, const JoinRows& rows) {
  keys.rows = rows.count;
  keys.d_selected = rows.d_selected;
  PRESSO_ASSIGN(Byte* const d_keys,
                scratch_.allocate(std::uint64_t{rows.count} * keys.key_bytes, "packed keys"));
  keys.d_keys = d_keys;
  PRESSO_ASSIGN(keys.d_valid, scratch_.allocate_bits(rows.count, "bits of packed keys"));
  PRESSO_TRY(scratch_.place().kernels().pack(keys, scratch_.stream()));
  return JoinRows{keys.d_keys, keys.d_valid, rows.d_selected, rows.count};
}

}  // namespace presso::gpu
