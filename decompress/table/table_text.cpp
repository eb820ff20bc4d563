// SPDX-License-Identifier: MIT
// The text of a table, from front to back. A row group is the unit: it is read by one thread,
// decoded and printed by any, and written in order. Memory: a row group and its text for each
// thread. Tested by tests/unit/decompress/table/table_damage_test.cpp and
// tests/cli/test_table.py.
#include <algorithm>
#include <utility>

#include "decompress/table/packed_group.h"
#include "decompress/table/row_group_decoder.h"
#include "decompress/table/zone_check.h"
#include "format/columns/row_text.h"
#include "format/columns/table_file.h"
#include "format/columns/text_encoding.h"
#include "format/container_rules.h"
#include "format/line_facts.h"
#include "presso/checksum.h"
#include "presso/ordered_pipeline.h"
#include "presso/table.h"

namespace presso {
namespace {

using SharedSchema = std::shared_ptr<const TableSchema>;

/// A row group with everything needed to print it, or the beginning of a member.
struct TextItem {
  SharedSchema schema;
  std::optional<StoredRowGroup> group;  ///< nullopt: the member's head is due
  std::uint64_t offset = 0;             ///< position in the table after it
  std::optional<Error> damage;  ///< set if nothing can be read here; it is the last item then
  bool in_tail = false;         ///< whether the damage is one of index or trailer
};

/// Gives TextItems from front to back. For one thread.
class TextItems {
 public:
  explicit TextItems(ByteSource& source) : stream_(source) {}

  Result<std::optional<TextItem>> next() {
    PRESSO_ASSIGN(TableFrame frame, stream_.next());
    // The end of the last member.
    if (std::holds_alternative<EndOfInput>(frame)) return std::optional<TextItem>();
    if (auto* begin = std::get_if<TableBegin>(&frame)) {
      // Later members' metadata are not asked for.
      if (!begun_) metadata_ = std::move(begin->metadata);
      begun_ = true;
      schema_ = std::make_shared<const TableSchema>(std::move(begin->schema));
      return std::optional(TextItem{schema_, std::nullopt, stream_.offset(), std::nullopt, false});
    }
    return std::optional(TextItem{schema_, std::move(std::get<StoredRowGroup>(frame)),
                                  stream_.offset(), std::nullopt, false});
  }
  const Metadata& metadata() const { return metadata_; }
  std::uint64_t offset() const { return stream_.offset(); }
  /// Whether a member was found: what comes before that is no table, salvage or not.
  bool has_begun() const { return begun_; }
  bool in_tail() const { return stream_.in_tail(); }

 private:
  TableStream stream_;
  SharedSchema schema_;
  Metadata metadata_;
  bool begun_ = false;
};

/// Compares the text with the directory. If the table is not exact, only its size is limited.
Status check_text(const TableSchema& schema, const RowGroup& group, Bytes text, bool verify) {
  const auto bad = [](const char* what) { return make_error(ErrorCode::kBadRowGroup, what); };
  if (text.size() > kMaxGroupTextBytes) return bad("text of more than 4 GiB");
  if (!schema.exact) return {};
  // Cheap checks come first, the checksum last.
  if (text.size() != group.text_bytes) return bad("bytes of the text");
  if (!verify) return {};
  if (line_feeds_in(text) != group.text_lines) return bad("lines of the text");
  if (checksum64(text) == group.text_checksum) return {};
  return make_error(ErrorCode::kContentChecksum, "the text of a row group");
}

/// The error with the name of the column whose values cannot be read.
Error in_column(Error error, const std::string& name) {
  if (is_damage(error.code)) {
    error.what = "in column '" + name + "'" + (error.what.empty() ? "" : ", ") + error.what;
  }
  return error;
}

/// The directory's ranges are checked as well, if options.check_zones.
Status print_group(const TableSchema& schema, const StoredRowGroup& stored,
                   const DecodeOptions& options, Buffer& to) {
  // The row group's blocks are in memory already; errors count from the file's beginning.
  const std::uint64_t blocks_offset = stored.file_offset + stored.directory_bytes;
  const MemoryRandomAccess stored_blocks(stored.blocks.bytes());
  UnpackedGroup unpacked;
  const bool is_packed = stored.directory.is_packed();
  if (is_packed) {
    const BlockReader packed(stored.directory, stored_blocks, 0, blocks_offset, options);
    if (!stored.directory.is_text() || options.check_zones) {
      PRESSO_ASSIGN(unpacked, unpack_group(schema, stored.directory, packed));
    }
    if (stored.directory.is_text()) {
      PRESSO_ASSIGN(to, read_text(stored.directory, packed));
      return check_text(schema, stored.directory, to.bytes(), options.verify);
    }
  }
  const MemoryRandomAccess plain_blocks(unpacked.blocks.bytes());
  const RowGroup& group = is_packed ? unpacked.directory : stored.directory;
  const RowGroupDecoder decoder(schema, group, is_packed ? plain_blocks : stored_blocks, 0,
                                blocks_offset, options);
  std::vector<ColumnData> columns;
  std::vector<ColumnView> views;
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    auto read = decoder.read(i, 0, group.rows);
    if (!read.ok()) return in_column(std::move(read.error()), schema.columns[i].name);
    ColumnData column = std::move(*read);
    if (options.check_zones) PRESSO_TRY(check_zones(group, i, column.view()));
    columns.push_back(std::move(column));
  }
  for (const ColumnData& column : columns) views.push_back(column.view());
  PRESSO_ASSIGN(const ExactLines exact, decoder.exact_lines());
  // Rows whose text was not the usual one are printed as they stood.
  const RowPrinter printer(schema, views, schema.exact ? &exact : nullptr);
  const std::uint64_t most_bytes = schema.exact ? group.text_bytes : kMaxGroupTextBytes;
  // In parts, so that a damaged row group prints little more than it says.
  for (std::uint64_t row = 0; row < group.rows && to.size() <= most_bytes;) {
    const std::uint64_t rows = std::min(printer.batch_rows(), group.rows - row);
    PRESSO_TRY(printer.print(row, rows, to));
    row += rows;
  }
  return check_text(schema, group, to.bytes(), options.verify);
}

// Turns running out of memory into an error; adds the offset.
Status print_item(const TextItem& item, const DecodeOptions& options, Buffer& to) {
  if (item.damage) return *item.damage;
  return without_bad_alloc([&]() -> Status {
    if (item.group) {
      Status printed = print_group(*item.schema, *item.group, options, to);
      if (printed.ok()) return printed;
      return at_offset(std::move(printed.error()), item.group->file_offset);
    }
    const std::string& head = item.schema->text.head;
    to.append({reinterpret_cast<const Byte*>(head.data()), head.size()});
    return {};
  });
}

/// The text in the encoding that it had.
Status encode_text(const TextItem& item, Buffer& text) {
  const TextEncoding encoding = item.damage ? TextEncoding::kUtf8 : item.schema->text.encoding;
  if (encoding == TextEncoding::kUtf8) return {};
  return without_bad_alloc([&]() -> Status {
    Buffer encoded;
    Status done = append_encoded(encoding, text.bytes(), encoded);
    if (!done.ok())
      return at_offset(std::move(done.error()), item.group ? item.group->file_offset : 0);
    text = std::move(encoded);
    return {};
  });
}

/// A printed item on its way to the writer.
struct Printed {
  Status status;
  Buffer text;
  std::uint64_t file_offset = 0;
  bool in_tail = false;          ///< TextItem::in_tail
  std::uint64_t text_bytes = 0;  ///< as the directory says
  std::uint64_t offset = 0;      ///< position in the table after it
};

/// The text as a source, on the caller's thread, for searches over tables.
class TextSource final : public ByteSource {
 public:
  TextSource(ByteSource& table, const DecodeOptions& options) : items_(table), options_(options) {}

  Result<std::size_t> read(MutableBytes into) override {
    while (at_ == text_.size()) {
      // Some items have no text, hence the loop.
      PRESSO_ASSIGN(const std::optional<TextItem> item, items_.next());
      if (!item) return std::size_t{0};
      text_.clear();
      at_ = 0;
      PRESSO_TRY(print_item(*item, options_, text_));
    }
    // A row group's text is handed out piece by piece.
    const std::size_t count = std::min(into.size(), text_.size() - at_);
    std::copy_n(text_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  TextItems items_;
  DecodeOptions options_;
  Buffer text_;
  std::size_t at_ = 0;
};

}  // namespace

// The magic of a file, and the kind of content in its header (FORMAT.md 4).
bool begins_table(Bytes begun) {
  return begun.size() >= 12 && has_file_magic(begun.data()) &&
         load<std::uint16_t>(begun.data() + 10) == static_cast<std::uint16_t>(Content::kTable);
}

// In salvage a damaged row group is reported and skipped, as long as frames can be followed.
Result<DecompressSummary> decompress_table(ByteSource& source, ByteSink& sink,
                                           const DecompressOptions& options) {
  DecompressSummary summary;
  TextItems items(source);
  const unsigned threads = threads_or_all(options.threads);
  bool ended = false;
  const auto next = [&]() -> Result<std::optional<TextItem>> {
    if (ended) return std::optional<TextItem>();
    auto item = items.next();
    if (item.ok() || !options.salvage || !items.has_begun() || !is_damage(item.error().code)) {
      return item;
    }
    // Frames cannot be followed past this place: the damage is the last item.
    ended = true;
    TextItem last;
    last.damage = std::move(item.error());
    last.in_tail = items.in_tail();
    return std::optional(std::move(last));
  };
  std::uint64_t plain_offset = 0;
  const auto print = [&](TextItem item, unsigned) {
    Printed printed;
    printed.offset = item.offset;
    if (item.damage) printed.file_offset = item.damage->byte_offset;
    printed.in_tail = item.in_tail;
    if (item.group) {
      printed.file_offset = item.group->file_offset;
      printed.text_bytes = item.group->directory.text_bytes;
    }
    printed.status = print_item(item, options.decode, printed.text);
    if (printed.status.ok()) printed.status = encode_text(item, printed.text);
    return printed;
  };
  const auto pass_damage = [&](Printed printed) -> Status {
    const Error& problem = printed.status.error();
    if (!options.salvage || !is_damage(problem.code)) return std::move(printed.status);
    DecodedBlock damage;
    damage.plain_offset = plain_offset;
    damage.file_offset = printed.file_offset;
    // The directory still tells how much text is missing.
    damage.plain_bytes = static_cast<std::uint32_t>(printed.text_bytes);
    damage.lost_blocks = printed.in_tail ? 0 : 1;
    damage.status = std::move(printed.status);
    plain_offset += printed.text_bytes;
    ++summary.damaged_blocks;
    summary.lost_blocks += damage.lost_blocks;
    if (options.on_damage) options.on_damage(damage);
    return {};
  };
  const auto write = [&](Printed printed) -> Result<bool> {
    if (!printed.status.ok()) {
      PRESSO_TRY(pass_damage(std::move(printed)));
      return true;
    }
    PRESSO_TRY(sink.write(printed.text.bytes()));
    plain_offset += printed.text.size();
    summary.plain_bytes += printed.text.size();
    ++summary.blocks;
    const bool goes_on =
        !options.on_progress || options.on_progress(printed.offset, summary.plain_bytes);
    if (!goes_on) return make_error(ErrorCode::kCancelled);
    return true;
  };
  PRESSO_TRY((run_ordered<TextItem, Printed>({threads, threads + 1}, next, print, write)));
  summary.compressed_bytes = items.offset();
  summary.metadata = items.metadata();
  return summary;
}

// Decodes on the caller's thread, one row group at a time; errors show in read().
std::unique_ptr<ByteSource> table_text(ByteSource& table, const DecodeOptions& options) {
  return std::make_unique<TextSource>(table, options);
}

}  // namespace presso
