// SPDX-License-Identifier: MIT
// Implements key_codes.h, one number for each string of a column, with a hash map from strings to
// numbers. Numbers follow the order in which strings are met, so they do not depend on threads.
//
// Two ways to make numbers: from the dictionaries of all row groups, which reads no rows, or row by
// row for columns without dictionaries, up to a limit of rows.
#include "query/rows/key_codes.h"

#include <algorithm>

#include "format/cpu_loops.h"
#include "query/rows/slices.h"
#include "query/rows/table_facts.h"
#include "query/values/loops.h"

namespace presso::query {

/// With more entries, numbering costs more than it gains.
constexpr std::size_t kMostEntries = 1'000'000;

/// The hash map's memory is estimated, 64 bytes for each string.
std::uint64_t KeyCodes::bytes() const {
  constexpr std::uint64_t kNodeBytes = 64;  // of numbers_, its part of the buckets included
  return arena_.bytes() + strings_.size() * (sizeof(StringRef) + kNodeBytes) +
         (entries_ + number_of_row_.size()) * sizeof(std::uint32_t);
}

std::optional<std::uint32_t> KeyCodes::find(Bytes string) const {
  const auto known = numbers_.find({reinterpret_cast<const char*>(string.data()), string.size()});
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

/// A new string gets the next number, and its bytes are copied.
std::uint32_t KeyCodes::number_of(Bytes string) {
  if (const auto known = find(string)) return *known;
  const StringRef kept = arena_.add(string);
  const auto number = static_cast<std::uint32_t>(strings_.size());
  numbers_.emplace(std::string_view(reinterpret_cast<const char*>(kept.data),
                                    static_cast<std::size_t>(kept.size)),
                   number);
  strings_.push_back(kept);
  return number;
}

/// Returns false if the row group has no dictionary for the column.
Result<bool> KeyCodes::add_group(const GroupReader& group) {
  const ColumnChunk& chunk = group.chunk(column_);
  GroupNumbers group_numbers;
  std::vector<std::uint32_t>& numbers = group_numbers.of;
  if (chunk.representation == Representation::kDictionary) {
    if (strings_.size() + chunk.entries > kMostEntries) return false;
    PRESSO_ASSIGN(const DictionaryEntries* entries, group.dictionary(column_));
    for (std::uint32_t code = 0; code < entries->size(); ++code) {
      numbers.push_back(number_of(entries->entry(code)));
    }
  } else if (chunk.representation != Representation::kNull) {
    return false;
  }
  for (std::uint32_t code = 0; code < numbers.size(); ++code) {
    group_numbers.same = group_numbers.same && numbers[code] == code;
  }
  group_numbers.count = static_cast<std::uint32_t>(numbers.size());
  numbers.resize(std::max<std::size_t>(numbers.size(), 16));
  entries_ += numbers.size();
  number_of_.back().push_back(std::move(group_numbers));
  return true;
}

Result<std::unique_ptr<KeyCodes>> KeyCodes::make(const std::vector<Table>& tables,
                                                 std::size_t column, std::uint64_t most_bytes,
                                                 const OpenGroup& open) {
  std::unique_ptr<KeyCodes> codes(new KeyCodes(column));
  for (const Table& table : tables) {
    codes->number_of_.emplace_back();
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      PRESSO_ASSIGN(const auto opened, open(table, group));
      PRESSO_ASSIGN(const bool coded, codes->add_group(*opened));
      if (!coded || codes->bytes() > most_bytes) return std::unique_ptr<KeyCodes>();
    }
  }
  return codes;
}

/// One thread reads the column; null rows get their number at the end, when all others are known.
Result<std::unique_ptr<KeyCodes>> KeyCodes::make_by_rows(
    const std::vector<Table>& tables, const std::vector<Physical>& physical, std::size_t column,
    std::uint64_t most_rows, std::uint64_t most_bytes, ReadCounters& counters) {
  if (rows_of(tables) > most_rows) return std::unique_ptr<KeyCodes>();
  std::unique_ptr<KeyCodes> codes(new KeyCodes(column));
  constexpr std::uint32_t kNull = ~std::uint32_t{0};
  const std::vector<std::size_t> columns{column};
  SliceSource source(tables, columns, counters, nullptr);
  SliceReader reader(physical);
  Selection selection;
  for (;;) {
    PRESSO_ASSIGN(const std::optional<Slice> slice, source.next());
    if (!slice) break;
    reader.open(*slice);
    for (std::uint32_t vector = 0; vector < slice->vectors(); ++vector) {
      selection.set_all(slice->vector_rows(vector));
      PRESSO_ASSIGN(const VectorView view, reader.load(column, vector, selection));
      for (std::uint32_t row = 0; row < selection.count; ++row) {
        codes->number_of_row_.push_back(
            view.is_null(row) ? kNull : codes->number_of(view.as<StringRef>()[row].bytes()));
      }
    }
    if (codes->bytes() > most_bytes) return std::unique_ptr<KeyCodes>();
  }
  codes->stored_bytes_ = source.stored_bytes();
  std::replace(codes->number_of_row_.begin(), codes->number_of_row_.end(), kNull,
               codes->null_number());
  return codes;
}

/// Codes are unpacked for the whole vector; only those of selected rows are translated.
Result<VectorView> KeyCodes::load(SliceReader& reader, std::uint32_t vector,
                                  const Selection& selection, Scratch& scratch) const {
  ColumnSlice& slice = reader.column(column_);
  scratch.codes.resize(kBatchRows);
  VectorView view{Physical::kInt64, scratch.codes.data(), nullptr};
  if (slice.representation() == Representation::kNull) {
    for (std::uint32_t i = 0; i < selection.count; ++i) scratch.codes[i] = 0;
    for (std::uint64_t& word : scratch.validity) word = 0;
    view.validity = scratch.validity;
    return view;
  }
  scratch.local.resize(kBatchRows + Buffer::kSlack);
  PRESSO_TRY(slice.codes(vector, scratch.local.data()));
  const GroupContext& group = *reader.slice().group;
  const auto& numbers = number_of_[group.table][group.reader->group()];
  const std::uint32_t* const local = scratch.local.data();
  std::int64_t* const to = scratch.codes.data();
  selection.for_each_run([&](std::uint32_t first, std::uint32_t at, std::uint32_t count) {
    auto* const words = reinterpret_cast<std::uint64_t*>(to + at);
    if (numbers.same) {
      loops_for<ValueLoops>().widen(local + first, count, words);
    } else {
      loops_for<ValueLoops>().look_up(numbers.of.data(), numbers.count, local + first, count,
                                      words);
    }
  });
  if (slice.has_nulls()) {
    std::uint64_t bits[kBatchWords];
    PRESSO_TRY(slice.validity(vector, bits));
    if (select_validity(bits, selection, scratch.validity)) view.validity = scratch.validity;
  }
  return view;
}

}  // namespace presso::query
