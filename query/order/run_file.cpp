// SPDX-License-Identifier: MIT
// Implements run_file.h, sorted runs in temporary files. A batch of rows is: its size in bytes and
// its rows, 8 bytes each; then for each column, at a multiple of 16 bytes, a number that is 1 if
// validity follows, the bytes of its strings, the validity, the values, and the strings.
//
// In a batch, the values of strings are pairs of place and size, of which the place is replaced by
// an address after reading; this is why a batch can be read with a single read and used where it
// lies.
#include "query/order/run_file.h"

#include <algorithm>

namespace presso::query {
namespace {

constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kColumnHeadBytes = 16;  ///< so that values lie at a multiple of 16

std::size_t validity_bytes(std::uint32_t rows) {
  return static_cast<std::size_t>(round_up((std::uint64_t{rows} + 63) / 64 * 8, 16));
}

std::size_t values_bytes(Physical physical, std::uint32_t rows) {
  return static_cast<std::size_t>(round_up(physical_bytes(physical) * std::uint64_t{rows}, 16));
}

std::uint64_t string_bytes(const VectorView& view, std::uint32_t rows) {
  std::uint64_t bytes = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (!view.is_null(row)) bytes += view.as<StringRef>()[row].size;
  }
  return bytes;
}

/// Where a column's parts are within a batch.
struct ColumnPlace {
  bool has_validity = false;
  std::size_t validity = 0;
  std::size_t values = 0;
  std::size_t end = 0;  ///< the end of the column, after the bytes of strings
};

/// Computes the places from the column's head.
ColumnPlace place_of(const Byte* batch, std::size_t head, Physical physical, std::uint32_t rows) {
  ColumnPlace place;
  place.has_validity = load<std::uint64_t>(batch + head) != 0;
  place.validity = head + kColumnHeadBytes;
  place.values = place.validity + (place.has_validity ? validity_bytes(rows) : 0);
  place.end = place.values + values_bytes(physical, rows) +
              static_cast<std::size_t>(load<std::uint64_t>(batch + head + 8));
  return place;
}

}  // namespace

RunWriter::RunWriter(std::vector<Physical> columns, std::shared_ptr<TemporaryFile> file,
                     std::uint64_t batch_bytes)
    : physical_(std::move(columns)), batch_bytes_(batch_bytes), gather_(physical_) {
  for (const Physical physical : physical_) fixed_bytes_ += physical_bytes(physical);
  run_.begin = run_.end = file->size();
  run_.file = std::move(file);
}

Status RunWriter::add(std::span<const RowSource> sources, std::span<const SortEntry> rows) {
  while (!rows.empty()) {
    const std::size_t count = rows_of_batch(sources, rows);
    gather_.gather(sources, rows.first(count));
    PRESSO_TRY(write_batch());
    rows = rows.subspan(count);
  }
  return {};
}

/// Returns how many of the first rows make a batch; at least one.
std::size_t RunWriter::rows_of_batch(std::span<const RowSource> sources,
                                     std::span<const SortEntry> rows) const {
  const std::size_t most = std::min<std::size_t>(rows.size(), kMostRows);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < most; ++i) {
    bytes += fixed_bytes_;
    for (std::size_t column = 0; column < physical_.size(); ++column) {
      if (physical_[column] != Physical::kString) continue;
      const VectorView& view = sources[rows[i].source].columns[column];
      if (!view.is_null(rows[i].row)) bytes += view.as<StringRef>()[rows[i].row].size;
    }
    if (bytes > batch_bytes_) return std::max<std::size_t>(i, 1);
  }
  return most;
}

Status RunWriter::write_batch() {
  buffer_.resize_discarding(kHeadBytes);
  for (const VectorView& view : gather_.views()) put_column(view);
  store<std::uint64_t>(buffer_.data(), buffer_.size());
  store<std::uint64_t>(buffer_.data() + 8, gather_.rows());
  PRESSO_TRY(run_.file->append(buffer_.bytes()));
  run_.end += buffer_.size();
  run_.largest_batch = std::max<std::uint64_t>(run_.largest_batch, buffer_.size());
  return {};
}

/// Padding is cleared, so that no uninitialised memory gets into the file.
void RunWriter::put_column(const VectorView& view) {
  const std::uint32_t rows = gather_.rows();
  const bool strings = view.physical == Physical::kString;
  const std::uint64_t text_bytes = strings ? round_up(string_bytes(view, rows), 16) : 0;
  const std::size_t head = buffer_.size();
  const std::size_t nulls = view.validity != nullptr ? validity_bytes(rows) : 0;
  const std::size_t values = head + kColumnHeadBytes + nulls;
  std::size_t text = values + values_bytes(view.physical, rows);
  buffer_.grow(text + static_cast<std::size_t>(text_bytes));
  Byte* const to = buffer_.data();
  std::fill(to + head, to + buffer_.size(), Byte{0});
  store<std::uint64_t>(to + head, nulls != 0 ? 1 : 0);
  store<std::uint64_t>(to + head + 8, text_bytes);
  if (nulls != 0) {
    std::memcpy(to + head + kColumnHeadBytes, view.validity, (rows + 63) / 64 * 8);
  }
  if (!strings) {
    std::memcpy(to + values, view.values, physical_bytes(view.physical) * rows);
    return;
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    const StringRef ref = view.is_null(row) ? StringRef{} : view.as<StringRef>()[row];
    store<std::uint64_t>(to + values + 16 * std::size_t{row}, text);
    store<std::uint64_t>(to + values + 16 * std::size_t{row} + 8, ref.size);
    if (ref.size != 0) std::memcpy(to + text, ref.data, ref.size);
    text += static_cast<std::size_t>(ref.size);
  }
}

FileRun RunWriter::finish() {
  return std::move(run_);
}

/// Places of strings are replaced by addresses.
Status RunBatch::read(const TemporaryFile& file, std::uint64_t& at) {
  Byte head[kHeadBytes];
  PRESSO_TRY(file.read_at(at, head));
  buffer_.resize_discarding(static_cast<std::size_t>(load<std::uint64_t>(head)));
  PRESSO_TRY(file.read_at(at, buffer_.mutable_bytes()));
  at += buffer_.size();
  const auto rows = static_cast<std::uint32_t>(load<std::uint64_t>(head + 8));
  std::size_t column = kHeadBytes;
  for (const Physical physical : physical_) {
    const ColumnPlace place = place_of(buffer_.data(), column, physical, rows);
    if (physical == Physical::kString) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        Byte* const ref = buffer_.data() + place.values + 16 * std::size_t{row};
        const StringRef text{buffer_.data() + load<std::uint64_t>(ref),
                             load<std::uint64_t>(ref + 8)};
        store(ref, text);
      }
    }
    column = place.end;
  }
  return {};
}

RowSource RunBatch::source() const {
  RowSource source;
  source.rows = static_cast<std::uint32_t>(load<std::uint64_t>(buffer_.data() + 8));
  std::size_t column = kHeadBytes;
  for (const Physical physical : physical_) {
    const ColumnPlace place = place_of(buffer_.data(), column, physical, source.rows);
    const Byte* const validity = buffer_.data() + place.validity;
    source.columns.push_back(
        {physical, buffer_.data() + place.values,
         place.has_validity ? reinterpret_cast<const std::uint64_t*>(validity) : nullptr});
    column = place.end;
  }
  return source;
}

}  // namespace presso::query
