// SPDX-License-Identifier: MIT
// RowTextKind for JSON: forwards to tokenizer, inference and loader, and finds out where a text can
// be cut. JSON lines are cut after their last line that is an object, which is searched for from
// the end; other layouts are read from the beginning.
#include <algorithm>

#include "compress/table/text/json_inference.h"
#include "compress/table/text/json_loader.h"
#include "compress/table/text/row_text_kind.h"

namespace presso {
namespace {

/// How many rows are passed at a time.
constexpr std::size_t kPassedRows = 4096;
/// How many lines are looked at from the end on, for one that is an object.
constexpr int kLinesLookedAt = 16;
/// A fault that is closer to the end of a text that goes on may be a value that was cut in two.
constexpr std::size_t kLongestMark = 16;

/// Gives rows to json_inference.h.
class JsonFinder final : public ColumnFinder {
 public:
  explicit JsonFinder(const JsonText& json) : layout_(json.layout), types_(json) {}

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
  Status check_end() const override {
    const bool open = layout_ == JsonLayout::kArray && !types_.closed();
    if (!open || types_.ragged().count != 0) return {};  // the loader refuses a fault by its place
    return make_error(ErrorCode::kInvalidArgument,
                      "begins with '[', and its array is never closed; the text may be cut off");
  }

 private:
  JsonLayout layout_;
  JsonInference types_;
};

/// Has no state but how the text is written, so threads share it.
class JsonKindOfText final : public RowTextKind {
 public:
  explicit JsonKindOfText(const JsonText& json) : json_(json) {}

  Result<std::size_t> last_row_end(Bytes text) const override {
    return json_.layout == JsonLayout::kLines ? last_line_end(text) : pass_all(text);
  }
  Result<std::size_t> pass_rows(Bytes text, std::size_t at, std::size_t most, bool text_ends_here,
                                std::size_t& rows) const override {
    JsonBatch batch;
    const bool by_line = json_.layout == JsonLayout::kLines;
    const Bytes known = by_line && !text_ends_here ? whole_lines(text) : text;
    rows = 0;
    if (at >= known.size()) return at;
    const std::size_t next = tokenize_json(known, at, most, json_.layout, batch);
    rows = batch.rows();
    // What follows a mistake may be rows, too; the loader will tell.
    const bool mistake = !by_line && !batch.faults.empty();
    if (mistake && rows == 0 && !is_cut(batch.faults.back(), text)) rows = 1;
    return next;
  }
  std::uint64_t most_rows(Bytes text, std::uint64_t lines) const override {
    if (json_.layout == JsonLayout::kLines) return lines;
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '}'));
  }
  std::unique_ptr<ColumnFinder> new_finder() const override {
    return std::make_unique<JsonFinder>(json_);
  }
  Result<LoadedRows> load(Bytes text, const TableSchema& schema,
                          std::uint64_t first_line) const override {
    return load_json_rows(text, schema, first_line, json_.layout, json_.rules);
  }
  std::string advice() const override {
    const bool by_line = json_.layout == JsonLayout::kLines;
    return by_line ? "; --bad-rows FILE sets such lines aside" : "";
  }
  Result<std::vector<RowPlace>> find_bad_rows(Bytes text,
                                              const TableSchema& schema) const override {
    return find_bad_json_rows(text, schema, json_.layout, json_.rules);
  }

 private:
  /// The text up to its last line feed; empty if it has none.
  static Bytes whole_lines(Bytes text) {
    const auto last = std::find(text.rbegin(), text.rend(), Byte{'\n'});
    return text.first(static_cast<std::size_t>(text.rend() - last));
  }
  static bool is_cut(const JsonFault& fault, Bytes text) {
    return fault.at + kLongestMark > text.size();
  }

  /// The end of the last line that is an object, unless it is part of one that goes over several
  /// lines: a bracket or a comma follows then. If there is none, the end of the last line.
  static std::size_t last_line_end(Bytes text) {
    JsonBatch batch;
    const std::size_t last = whole_lines(text).size();
    Bytes lines = text.first(last);
    for (int i = 0; i < kLinesLookedAt && !lines.empty(); ++i) {
      const std::size_t begin = whole_lines(lines.first(lines.size() - 1)).size();
      const Bytes line = lines.subspan(begin);
      const bool is_row = tokenize_json(line, 0, line.size(), JsonLayout::kLines, batch) != 0 &&
                          batch.rows() != 0 && batch.faults.empty();
      if (is_row && !is_continued(text.subspan(lines.size()))) return lines.size();
      lines = lines.first(begin);
    }
    return last;
  }

  static bool is_continued(Bytes rest) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto next = std::find_if(rest.begin(), rest.end(), [&](Byte byte) {
      return kBlanks.find(static_cast<char>(byte)) == kBlanks.npos;
    });
    return next != rest.end() && (*next == ',' || *next == ']' || *next == '}');
  }

  /// The end of the last row before the text's end; the text's size if it has a fault.
  Result<std::size_t> pass_all(Bytes text) const {
    JsonBatch batch;
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
      at = tokenize_json(text, at, kPassedRows, json_.layout, batch);
      end = batch.rows() == 0 ? end : batch.begin.back();
      if (!batch.faults.empty() && !is_cut(batch.faults.back(), text)) return text.size();
    }
    return end;
  }

  const JsonText json_;
};

}  // namespace

std::unique_ptr<RowTextKind> make_json_kind(const JsonText& json) {
  return std::make_unique<JsonKindOfText>(json);
}

}  // namespace presso
