// SPDX-License-Identifier: MIT
// RowTextKind for JSON lines: forwards to tokenizer, inference and loader. A row ends with its
// line, so cutting a text needs only the last line feed.
#include <algorithm>

#include "compress/table/text/json_inference.h"
#include "compress/table/text/json_loader.h"
#include "compress/table/text/row_text_kind.h"

namespace presso {
namespace {

/// Gives rows to json_inference.h.
class JsonFinder final : public ColumnFinder {
 public:
  explicit JsonFinder(const TextForm& form) : types_(form) {}

  Status add(Bytes text, std::uint64_t first_line) override {
    types_.add(text, first_line);
    return {};
  }
  void move_lines(std::uint64_t lines) override { types_.move_lines(lines); }
  void merge(const ColumnFinder& later) override {
    types_.merge(static_cast<const JsonFinder&>(later).types_);
  }
  Result<TableSchema> finish() const override { return types_.finish(); }
  std::vector<ColumnReport> report() const override { return types_.report(); }

 private:
  JsonInference types_;
};

/// Has no state but the form, so threads share it.
class JsonKindOfText final : public RowTextKind {
 public:
  explicit JsonKindOfText(const TextForm& form) : form_(form) {}

  Result<std::size_t> last_row_end(Bytes text) const override { return whole_lines(text).size(); }
  Result<std::size_t> pass_rows(Bytes text, std::size_t at, std::size_t most, bool text_ends_here,
                                std::size_t& rows) const override {
    JsonBatch batch;
    const Bytes lines = text_ends_here ? text : whole_lines(text);
    if (at >= lines.size()) {
      rows = 0;
      return at;
    }
    const std::size_t next = tokenize_json(lines, at, most, batch);
    rows = batch.rows();
    return next;
  }
  std::unique_ptr<ColumnFinder> new_finder() const override {
    return std::make_unique<JsonFinder>(form_);
  }
  Result<LoadedRows> load(Bytes text, const TableSchema& schema,
                          std::uint64_t first_line) const override {
    return load_json_rows(text, schema, first_line);
  }
  Result<std::vector<RowPlace>> find_bad_rows(Bytes text,
                                              const TableSchema& schema) const override {
    return find_bad_json_rows(text, schema);
  }

 private:
  /// The text up to its last line feed; empty if it has none.
  static Bytes whole_lines(Bytes text) {
    const auto last = std::find(text.rbegin(), text.rend(), Byte{'\n'});
    return text.first(static_cast<std::size_t>(text.rend() - last));
  }

  const TextForm form_;
};

}  // namespace

std::unique_ptr<RowTextKind> make_json_kind(const TextForm& form) {
  return std::make_unique<JsonKindOfText>(form);
}

}  // namespace presso
