// SPDX-License-Identifier: MIT
// Implements ipc_arrays.h. Each buffer is read from the file by itself, so that the columns that
// are not needed cost nothing.
#include "tools/arrow/ipc_arrays.h"

#include <algorithm>
#include <limits>

#include "format/columns/bit_copy.h"
#include "tools/arrow/shown_values.h"
#include "tools/parquet/codec.h"

namespace presso::cli {
namespace {

/// A batch has at most this many rows, which Arrow recommends, too. Otherwise a damaged number
/// could ask for any number of nulls.
constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();

Error bad(const char* what) {
  return make_error(ErrorCode::kInvalidArgument, what);
}

std::vector<std::int64_t> numbers_of(Bytes bytes) {
  std::vector<std::int64_t> numbers(bytes.size() / 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = load<std::int64_t>(bytes.data() + 8 * i);
  }
  return numbers;
}

/// How many buffers a layout has, with the validity but without those of views.
std::size_t buffers_of(IpcLayout layout) {
  switch (layout) {
    case IpcLayout::kNull:
    case IpcLayout::kRunEnds:
      return 0;
    case IpcLayout::kStruct:
    case IpcLayout::kFixedList:
      return 1;
    case IpcLayout::kStrings:
    case IpcLayout::kListView:
      return 3;
    default:
      return 2;
  }
}

/// Whether offsets begin at 0 or later, do not fall and end within the bytes.
template <class Offset>
bool are_sound(Bytes offsets, std::uint64_t rows, std::uint64_t bytes) {
  Offset before = 0;
  bool sound = true;
  for (std::uint64_t i = 0; i <= rows; ++i) {
    const auto offset = load<Offset>(offsets.data() + i * sizeof(Offset));
    sound = sound && offset >= before;
    before = offset;
  }
  return sound && static_cast<std::uint64_t>(before) <= bytes;
}

Buffer buffer_of_bytes(Bytes bytes) {
  Buffer buffer;
  buffer.append(bytes);
  return buffer;
}

/// The bits of both arrays; no buffer if neither has nulls.
Buffer joined_bits(const IpcArray& a, const IpcArray& b, std::size_t number, bool is_validity) {
  if (is_validity && a.buffer(number).empty() && b.buffer(number).empty()) return {};
  std::vector<Byte> bits(static_cast<std::size_t>((a.rows() + b.rows() + 7) / 8));
  std::uint64_t first = 0;
  for (const IpcArray* one : {&a, &b}) {
    const std::vector<Byte> ones(static_cast<std::size_t>((one->rows() + 7) / 8), Byte{0xFF});
    const Bytes from = one->buffer(number).empty() ? Bytes(ones) : one->buffer(number);
    if (one->rows() > 0) copy_bits(from.data(), 0, one->rows(), bits.data(), first);
    first += one->rows();
  }
  return buffer_of_bytes(bits);
}

/// The values of both arrays, which have `width` bytes each.
Buffer joined_values(const IpcArray& a, const IpcArray& b, std::size_t width) {
  Buffer joined;
  for (const IpcArray* one : {&a, &b}) {
    joined.append(one->buffer(1).first(static_cast<std::size_t>(one->rows()) * width));
  }
  return joined;
}

/// Offsets and bytes of the strings of both, without bytes before the first string and after the
/// last one. False where the offsets do not fit into their width.
template <class Offset>
bool join_strings(const IpcArray& a, const IpcArray& b, IpcArray& joined) {
  std::vector<Offset> offsets = {0};
  Buffer bytes;
  for (const IpcArray* one : {&a, &b}) {
    if (one->rows() == 0) continue;
    const auto offset_at = [&](std::uint64_t row) {
      return load<Offset>(one->buffer(1).data() + row * sizeof(Offset));
    };
    const Offset begin = offset_at(0);
    const Offset shift = offsets.back();
    const auto size = static_cast<std::size_t>(offset_at(one->rows()) - begin);
    if (size > static_cast<std::size_t>(std::numeric_limits<Offset>::max() - shift)) return false;
    for (std::uint64_t row = 1; row <= one->rows(); ++row) {
      offsets.push_back(static_cast<Offset>(offset_at(row) - begin + shift));
    }
    bytes.append(one->buffer(2).subspan(static_cast<std::size_t>(begin), size));
  }
  joined.add_buffer(buffer_of_bytes(
      {reinterpret_cast<const Byte*>(offsets.data()), offsets.size() * sizeof(Offset)}));
  joined.add_buffer(std::move(bytes));
  return true;
}

/// The views of both arrays, and the buffers of both.
void join_views(const IpcArray& a, const IpcArray& b, IpcArray& joined) {
  constexpr std::uint32_t kInlineBytes = 12;
  Buffer views = joined_values(a, b, 16);
  const std::size_t own = a.buffers() - 3;
  for (std::uint64_t row = a.rows(); row < a.rows() + b.rows(); ++row) {
    Byte* const view = views.data() + 16 * row;
    if (load<std::uint32_t>(view) <= kInlineBytes) continue;
    store(view + 8, load<std::uint32_t>(view + 8) + static_cast<std::uint32_t>(own));
  }
  joined.add_buffer(std::move(views));
  for (const IpcArray* one : {&a, &b}) {
    for (std::size_t i = 2; i + 1 < one->buffers(); ++i) {
      joined.add_buffer(buffer_of_bytes(one->buffer(i)));
    }
  }
  Buffer sizes = buffer_of_bytes(a.buffer(a.buffers() - 1));
  sizes.append(b.buffer(b.buffers() - 1));
  joined.add_buffer(std::move(sizes));
}

}  // namespace

void IpcArray::add_buffer(Buffer buffer) {
  buffers_.push_back(buffer.empty() ? nullptr : buffer.data());
  memory_.push_back(std::move(buffer));
  array_.buffers = buffers_.data();
  array_.n_buffers = static_cast<std::int64_t>(buffers_.size());
}

void IpcArray::add_child(std::unique_ptr<IpcArray> child) {
  pointers_.push_back(&child->array_);
  children_.push_back(std::move(child));
  array_.children = pointers_.data();
  array_.n_children = static_cast<std::int64_t>(pointers_.size());
}

void IpcArray::set_dictionary(std::shared_ptr<IpcArray> dictionary) {
  dictionary_ = std::move(dictionary);
  array_.dictionary = &dictionary_->array_;
}

/// The dictionary of a field of codes; an empty one if the file has not shown it yet.
static std::shared_ptr<IpcArray> dictionary_of(const IpcField& field,
                                               const IpcDictionaries& dictionaries) {
  const auto found = dictionaries.find(field.dictionary);
  if (found != dictionaries.end()) return found->second;
  return empty_array(field.entries[0], dictionaries);
}

std::unique_ptr<IpcArray> empty_array(const IpcField& field, const IpcDictionaries& dictionaries) {
  auto array = std::make_unique<IpcArray>();
  const IpcLayout layout = field.shown_layout();
  const std::size_t count = buffers_of(layout) + (layout == IpcLayout::kViews ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) array->add_no_buffer();
  for (const IpcField& child : field.children) array->add_child(empty_array(child, dictionaries));
  if (!field.entries.empty()) array->set_dictionary(dictionary_of(field, dictionaries));
  return array;
}

Result<std::shared_ptr<IpcArray>> joined_arrays(const IpcField& field, const IpcArray& a,
                                                const IpcArray& b) {
  auto joined = std::make_shared<IpcArray>();
  const IpcLayout layout = field.shown_layout();
  const bool is_value = layout == IpcLayout::kBits || layout == IpcLayout::kFixed ||
                        layout == IpcLayout::kStrings || layout == IpcLayout::kViews;
  if (!is_value || !field.entries.empty()) {
    return make_error(ErrorCode::kUnsupported,
                      "adds nested values to a dictionary, which presso does not read");
  }
  if (a.array().length + b.array().length > kMostRows) return bad("has too large a dictionary");
  joined->set_rows(a.array().length + b.array().length,
                   a.array().null_count + b.array().null_count);
  joined->add_buffer(joined_bits(a, b, 0, true));
  if (layout == IpcLayout::kBits) {
    joined->add_buffer(joined_bits(a, b, 1, false));
  } else if (layout == IpcLayout::kFixed) {
    joined->add_buffer(joined_values(a, b, field.shown_width()));
  } else if (layout == IpcLayout::kViews) {
    join_views(a, b, *joined);
  } else {
    const bool fits = field.shown_width() == 4 ? join_strings<std::int32_t>(a, b, *joined)
                                               : join_strings<std::int64_t>(a, b, *joined);
    if (!fits) return bad("has too large a dictionary");
  }
  return joined;
}

Result<IpcBatch> IpcBatch::open(const FlatTable& table, const std::vector<const IpcField*>& fields,
                                const RandomAccess& file, std::uint64_t body, std::uint64_t bytes) {
  IpcBatch batch;
  batch.file_ = &file;
  batch.body_ = body;
  batch.bytes_ = bytes;
  batch.rows_ = table.number<std::int64_t>(0);
  batch.nodes_ = numbers_of(table.structs(1, 16));
  batch.buffers_ = numbers_of(table.structs(2, 16));
  batch.views_ = numbers_of(table.structs(4, 8));
  batch.fields_ = fields;
  if (table.has(3)) {
    const auto codec = table.table(3).number<Byte>(0);
    if (codec > 1 || table.table(3).number<Byte>(1) != 0) {
      return make_error(ErrorCode::kUnsupported,
                        "is compressed in a way that presso does not know");
    }
    batch.codec_ = static_cast<IpcCodec>(codec);
  }
  if (batch.rows_ < 0 || batch.rows_ > kMostRows) return bad("has an impossible number of rows");
  Cursor at;
  for (const IpcField* field : fields) {
    batch.begins_.push_back(at);
    PRESSO_TRY(batch.skip(*field, at));
  }
  return batch;
}

Status IpcBatch::skip(const IpcField& field, Cursor& at) const {
  if (++at.node > nodes_.size() / 2) return bad("has fewer columns than the schema");
  at.buffer += buffers_of(field.layout);
  if (field.layout == IpcLayout::kViews) {
    if (at.views >= views_.size()) return bad("does not tell the number of a column's buffers");
    const std::int64_t count = views_[at.views++];
    if (count < 0 || static_cast<std::uint64_t>(count) > buffers_.size()) {
      return bad("has an impossible number of buffers");
    }
    at.buffer += static_cast<std::size_t>(count);
  }
  if (at.buffer > buffers_.size() / 2) return bad("has fewer buffers than the schema demands");
  for (const IpcField& child : field.children) PRESSO_TRY(skip(child, at));
  return {};
}

Result<std::unique_ptr<IpcArray>> IpcBatch::read(std::size_t number,
                                                 const IpcDictionaries& dictionaries) const {
  Cursor at = begins_[number];
  PRESSO_ASSIGN(std::unique_ptr<IpcArray> array, read(*fields_[number], at, dictionaries));
  if (array->array().length != rows_) return bad("has a column of another length");
  return array;
}

/// open() has seen that there are as many nodes and buffers as the field needs.
Result<std::unique_ptr<IpcArray>> IpcBatch::read(const IpcField& field, Cursor& at,
                                                 const IpcDictionaries& dictionaries) const {
  auto array = std::make_unique<IpcArray>();
  const std::int64_t rows = nodes_[2 * at.node];
  const std::int64_t nulls = nodes_[2 * at.node + 1];
  ++at.node;
  if (rows < 0 || nulls < 0 || nulls > rows || rows > kMostRows) {
    return bad("has an impossible number of rows or nulls");
  }
  array->set_rows(rows, nulls);
  if (buffers_of(field.layout) > 0) PRESSO_TRY(read_validity(at, *array));
  PRESSO_TRY(read_values(field, at, *array));
  for (const IpcField& child : field.children) {
    PRESSO_ASSIGN(std::unique_ptr<IpcArray> inner, read(child, at, dictionaries));
    array->add_child(std::move(inner));
  }
  if (!field.entries.empty()) array->set_dictionary(dictionary_of(field, dictionaries));
  return array;
}

/// A column without nulls may have a bitmap all the same, which is not read.
Status IpcBatch::read_validity(Cursor& at, IpcArray& array) const {
  if (array.array().null_count == 0) {
    ++at.buffer;
    array.add_no_buffer();
    return {};
  }
  PRESSO_ASSIGN(Buffer bits, read_buffer(at, (array.rows() + 7) / 8));
  array.add_buffer(std::move(bits));
  return {};
}

/// The buffers after the validity.
Status IpcBatch::read_values(const IpcField& field, Cursor& at, IpcArray& array) const {
  const std::uint64_t rows = array.rows();
  const auto add = [&](std::uint64_t least) -> Status {
    PRESSO_ASSIGN(Buffer buffer, read_buffer(at, least));
    array.add_buffer(std::move(buffer));
    return {};
  };
  switch (field.layout) {
    case IpcLayout::kBits:
      return add((rows + 7) / 8);
    case IpcLayout::kFixed:
      return read_fixed(field, at, array);
    case IpcLayout::kStrings:
      return read_strings(field, at, array);
    case IpcLayout::kViews:
      return read_views(at, array);
    case IpcLayout::kList:
      return add(rows == 0 ? 0 : (rows + 1) * field.width);
    case IpcLayout::kListView:
      PRESSO_TRY(add(rows * field.width));
      return add(rows * field.width);
    default:
      return {};
  }
}

/// Offsets may be missing where there are no rows.
Status IpcBatch::read_strings(const IpcField& field, Cursor& at, IpcArray& array) const {
  const std::uint64_t rows = array.rows();
  PRESSO_ASSIGN(Buffer offsets, read_buffer(at, rows == 0 ? 0 : (rows + 1) * field.width));
  PRESSO_ASSIGN(Buffer bytes, read_buffer(at, 0));
  if (rows > 0) {
    const bool sound = field.width == 4
                           ? are_sound<std::int32_t>(offsets.bytes(), rows, bytes.size())
                           : are_sound<std::int64_t>(offsets.bytes(), rows, bytes.size());
    if (!sound) return bad("has offsets that fall or lead out of the strings");
  }
  array.add_buffer(std::move(offsets));
  array.add_buffer(std::move(bytes));
  return {};
}

/// The C data interface has one more buffer, with the sizes of those with the bytes.
Status IpcBatch::read_views(Cursor& at, IpcArray& array) const {
  PRESSO_ASSIGN(Buffer views, read_buffer(at, array.rows() * 16));
  array.add_buffer(std::move(views));
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = views_[at.views++]; left > 0; --left) {
    PRESSO_ASSIGN(Buffer bytes, read_buffer(at, 0));
    sizes.push_back(static_cast<std::int64_t>(bytes.size()));
    array.add_buffer(std::move(bytes));
  }
  array.add_buffer(
      buffer_of_bytes({reinterpret_cast<const Byte*>(sizes.data()), sizes.size() * 8}));
  return {};
}

/// Values that are shown as others are converted at once.
Status IpcBatch::read_fixed(const IpcField& field, Cursor& at, IpcArray& array) const {
  PRESSO_ASSIGN(Buffer values, read_buffer(at, array.rows() * field.width));
  if (field.step == IpcStep::kNone) {
    array.add_buffer(std::move(values));
    return {};
  }
  const Bytes validity = array.buffer(0);
  PRESSO_ASSIGN(std::vector<Buffer> shown,
                shown_values(field, values.bytes(), validity, array.rows()));
  for (Buffer& buffer : shown) array.add_buffer(std::move(buffer));
  return {};
}

/// Error: kInvalidArgument for a buffer that does not lie in the body or has less than `least`
/// bytes.
Result<Buffer> IpcBatch::read_buffer(Cursor& at, std::uint64_t least) const {
  const std::int64_t offset = buffers_[2 * at.buffer];
  const std::int64_t size = buffers_[2 * at.buffer + 1];
  ++at.buffer;
  if (offset < 0 || size < 0 || static_cast<std::uint64_t>(offset) > bytes_ ||
      static_cast<std::uint64_t>(size) > bytes_ - static_cast<std::uint64_t>(offset)) {
    return bad("has a buffer that lies outside of the body");
  }
  Buffer buffer;
  buffer.resize_discarding(static_cast<std::size_t>(size));
  if (size > 0) {
    PRESSO_TRY(file_->read_at(body_ + static_cast<std::uint64_t>(offset), buffer.mutable_bytes()));
  }
  if (codec_ != IpcCodec::kNone && size > 0) {
    const Buffer stored = std::move(buffer);
    buffer = Buffer();
    PRESSO_TRY(decompress(stored.bytes(), buffer));
  }
  if (buffer.size() < least) return bad("has a buffer that is shorter than its rows");
  return buffer;
}

/// A compressed buffer begins with its plain size, or with -1 where it is stored as it is.
Status IpcBatch::decompress(Bytes stored, Buffer& to) const {
  if (stored.size() < 8) return bad("has a compressed buffer without a size");
  const auto plain = load<std::int64_t>(stored.data());
  const Bytes packed = stored.subspan(8);
  if (plain == -1) {
    to.append(packed);
    return {};
  }
  const bool is_zstd = codec_ == IpcCodec::kZstd;
  const ParquetCodec codec = is_zstd ? ParquetCodec::kZstd : ParquetCodec::kLz4Raw;
  if (plain < 0 || static_cast<std::uint64_t>(plain) > most_page_bytes(codec, packed.size())) {
    return bad("has a compressed buffer of an impossible size");
  }
  to.resize_discarding(static_cast<std::size_t>(plain));
  const Status done = is_zstd ? decompress_page(codec, packed, to.mutable_bytes())
                              : decompress_lz4_frame(packed, to.mutable_bytes());
  if (done.ok() || done.error().code == ErrorCode::kUnsupported) return done;
  return bad("has a damaged compressed buffer");
}

}  // namespace presso::cli
