// SPDX-License-Identifier: MIT
#include "scan/query/key_codes.h"

#include <algorithm>

#include "scan/values/loops.h"

namespace presso::query {

constexpr std::size_t kMostEntries = 1'000'000;

std::uint64_t KeyCodes::bytes() const {
  constexpr std::uint64_t kNodeBytes = 64;  // of numbers_, its part of the buckets included
  return arena_.bytes() + strings_.size() * (sizeof(StringRef) + kNodeBytes) +
         entries_ * sizeof(std::uint32_t);
}

Result<bool> KeyCodes::add_group(const Table& table, std::uint64_t group) {
  PRESSO_ASSIGN(const auto reader, GroupReader::open(table, group));
  const ColumnChunk& chunk = reader->chunk(column_);
  GroupNumbers group_numbers;
  std::vector<std::uint32_t>& numbers = group_numbers.of;
  if (chunk.representation == Representation::kDictionary) {
    if (strings_.size() + chunk.entries > kMostEntries) return false;
    PRESSO_ASSIGN(const DictionaryEntries* entries, reader->dictionary(column_));
    for (std::uint32_t code = 0; code < entries->size(); ++code) {
      const Bytes entry = entries->entry(code);
      const auto known = numbers_.find({reinterpret_cast<const char*>(entry.data()), entry.size()});
      if (known != numbers_.end()) {
        numbers.push_back(known->second);
        continue;
      }
      const StringRef kept = arena_.add(entry);
      numbers.push_back(static_cast<std::uint32_t>(strings_.size()));
      numbers_.emplace(std::string_view(reinterpret_cast<const char*>(kept.data),
                                        static_cast<std::size_t>(kept.size)),
                       numbers.back());
      strings_.push_back(kept);
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
                                                 std::size_t column, std::uint64_t most_bytes) {
  std::unique_ptr<KeyCodes> codes(new KeyCodes(column));
  for (const Table& table : tables) {
    codes->number_of_.emplace_back();
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      PRESSO_ASSIGN(const bool coded, codes->add_group(table, group));
      if (!coded || codes->bytes() > most_bytes) return std::unique_ptr<KeyCodes>();
    }
  }
  return codes;
}

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
      value_loops().widen(local + first, count, words);
    } else {
      value_loops().look_up(numbers.of.data(), numbers.count, local + first, count, words);
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
