// SPDX-License-Identifier: MIT
// Finds the column of a key: first by a guess, the key that followed the one before last time, then
// in a hash table. Guesses are right in nearly all files.
#include "compress/table/text/json_keys.h"

#include <algorithm>
#include <cstring>

namespace presso {
namespace {

constexpr std::size_t kBatchFields = 1u << 15;
constexpr std::size_t kLeastBatchRows = 16;

/// A member as a field. Nested values count as quoted: their text is never a null.
Field field_of(const JsonMember& member, bool raw) {
  Field field;
  field.begin = member.begin;
  field.length = member.length;
  const bool string = member.kind == JsonKind::kString;
  field.quoted = raw || string || member.kind == JsonKind::kNested;
  field.escaped = string && member.escaped && !raw;
  if (raw && string) {
    field.begin -= 1;
    field.length += 2;
  }
  return field;
}

/// Compares short keys with two overlapping words instead of a call.
bool same_text(const Byte* a, const std::string& b, std::size_t size) {
  if (b.size() != size) return false;
  const auto* const other = reinterpret_cast<const Byte*>(b.data());
  const auto same_words = [&]<class Word>(Word) {
    const std::size_t last = size - sizeof(Word);
    return load<Word>(a) == load<Word>(other) && load<Word>(a + last) == load<Word>(other + last);
  };
  if (size > 16) return std::memcmp(a, other, size) == 0;
  if (size >= 8) return same_words(std::uint64_t{});
  if (size >= 4) return same_words(std::uint32_t{});
  return std::equal(a, a + size, other);
}

}  // namespace

JsonKeys::JsonKeys(const std::vector<std::string>& names) {
  for (const std::string& name : names) find_or_add(name, true);
}

/// The column of a name without escapes.
std::uint32_t JsonKeys::find_or_add(const std::string& name, bool add) {
  const auto found = columns_.find(name);
  if (found != columns_.end()) return found->second;
  if (!add) return kUnknown;
  const auto column = static_cast<std::uint32_t>(names_.size());
  columns_.emplace(name, column);
  names_.push_back(name);
  written_.push_back(name);
  return column;
}

// Escaped keys, unknown keys and wrong guesses come here.
std::uint32_t JsonKeys::slow_find(const JsonMember& member, Bytes text, bool add) {
  const Bytes key = text.subspan(member.key_begin, member.key_length);
  const std::string written(key.begin(), key.end());
  if (!member.key_escaped) return find_or_add(written, add);
  std::string name(written.size(), '\0');
  name.resize(unescape_json(key, reinterpret_cast<Byte*>(name.data())));
  const std::uint32_t column = find_or_add(name, add);
  if (column != kUnknown) written_[column] = written;
  return column;
}

/// A guess that was wrong is replaced by the key that was found.
void JsonKeys::resolve(const JsonBatch& batch, Bytes text, bool add,
                       std::vector<std::uint32_t>& columns) {
  columns.resize(batch.members.size());
  next_.resize(names_.size() + 1, kUnknown);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    std::uint32_t before = 0;
    for (std::size_t m = batch.first_member[row]; m < batch.first_member[row + 1]; ++m) {
      const JsonMember& member = batch.members[m];
      std::uint32_t column = next_[before];
      const bool known = column != kUnknown && same_text(text.data() + member.key_begin,
                                                         written_[column], member.key_length);
      if (!known) {
        column = slow_find(member, text, add);
        next_.resize(names_.size() + 1, kUnknown);
        next_[before] = column;
      }
      columns[m] = column;
      before = column + 1;  // 0 after an unknown key
    }
  }
}

/// About kBatchFields fields at most, but at least 16 rows.
std::size_t json_batch_rows(std::size_t columns) {
  return std::clamp(kBatchFields / (columns + 1), kLeastBatchRows, kBatchRecords);
}

/// Every row gets a field for each column; absent ones are empty at the row's '{'.
void spread_members(const JsonBatch& batch, const std::vector<std::uint32_t>& column_of_member,
                    const std::vector<bool>& raw, RecordBatch& records) {
  const std::size_t columns = raw.size();
  records.fields.resize(batch.rows() * columns);
  records.first_field.assign(1, 0);
  records.begin = batch.begin;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    Field* const fields = records.fields.data() + row * columns;
    Field nothing;
    nothing.begin = batch.object[row];
    std::fill_n(fields, columns, nothing);
    for (std::size_t m = batch.first_member[row]; m < batch.first_member[row + 1]; ++m) {
      const JsonMember& member = batch.members[m];
      const std::uint32_t column = column_of_member[m];
      if (column >= columns) continue;
      fields[column] = member.kind == JsonKind::kNull ? nothing : field_of(member, raw[column]);
    }
    records.first_field.push_back(static_cast<std::uint32_t>((row + 1) * columns));
  }
}

}  // namespace presso
