// SPDX-License-Identifier: MIT
// Implements row_store.h, rows in memory, column by column. A column is one array that doubles as
// it grows, so appending costs a copy of the values and, on average, one more. Validity takes no
// memory before the first null; bits after the last row are set, so that counting nulls needs no
// mask.
#include "query/values/row_store.h"

#include <algorithm>
#include <new>
#include <optional>

#include "presso/ordered_pipeline.h"

namespace presso::query {
namespace {

constexpr std::size_t kFirstChunkBytes = std::size_t{4} << 10;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::size_t words_for(std::uint64_t rows) {
  return static_cast<std::size_t>((rows + 63) / 64);
}

/// Returns the bits of word `word` that stand for rows, in a bitmap of `rows` rows.
std::uint64_t mask_of(std::uint32_t word, std::uint32_t rows) {
  const std::uint32_t left = rows - 64 * word;
  return left >= 64 ? kAll : (std::uint64_t{1} << left) - 1;
}

/// Looks at the bitmap, as many views have one without a null.
bool has_nulls(const VectorView& view, std::uint32_t rows) {
  if (view.validity == nullptr) return false;
  for (std::uint32_t word = 0; word < words_for(rows); ++word) {
    if ((~view.validity[word] & mask_of(word, rows)) != 0) return true;
  }
  return false;
}

/// Copies values of one width in the order of `rows`.
template <class T>
void pick(const Byte* from, std::span<const std::uint64_t> rows, Byte* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to + i * sizeof(T), from + rows[i] * sizeof(T), sizeof(T));
  }
}

void pick(Physical physical, const Byte* from, std::span<const std::uint64_t> rows, Byte* to) {
  switch (physical_bytes(physical)) {
    case 1:
      return pick<Byte>(from, rows, to);
    case 8:
      return pick<std::uint64_t>(from, rows, to);
    default:
      return pick<Uint128>(from, rows, to);
  }
}

}  // namespace

StringRef StringArena::add(Bytes bytes) {
  if (bytes.empty()) return {};
  Byte* to = at_;
  if (bytes.size() > kChunkBytes / 4) {
    // A large string gets a chunk of its own; the shared one stays in use.
    chunks_.push_back(std::make_unique_for_overwrite<Byte[]>(bytes.size()));
    bytes_ += bytes.size();
    to = chunks_.back().get();
  } else {
    if (bytes.size() > free_) {
      std::size_t size = std::clamp(2 * chunk_bytes_, kFirstChunkBytes, kChunkBytes);
      while (size < bytes.size()) size *= 2;
      chunks_.push_back(std::make_unique_for_overwrite<Byte[]>(size));
      bytes_ += size;
      to = at_ = chunks_.back().get();
      free_ = chunk_bytes_ = size;
    }
    at_ += bytes.size();
    free_ -= bytes.size();
  }
  std::memcpy(to, bytes.data(), bytes.size());
  return {to, bytes.size()};
}

void StringArena::clear() {
  chunks_.clear();
  at_ = nullptr;
  free_ = chunk_bytes_ = 0;
  bytes_ = 0;
}

RowStore::RowStore(std::vector<Physical> columns)
    : physical_(std::move(columns)), columns_(physical_.size()) {}

std::uint64_t RowStore::bytes() const {
  std::uint64_t bytes = strings_->bytes();
  for (const auto& kept : kept_) bytes += kept->bytes();
  for (const Column& column : columns_) {
    bytes += column.values.size() + column.validity.capacity() * sizeof(std::uint64_t);
  }
  return bytes;
}

void RowStore::resize_unset(std::uint64_t rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].values.use_large_pages();
    columns_[i].values.resize_discarding(static_cast<std::size_t>(rows) *
                                         physical_bytes(physical_[i]));
  }
  rows_ = rows;
}

std::uint64_t* RowStore::validity(std::size_t column) {
  std::vector<std::uint64_t>& validity = columns_[column].validity;
  validity.resize(words_for(rows_), kAll);
  return validity.data();
}

void RowStore::drop_idle_validity() {
  for (Column& column : columns_) {
    const auto is_full = [](std::uint64_t word) { return word == kAll; };
    if (std::all_of(column.validity.begin(), column.validity.end(), is_full)) {
      column.validity.clear();
    }
  }
}

void RowStore::use_large_pages() {
  for (Column& column : columns_) column.values.use_large_pages();
}

void RowStore::reserve(std::uint64_t rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::uint64_t bytes = rows * physical_bytes(physical_[i]);
    Buffer& values = columns_[i].values;
    if (bytes > values.size()) values.grow(static_cast<std::size_t>(bytes));
  }
}

void RowStore::append(std::span<const VectorView> columns, std::uint32_t rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    append_values(i, columns[i], rows);
    append_validity(columns_[i], columns[i], rows);
  }
  rows_ += rows;
}

void RowStore::append_values(std::size_t column, const VectorView& from, std::uint32_t rows) {
  const std::size_t width = physical_bytes(physical_[column]);
  Buffer& values = columns_[column].values;
  const std::size_t used = static_cast<std::size_t>(rows_) * width;
  const std::size_t needed = used + rows * width;
  if (needed > values.size()) values.grow(std::max(needed, 2 * values.size()));
  if (physical_[column] != Physical::kString) {
    if (rows != 0) std::memcpy(values.data() + used, from.values, rows * width);
    return;
  }
  for (std::uint32_t i = 0; i < rows; ++i) {
    const StringRef ref =
        from.is_null(i) ? StringRef{} : strings_->add(from.as<StringRef>()[i].bytes());
    store(values.data() + used + i * width, ref);
  }
}

/// Bits of the view are shifted to where the store's rows end, which need not be the beginning of a
/// word.
void RowStore::append_validity(Column& column, const VectorView& from, std::uint32_t rows) const {
  const bool nulls = has_nulls(from, rows);
  std::vector<std::uint64_t>& validity = column.validity;
  if (!nulls && validity.empty()) return;
  validity.resize(words_for(rows_ + rows), kAll);
  if (!nulls) return;
  const std::size_t first = static_cast<std::size_t>(rows_ / 64);
  const unsigned shift = rows_ % 64;
  for (std::uint32_t word = 0; word < words_for(rows); ++word) {
    const std::uint64_t null_bits = ~from.validity[word] & mask_of(word, rows);
    validity[first + word] &= ~(null_bits << shift);
    const std::uint64_t high = shift == 0 ? 0 : null_bits >> (64 - shift);
    if (high != 0) validity[first + word + 1] &= ~high;
  }
}

VectorView RowStore::view(std::size_t column, std::uint64_t first) const {
  const Column& from = columns_[column];
  const std::size_t offset = static_cast<std::size_t>(first) * physical_bytes(physical_[column]);
  VectorView view{physical_[column], nullptr, nullptr};
  if (!from.values.empty()) view.values = from.values.data() + offset;
  if (!from.validity.empty()) view.validity = from.validity.data() + first / 64;
  return view;
}

bool RowStore::is_null(std::size_t column, std::uint64_t row) const {
  const std::vector<std::uint64_t>& validity = columns_[column].validity;
  return !validity.empty() && (validity[static_cast<std::size_t>(row / 64)] >> (row % 64) & 1) == 0;
}

/// Copies the values of `part` to the rows from `first` on.
void RowStore::take_values(std::size_t column, std::uint64_t first, const RowStore& part) {
  const std::size_t width = physical_bytes(physical_[column]);
  const auto rows = static_cast<std::size_t>(part.rows_);
  if (rows == 0) return;
  std::memcpy(columns_[column].values.data() + first * width, part.columns_[column].values.data(),
              rows * width);
}

/// Nulls are copied by one thread first, as parts need not begin at words; values follow in
/// parallel.
RowStore RowStore::concatenated(std::vector<Physical> columns, std::vector<RowStore> parts,
                                unsigned threads) {
  RowStore store(std::move(columns));
  std::vector<std::uint64_t> first;
  std::uint64_t rows = 0;
  for (const RowStore& part : parts) {
    first.push_back(rows);
    rows += part.rows_;
  }
  store.resize_unset(rows);
  for (std::size_t i = 0; i < store.columns_.size(); ++i) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (parts[part].columns_[i].validity.empty()) continue;
      std::uint64_t* const validity = store.validity(i);
      for (std::uint64_t row = 0; row < parts[part].rows_; ++row) {
        const std::uint64_t to = first[part] + row;
        if (parts[part].is_null(i, row)) validity[to / 64] &= ~(std::uint64_t{1} << (to % 64));
      }
    }
  }
  std::size_t next = 0;
  const Status done = run_ordered<std::size_t, bool>(
      {threads, 0},
      [&]() -> Result<std::optional<std::size_t>> {
        return next == parts.size() ? std::nullopt : std::optional(next++);
      },
      [&](std::size_t part, unsigned) {
        for (std::size_t i = 0; i < store.columns_.size(); ++i) {
          store.take_values(i, first[part], parts[part]);
          parts[part].columns_[i] = Column();
        }
        return true;
      },
      [](bool) -> Result<bool> { return true; });
  if (!done.ok()) throw std::bad_alloc();  // nothing else fails there
  for (RowStore& part : parts) {
    store.kept_.push_back(std::move(part.strings_));
    store.kept_.insert(store.kept_.end(), part.kept_.begin(), part.kept_.end());
  }
  return store;
}

RowStore RowStore::picked(std::span<const std::uint64_t> rows) const {
  RowStore store(physical_);
  store.strings_ = strings_;
  store.kept_ = kept_;
  store.rows_ = rows.size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& to = store.columns_[i];
    to.values.resize_discarding(rows.size() * physical_bytes(physical_[i]));
    pick(physical_[i], columns_[i].values.data(), rows, to.values.data());
    if (columns_[i].validity.empty()) continue;
    to.validity.resize(words_for(rows.size()), kAll);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::uint64_t null_bit = is_null(i, rows[row]) ? 1 : 0;
      to.validity[row / 64] &= ~(null_bit << (row % 64));
    }
  }
  return store;
}

}  // namespace presso::query
