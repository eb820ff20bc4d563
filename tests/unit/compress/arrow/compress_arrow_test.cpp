// SPDX-License-Identifier: MIT
// Arrow streams as tables: layouts that other libraries hand out (slices, offsets of 32 bits,
// views, dictionaries, decimals), what is refused, and that everything is released once.
#include "presso/compress_arrow.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "compress/arrow/arrow_column.h"
#include "presso/table.h"

namespace presso::compress_arrow_test {
namespace {

using Words = std::vector<std::string>;

template <class T>
std::vector<Byte> bytes_of(std::initializer_list<T> values) {
  std::vector<Byte> bytes;
  for (const T value : values) append_value(bytes, value);
  return bytes;
}

std::vector<Byte> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

/// A stream of one column, as another library might make it. Counts what is released.
class OneColumn {
 public:
  OneColumn(std::string format, bool nullable) : format_(std::move(format)) {
    column_schema_ = {
        format_.c_str(),    "c", nullptr, nullable ? ARROW_FLAG_NULLABLE : 0, 0, nullptr, nullptr,
        count<ArrowSchema>, this};
  }
  OneColumn(const OneColumn&) = delete;
  OneColumn& operator=(const OneColumn&) = delete;

  /// A batch; buffers without bytes are null pointers.
  void add(std::int64_t length, std::int64_t offset, std::vector<std::vector<Byte>> buffers) {
    Batch& batch = batches_.emplace_back();
    batch.column = array_of(batch, length, offset, std::move(buffers));
    batch.whole = {length, 0, 0, 1, 1, &no_buffer_, &batch.child, nullptr, release_array, this};
    batch.child = &batch.column;
  }
  void set_dictionary(const char* format, std::int64_t length,
                      std::vector<std::vector<Byte>> buffers) {
    entries_schema_ = {format, nullptr, nullptr, ARROW_FLAG_NULLABLE,
                       0,      nullptr, nullptr, count<ArrowSchema>,
                       this};
    column_schema_.dictionary = &entries_schema_;
    entries_ = array_of(dictionary_, length, 0, std::move(buffers));
    for (Batch& batch : batches_) batch.column.dictionary = &entries_;
  }
  ArrowArray& batch() { return batches_.back().whole; }
  ArrowArray& column() { return batches_.back().column; }
  const char* struct_format = "+s";
  const char* stream_error = nullptr;  ///< instead of the end

  ArrowArrayStream stream() {
    return {get_schema, get_next,
            [](ArrowArrayStream* stream) { return self_of(stream).stream_error; },
            [](ArrowArrayStream* stream) {
              ++self_of(stream).streams_released;
              stream->release = nullptr;
            },
            this};
  }
  int streams_released = 0;
  int schemas_released = 0;
  int arrays_released = 0;
  std::size_t batches_given() const { return next_; }

 private:
  struct Batch {
    std::deque<std::vector<Byte>> bytes;
    std::vector<const void*> buffers;
    ArrowArray column;
    ArrowArray whole;
    ArrowArray* child;
  };

  static ArrowArray array_of(Batch& batch, std::int64_t length, std::int64_t offset,
                             std::vector<std::vector<Byte>> buffers) {
    for (std::vector<Byte>& buffer : buffers) {
      batch.bytes.push_back(std::move(buffer));
      batch.buffers.push_back(batch.bytes.back().empty() ? nullptr : batch.bytes.back().data());
    }
    return {length,  -1,
            offset,  static_cast<std::int64_t>(buffers.size()),
            0,       batch.buffers.data(),
            nullptr, nullptr,
            nullptr, nullptr};
  }
  static OneColumn& self_of(ArrowArrayStream* stream) {
    return *static_cast<OneColumn*>(stream->private_data);
  }
  template <class Struct>
  static void count(Struct* released) {
    ++static_cast<OneColumn*>(released->private_data)->schemas_released;
    released->release = nullptr;
  }
  static void release_array(ArrowArray* released) {
    ++static_cast<OneColumn*>(released->private_data)->arrays_released;
    released->release = nullptr;
  }
  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    OneColumn& self = self_of(stream);
    self.children_[0] = &self.column_schema_;
    *out = {self.struct_format, nullptr, nullptr, 0, 1, self.children_, nullptr,
            count<ArrowSchema>, &self};
    return 0;
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    OneColumn& self = self_of(stream);
    *out = {};
    if (self.next_ < self.batches_.size()) {
      *out = self.batches_[self.next_++].whole;
      return 0;
    }
    return self.stream_error == nullptr ? 0 : 5;
  }

  std::string format_;
  ArrowSchema column_schema_ = {};
  ArrowSchema entries_schema_ = {};
  ArrowSchema* children_[1] = {};
  ArrowArray entries_ = {};
  Batch dictionary_ = {};
  std::deque<Batch> batches_;
  std::size_t next_ = 0;
  const void* no_buffer_ = nullptr;
};

struct Made {
  std::vector<Byte> file = {};
  Result<TableWriterSummary> summary = make_error(ErrorCode::kCancelled);
};

Made compress(OneColumn& column) {
  Made made;
  VectorSink sink(made.file);
  ArrowArrayStream stream = column.stream();
  made.summary = compress_arrow(stream, sink);
  EXPECT_EQ(column.streams_released, 1);
  EXPECT_EQ(column.schemas_released, 1);
  EXPECT_EQ(column.arrays_released, static_cast<int>(column.batches_given()));
  return made;
}

/// The rows as presso prints them, "-" for null.
Words rows_of(OneColumn& column) {
  const Made made = compress(column);
  EXPECT_TRUE(made.summary.ok()) << made.summary.error().message();
  if (!made.summary.ok()) return {};
  const MemoryRandomAccess access(made.file);
  const auto table = Table::open(access);
  EXPECT_TRUE(table.ok()) << table.error().message();
  RowsOptions options;
  options.form.kind = TextKind::kDelimited;
  options.form.null_text = "-";
  options.header = false;
  std::vector<Byte> text;
  VectorSink sink(text);
  EXPECT_TRUE(write_rows(*table, options, sink).ok());
  Words rows(1);
  for (const Byte byte : text) {
    if (byte == '\n') {
      rows.emplace_back();
    } else {
      rows.back() += static_cast<char>(byte);
    }
  }
  rows.pop_back();
  return rows;
}

Error error_of(OneColumn& column) {
  Made made = compress(column);
  EXPECT_FALSE(made.summary.ok());
  return made.summary.ok() ? Error() : made.summary.error();
}

TEST(CompressArrow, BatchesOfNumbersAreOneTable) {
  OneColumn column("i", true);
  column.add(2, 0, {{}, bytes_of<std::int32_t>({7, -8})});
  column.add(0, 0, {{}, {}});
  column.add(3, 0, {{0b101}, bytes_of<std::int32_t>({9, 0, 11})});
  EXPECT_EQ(rows_of(column), (Words{"7", "-8", "9", "-", "11"}));
}

TEST(CompressArrow, SlicesBeginInsideBytesOfBitmaps) {
  OneColumn column("i", true);
  column.add(3, 2, {{0b10110}, bytes_of<std::int32_t>({1, 2, 3, 4, 5})});
  EXPECT_EQ(rows_of(column), (Words{"3", "-", "5"}));
  OneColumn bits("b", true);
  bits.add(3, 7, {{0x80, 0b10}, {0x80, 0b11}});
  EXPECT_EQ(rows_of(bits), (Words{"true", "-", "true"}));
}

TEST(CompressArrow, AnOffsetOfTheBatchAddsToThatOfTheColumn) {
  OneColumn column("l", true);
  column.add(4, 1, {{}, bytes_of<std::int64_t>({1, 2, 3, 4, 5})});
  column.batch().length = 2;
  column.batch().offset = 1;
  EXPECT_EQ(rows_of(column), (Words{"3", "4"}));
}

TEST(CompressArrow, StringsHaveOffsetsOf32Or64BitsThatNeedNotBeginWithZero) {
  OneColumn narrow("u", true);
  narrow.add(3, 1, {{0b1011}, bytes_of<std::int32_t>({0, 3, 6, 7, 9}), bytes_of("onetwo?xy")});
  EXPECT_EQ(rows_of(narrow), (Words{"two", "-", "xy"}));
  OneColumn wide("U", false);
  wide.add(2, 0, {{}, bytes_of<std::int64_t>({1, 2, 4}), bytes_of("?abc")});
  EXPECT_EQ(rows_of(wide), (Words{"a", "bc"}));
  OneColumn empty("u", false);
  empty.add(2, 0, {{}, bytes_of<std::int32_t>({0, 0, 0}), {}});
  EXPECT_EQ(rows_of(empty), (Words{"", ""}));
}

std::vector<Byte> view_of(std::string_view text, std::int32_t buffer, std::int32_t offset) {
  auto view = bytes_of<std::int32_t>({static_cast<std::int32_t>(text.size())});
  view.resize(16);
  std::memcpy(view.data() + 4, text.data(), std::min<std::size_t>(text.size(), 12));
  if (text.size() > 12) store(view.data() + 8, buffer);
  if (text.size() > 12) store(view.data() + 12, offset);
  return view;
}

TEST(CompressArrow, StringsMayBeViews) {
  const std::string in_second = "a string that is long";
  std::vector<Byte> views = view_of("short", 0, 0);
  for (const auto& view : {view_of(in_second, 1, 2), view_of("", 0, 0)}) {
    views.insert(views.end(), view.begin(), view.end());
  }
  for (const std::int64_t size : {23, 22}) {
    OneColumn column("vu", true);
    column.add(3, 0,
               {{0b011},
                views,
                bytes_of("unused"),
                bytes_of("??" + in_second),
                bytes_of<std::int64_t>({6, size})});
    if (size == 23) {
      EXPECT_EQ(rows_of(column), (Words{"short", in_second, "-"}));
    } else {
      EXPECT_NE(error_of(column).what.find("'c' of the Arrow stream: views"), std::string::npos);
    }
  }
}

TEST(CompressArrow, DictionariesBecomeTheirValues) {
  OneColumn strings("c", true);
  strings.add(5, 1, {{0b110110}, bytes_of<std::int8_t>({9, 1, 0, -1, 2, 0})});
  strings.set_dictionary("u", 3,
                         {{0b011}, bytes_of<std::int32_t>({0, 3, 7, 7}), bytes_of("redblue")});
  EXPECT_EQ(rows_of(strings), (Words{"blue", "red", "-", "-", "red"}));
  OneColumn numbers("S", true);
  numbers.add(3, 0, {{}, bytes_of<std::uint16_t>({1, 1, 0})});
  numbers.set_dictionary("g", 2, {{}, bytes_of<double>({0.5, -2})});
  EXPECT_EQ(rows_of(numbers), (Words{"-2", "-2", "0.5"}));
  for (const std::int32_t code : {-1, 2}) {
    OneColumn beyond("i", true);
    beyond.add(1, 0, {{}, bytes_of<std::int32_t>({code})});
    beyond.set_dictionary("b", 2, {{}, {0b01}});
    EXPECT_NE(error_of(beyond).what.find("a code beyond the dictionary"), std::string::npos);
  }
}

/// So many rows of a dictionary of two long strings and a null: "a", "b", null, "a" ...
void add_long_entries(OneColumn& column, std::int64_t rows, const std::string& a,
                      const std::string& b) {
  std::vector<Byte> codes;
  for (std::int64_t row = 0; row < rows; ++row) {
    append_value(codes, static_cast<std::int32_t>(row % 3));
  }
  const auto first = static_cast<std::int32_t>(a.size());
  const auto both = static_cast<std::int32_t>(a.size() + b.size());
  column.add(rows, 0, {{}, codes});
  column.set_dictionary("u", 3,
                        {{0b011}, bytes_of<std::int32_t>({0, first, both, both}), bytes_of(a + b)});
}

TEST(CompressArrow, LongStringsOfDictionariesAreTakenInSlices) {
  const std::string a(70000, 'a');
  const std::string b(50000, 'b');
  OneColumn column("i", true);
  add_long_entries(column, 1501, a, b);
  const Words rows = rows_of(column);  // 60 MB
  ASSERT_EQ(rows.size(), 1501u);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    ASSERT_TRUE(rows[row] == (row % 3 == 0 ? a : row % 3 == 1 ? b : "-")) << row;
  }
}

TEST(CompressArrow, BatchesOfMoreRowsThanASliceKeepTheirOrder) {
  std::vector<Byte> values;
  std::vector<Byte> validity(25001, 0b11011111);
  for (std::int32_t row = 0; row < 200005; ++row) append_value(values, row);
  OneColumn column("i", true);
  column.add(200001, 3, {validity, values});
  const Words rows = rows_of(column);
  ASSERT_EQ(rows.size(), 200001u);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    ASSERT_EQ(rows[row], (row + 3) % 8 == 5 ? "-" : std::to_string(row + 3));
  }
}

/// Rows of which views are made at once, where 1 MiB may be copied.
std::uint64_t rows_viewed(OneColumn& column) {
  ArrowArrayStream stream = column.stream();
  ArrowSchema schema;
  stream.get_schema(&stream, &schema);
  auto viewed = ArrowColumn::make(*schema.children[0]);
  EXPECT_TRUE(viewed.ok() && viewed->copies_strings());
  EXPECT_TRUE(viewed->begin(column.column(), 0).ok());
  const auto rows = static_cast<std::uint64_t>(column.column().length);
  const auto view = viewed->view(column.column(), 0, rows, 1u << 20);
  EXPECT_TRUE(view.ok());
  return view.ok() ? view->rows : 0;
}

TEST(CompressArrow, SoManyStringsAreCopiedAtOnceAsMayBe) {
  const std::string entry(20000, 'x');
  OneColumn dictionary("i", true);
  add_long_entries(dictionary, 200000, entry, entry);
  EXPECT_EQ(rows_viewed(dictionary), 79u);  // 53 of them not null
  OneColumn views("vu", true);
  std::vector<Byte> repeated;
  for (int row = 0; row < 1000; ++row) {
    const std::vector<Byte> one = view_of(entry, 0, 0);
    repeated.insert(repeated.end(), one.begin(), one.end());
  }
  views.add(1000, 0, {{}, repeated, bytes_of(entry), bytes_of<std::int64_t>({20000})});
  EXPECT_EQ(rows_viewed(views), 53u);
}

TEST(CompressArrow, DecimalsOf18DigitsAreNarrowedAndMustFit) {
  const auto decimals = [](std::int64_t high) {
    return bytes_of<std::int64_t>({150, 0, -225, -1, 5, high});
  };
  OneColumn column("d:10,2", true);
  column.add(2, 0, {{}, decimals(0)});
  column.add(1, 2, {{}, decimals(0)});
  EXPECT_EQ(rows_of(column), (Words{"1.50", "-2.25", "0.05"}));
  OneColumn large("d:10,2", true);
  large.add(3, 0, {{}, decimals(1)});
  EXPECT_NE(error_of(large).what.find("more digits than its type"), std::string::npos);
  OneColumn null("d:10,2", true);
  null.add(3, 0, {{0b011}, decimals(1)});
  EXPECT_EQ(rows_of(null), (Words{"1.50", "-2.25", "-"}));
}

TEST(CompressArrow, DatesTimestampsAndWideDecimalsKeepTheirTypes) {
  OneColumn dates("tdD", true);
  dates.add(1, 0, {{}, bytes_of<std::int32_t>({19753})});
  EXPECT_EQ(rows_of(dates), (Words{"2024-01-31"}));
  OneColumn times("tsm:UTC", true);
  times.add(1, 0, {{}, bytes_of<std::int64_t>({1706745599123})});
  EXPECT_EQ(rows_of(times), (Words{"2024-01-31 23:59:59.123"}));
  OneColumn wide("d:38,1", true);
  wide.add(1, 0, {{}, bytes_of<std::int64_t>({5, 1})});
  EXPECT_EQ(rows_of(wide), (Words{"1844674407370955162.1"}));
}

TEST(CompressArrow, TypesThatATableHasNotAreNamedWithTheirColumn) {
  for (const char* format : {"+l", "ttu", "tDs", "e", "w:16", "d:77,2,256"}) {
    OneColumn column(format, true);
    const Error error = error_of(column);
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_NE(error.what.find("column 'c': the Arrow type `" + std::string(format) + "`"),
              std::string::npos)
        << error.what;
  }
  OneColumn no_struct("i", true);
  no_struct.struct_format = "i";
  EXPECT_EQ(error_of(no_struct).code, ErrorCode::kUnsupported);
}

TEST(CompressArrow, ArraysThatContradictTheirSchemaAreRefused) {
  const auto said = [](std::int64_t length, std::vector<std::vector<Byte>> buffers,
                       const std::string& format, auto change) {
    OneColumn column(format, true);
    column.add(length, 0, std::move(buffers));
    change(column);
    const Error error = error_of(column);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    return error.what;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto one = bytes_of<std::int32_t>({1});
  const auto same = [](OneColumn&) {};
  has(said(1, {{}, {}}, "i", same), "has no values");
  has(said(1, {{}}, "i", same), "number of buffers");
  has(said(1, {{}, one}, "u", same), "number of buffers");
  has(said(1, {{}, bytes_of<std::int32_t>({0, 3}), {}}, "u", same), "has no values");
  has(said(1, {{}, bytes_of<std::int32_t>({3, 1}), {1}}, "u", same), "offsets");
  has(said(1, {{}, bytes_of<std::int32_t>({-3, 1}), {1}}, "u", same), "offsets");
  has(said(1, {{}, bytes_of<std::int32_t>({0, 1}), {0xFF}}, "u", same), "not UTF-8");
  has(said(1, {{}, one}, "i", [](OneColumn& c) { c.column().length = 0; }), "fewer rows");
  has(said(1, {{}, one}, "i", [](OneColumn& c) { c.column().offset = -1; }), "length or offset");
  has(said(1, {{}, one}, "i", [](OneColumn& c) { c.column().null_count = 1; }), "has nulls");
  has(said(1, {{}, one}, "i", [](OneColumn& c) { c.batch().n_children = 0; }), "columns");
  has(said(1, {{}, one}, "i", [](OneColumn& c) { c.batch().length = -1; }), "length");
}

TEST(CompressArrow, NullsInAColumnThatIsNotNullableAreRefused) {
  OneColumn column("i", false);
  column.add(2, 0, {{0b01}, bytes_of<std::int32_t>({1, 2})});
  EXPECT_NE(error_of(column).what.find("row 2 is null"), std::string::npos);
}

TEST(CompressArrow, ARowThatIsNullAsAWholeIsRefused) {
  OneColumn column("i", true);
  column.add(2, 0, {{}, bytes_of<std::int32_t>({1, 2})});
  const Byte validity[] = {0b10};
  const void* buffers[] = {validity};
  column.batch().buffers = buffers;
  column.batch().null_count = 1;
  EXPECT_NE(error_of(column).what.find("null as a whole"), std::string::npos);
}

TEST(CompressArrow, AnErrorOfTheStreamIsTold) {
  OneColumn column("i", true);
  column.add(1, 0, {{}, bytes_of<std::int32_t>({1})});
  column.stream_error = "the disk is gone";
  const Error error = error_of(column);
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_NE(error.what.find("the disk is gone"), std::string::npos);
}

TEST(CompressArrow, AStreamThatWasReleasedIsRefused) {
  std::vector<Byte> file;
  VectorSink sink(file);
  ArrowArrayStream stream = {};
  EXPECT_EQ(compress_arrow(stream, sink).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(file.empty());
}

}  // namespace
}  // namespace presso::compress_arrow_test
