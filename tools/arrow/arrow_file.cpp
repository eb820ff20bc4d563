// SPDX-License-Identifier: MIT
// A file lists its messages in a footer, a stream is read from message to message.
#include "tools/arrow/arrow_file.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compress/arrow/arrow_batch_reader.h"
#include "compress/table/text/header.h"
#include "decompress/arrow/ipc_format.h"
#include "format/threads/parallel.h"

namespace presso::cli {
namespace {

/// What stands at the end of a file: the size of the footer, and the magic.
constexpr std::size_t kTailBytes = 10;
/// A batch of fewer rows is read on one thread.
constexpr std::int64_t kManyRows = 1 << 14;

bool is_magic(Bytes bytes) {
  return std::equal(kIpcMagic.begin(), kIpcMagic.end(), bytes.begin(), bytes.end());
}

Error damaged(const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument, "the Arrow file is damaged: " + what);
}

Error cut_off(std::uint64_t at) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the Arrow file is cut off in the message at byte " + grouped(at));
}

/// The error with the place of the message, and of the column, if it is one.
Error placed(Error error, const std::string& place) {
  error.what = place + ": " + error.what;
  return error;
}

}  // namespace

bool begins_arrow(Bytes begun) {
  if (begun.size() < 8) return false;
  if (is_magic(begun.first(kIpcMagic.size()))) return true;
  const auto bytes = load<std::uint32_t>(begun.data() + 4);
  return load<std::uint32_t>(begun.data()) == kIpcMarker && bytes > 0 && bytes < 1u << 31;
}

/// A message whose metadata has been read. Its body is read by whoever needs it.
struct ArrowFile::Message {
  std::uint64_t at = 0;
  Buffer metadata;
  std::unique_ptr<FlatSource> source;
  IpcHeader type = IpcHeader::kSchema;
  FlatTable header;
  std::uint64_t body = 0;
  std::uint64_t body_bytes = 0;
  bool is_end = false;  ///< there is no message: the stream ends here

  std::uint64_t end() const { return body + body_bytes; }
  std::string place() const { return "message at byte " + grouped(at); }
  Status check() const {
    return source->sound() ? Status() : Status{damaged("metadata of the " + place())};
  }
};

ArrowFile::~ArrowFile() = default;

Result<ArrowFile::Message> ArrowFile::message_at(std::uint64_t at) const {
  Message message;
  message.at = at;
  const std::uint64_t left = at <= file_.size() ? file_.size() - at : 0;
  message.is_end = left == 0 && is_stream_;
  if (message.is_end) return message;
  Byte prefix[8] = {};
  if (left < 4) return cut_off(at);
  PRESSO_TRY(file_.read_at(at, MutableBytes(prefix, std::min<std::uint64_t>(left, 8))));
  // Before Arrow 0.15 the size stood at the beginning.
  const bool is_marked = load<std::uint32_t>(prefix) == kIpcMarker;
  const std::uint64_t begin = is_marked ? 8 : 4;
  const std::uint64_t bytes = load<std::uint32_t>(prefix + begin - 4);
  message.body = at + begin + bytes;
  if (left < begin || bytes > left - begin) return cut_off(at);
  message.is_end = bytes == 0 && is_stream_;
  if (message.is_end) return message;
  message.metadata.resize_discarding(static_cast<std::size_t>(bytes));
  PRESSO_TRY(file_.read_at(at + begin, message.metadata.mutable_bytes()));
  message.source = std::make_unique<FlatSource>(message.metadata.bytes());
  const FlatTable root = FlatTable::root(*message.source);
  const auto version = root.number<std::int16_t>(0);
  message.type = static_cast<IpcHeader>(root.number<Byte>(1));
  message.header = root.table(2);
  message.body_bytes = root.number<std::uint64_t>(3);
  PRESSO_TRY(message.check());
  if (version != kIpcVersion4 && version != kIpcVersion5) {
    return make_error(ErrorCode::kUnsupported, message.place() + ": has metadata version " +
                                                   std::to_string(version + 1) +
                                                   " of Arrow; presso reads 4 and 5");
  }
  if (message.body_bytes > left - begin - bytes) return cut_off(at);
  return message;
}

/// Calls on_message(message) for each message after the schema; of a file, in the order of the
/// footer. It returns whether to go on.
template <class OnMessage>
Status ArrowFile::each_message(const OnMessage& on_message) const {
  for (const Block& block : blocks_) {
    PRESSO_ASSIGN(const Message message, message_at(block.at));
    if (message.type != block.header) {
      return damaged("the " + message.place() + " is of another kind than the footer says");
    }
    PRESSO_ASSIGN(const bool go_on, on_message(message));
    if (!go_on) return {};
  }
  if (!is_stream_) return {};
  for (std::uint64_t at = begin_;;) {
    PRESSO_ASSIGN(const Message message, message_at(at));
    if (message.is_end) {
      if (std::max(at, message.body) == file_.size()) return {};
      return damaged("the Arrow stream ends at byte " + grouped(at) + ", and more follows");
    }
    if (message.type != IpcHeader::kRecordBatch && message.type != IpcHeader::kDictionaryBatch) {
      return damaged("the " + message.place() + " is no batch");
    }
    PRESSO_ASSIGN(const bool go_on, on_message(message));
    if (!go_on) return {};
    at = message.end();
  }
}

Status ArrowFile::take_fields(const FlatTable& schema) {
  PRESSO_ASSIGN(fields_, read_ipc_schema(schema));
  if (fields_.empty()) return make_error(ErrorCode::kUnsupported, "has no columns");
  for (const IpcField& field : fields_) PRESSO_TRY(add_dictionaries(field));
  return {};
}

/// Several fields may share a dictionary.
Status ArrowFile::add_dictionaries(const IpcField& field) {
  for (const IpcField& values : field.entries) {
    const auto [found, is_new] = values_.emplace(field.dictionary, &values);
    if (!is_new && !have_same_arrays(*found->second, values)) {
      return damaged("dictionary " + std::to_string(field.dictionary) + " has two types");
    }
    PRESSO_TRY(add_dictionaries(values));
  }
  for (const IpcField& child : field.children) PRESSO_TRY(add_dictionaries(child));
  return {};
}

Status ArrowFile::open_file() {
  Byte tail[kTailBytes] = {};
  const std::uint64_t size = file_.size();
  if (size >= 2 * kTailBytes) PRESSO_TRY(file_.read_at(size - kTailBytes, tail));
  if (!is_magic(Bytes(tail).last(kIpcMagic.size()))) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the Arrow file is cut off: it does not end with ARROW1");
  }
  const std::uint64_t bytes = load<std::uint32_t>(tail);
  if (bytes > size - kTailBytes) return damaged("the size of its footer");
  Buffer footer;
  footer.resize_discarding(static_cast<std::size_t>(bytes));
  PRESSO_TRY(file_.read_at(size - kTailBytes - bytes, footer.mutable_bytes()));
  FlatSource source(footer.bytes());
  const FlatTable root = FlatTable::root(source);
  if (!root.has(1)) source.fail();
  const FlatTable schema = root.table(1);
  // Damage may stand where an unknown type is read, so it is told first.
  const Status taken = take_fields(schema);
  add_blocks(root.structs(2, 24), IpcHeader::kDictionaryBatch);
  add_blocks(root.structs(3, 24), IpcHeader::kRecordBatch);
  return source.sound() ? taken : Status{damaged("its footer")};
}

/// A block has the place of a message and its size, which the message tells, too.
void ArrowFile::add_blocks(Bytes blocks, IpcHeader header) {
  for (; !blocks.empty(); blocks = blocks.subspan(24)) {
    blocks_.push_back({load<std::uint64_t>(blocks.data()), header});
  }
}

Status ArrowFile::open_stream() {
  is_stream_ = true;
  PRESSO_ASSIGN(const Message first, message_at(0));
  begin_ = first.end();
  if (first.is_end || first.type != IpcHeader::kSchema) {
    return damaged("the stream does not begin with a schema");
  }
  const Status taken = take_fields(first.header);
  PRESSO_TRY(first.check());
  return taken;
}

Status ArrowFile::read_dictionary(const Message& message, IpcDictionaries& dictionaries) const {
  const auto number = message.header.number<std::int64_t>(0);
  const std::string place = message.place() + ", dictionary " + std::to_string(number);
  const auto values = values_.find(number);
  if (values == values_.end()) return damaged(place + ": no column has it");
  auto batch = IpcBatch::open(message.header.table(1), {values->second}, file_, message.body,
                              message.body_bytes);
  PRESSO_TRY(message.check());
  if (!batch.ok()) return placed(std::move(batch.error()), place);
  auto array = batch->read(0, dictionaries);
  if (!array.ok()) return placed(std::move(array.error()), place);
  std::shared_ptr<IpcArray>& kept = dictionaries[number];
  if (!message.header.truth(2) || kept == nullptr) {
    kept = std::move(*array);
    return {};
  }
  auto joined = joined_arrays(*values->second, *kept, **array);
  if (!joined.ok()) return placed(std::move(joined.error()), place);
  kept = std::move(*joined);
  return {};
}

/// The types of the columns, by way of a batch without rows that has the dictionaries.
Status ArrowFile::finish_schema() {
  std::vector<std::string> names;
  for (const IpcField& field : fields_) names.push_back(field.name);
  ColumnNames usable = usable_names(std::move(names));
  std::vector<const IpcField*> columns;
  IpcArray nothing;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    fields_[i].name = usable.names[i];
    columns.push_back(&fields_[i]);
    nothing.add_child(empty_array(fields_[i], dictionaries_));
  }
  const IpcSchemaView view(columns);
  PRESSO_ASSIGN(ArrowBatchReader batches, ArrowBatchReader::make(view.schema()));
  PRESSO_TRY(batches.keep_entries(nothing.array()));
  schema_ = batches.schema();
  for (std::size_t i = 0; i < fields_.size(); ++i) schema_.columns[i].name = usable.names[i];
  notes_ = std::move(usable.notes);
  return {};
}

Result<std::unique_ptr<ArrowFile>> ArrowFile::open(const RandomAccess& file) {
  return without_bad_alloc([&]() -> Result<std::unique_ptr<ArrowFile>> {
    std::unique_ptr<ArrowFile> opened(new ArrowFile(file));
    Byte begun[8] = {};
    if (file.size() >= sizeof begun) PRESSO_TRY(file.read_at(0, begun));
    PRESSO_TRY(is_magic(Bytes(begun).first(kIpcMagic.size())) ? opened->open_file()
                                                              : opened->open_stream());
    // Those after the first batch of a stream come in their time.
    const auto take = [&](const Message& message) -> Result<bool> {
      if (message.type == IpcHeader::kRecordBatch) return false;
      PRESSO_TRY(opened->read_dictionary(message, opened->dictionaries_));
      return true;
    };
    PRESSO_TRY(opened->each_message(take));
    PRESSO_TRY(opened->finish_schema());
    return opened;
  });
}

/// Reads the wanted columns batch by batch.
class ArrowFile::Rows {
 public:
  static Result<Rows> open(const ArrowFile& file, std::span<const std::size_t> columns,
                           unsigned threads, const OnRows& on_rows) {
    std::vector<const IpcField*> wanted;
    for (const std::size_t column : columns) wanted.push_back(&file.fields_[column]);
    const IpcSchemaView view(wanted);
    PRESSO_ASSIGN(ArrowBatchReader batches, ArrowBatchReader::make(view.schema()));
    return Rows(file, columns, threads, on_rows, std::move(batches));
  }

  Status take(const Message& message) {
    if (message.type == IpcHeader::kDictionaryBatch) {
      return file_.is_stream_ ? file_.read_dictionary(message, dictionaries_) : Status();
    }
    auto batch =
        IpcBatch::open(message.header, fields_, file_.file_, message.body, message.body_bytes);
    PRESSO_TRY(message.check());
    if (!batch.ok()) return placed(std::move(batch.error()), message.place());
    std::vector<std::unique_ptr<IpcArray>> arrays(columns_.size());
    const unsigned threads = batch->rows() < kManyRows ? 1 : threads_;
    PRESSO_TRY(for_each_in_parallel(columns_.size(), threads, [&](std::size_t i, unsigned) {
      return read_column(*batch, i, message, arrays[i]);
    }));
    IpcArray rows;
    rows.set_rows(batch->rows(), 0);
    for (auto& array : arrays) rows.add_child(std::move(array));
    return pass_on(rows.array(), message);
  }

 private:
  Rows(const ArrowFile& file, std::span<const std::size_t> columns, unsigned threads,
       const OnRows& on_rows, ArrowBatchReader batches)
      : file_(file),
        columns_(columns),
        threads_(threads),
        on_rows_(on_rows),
        batches_(std::move(batches)) {
    for (const IpcField& field : file_.fields_) fields_.push_back(&field);
    if (!file_.is_stream_) dictionaries_ = file_.dictionaries_;
  }

  Status read_column(const IpcBatch& batch, std::size_t i, const Message& message,
                     std::unique_ptr<IpcArray>& to) const {
    auto array = batch.read(columns_[i], dictionaries_);
    if (!array.ok()) {
      const std::string& name = file_.schema_.columns[columns_[i]].name;
      return placed(std::move(array.error()), message.place() + ", column '" + name + "'");
    }
    to = std::move(*array);
    return {};
  }

  /// An error of whoever takes the rows has no place in the file.
  Status pass_on(const ArrowArray& rows, const Message& message) {
    Status refused;
    Status read = batches_.read(rows, [&](std::span<const ColumnView> views) {
      refused = on_rows_(views);
      return refused;
    });
    if (read.ok() || !refused.ok()) return read;
    return placed(std::move(read.error()), message.place());
  }

  const ArrowFile& file_;
  std::span<const std::size_t> columns_;
  unsigned threads_;
  const OnRows& on_rows_;
  ArrowBatchReader batches_;
  std::vector<const IpcField*> fields_;
  IpcDictionaries dictionaries_;
};

Status ArrowFile::read(std::span<const std::size_t> columns, unsigned threads,
                       const OnRows& on_rows) const {
  return without_bad_alloc([&]() -> Status {
    PRESSO_ASSIGN(Rows rows, Rows::open(*this, columns, threads, on_rows));
    return each_message([&](const Message& message) -> Result<bool> {
      PRESSO_TRY(rows.take(message));
      return true;
    });
  });
}

}  // namespace presso::cli
