// SPDX-License-Identifier: MIT
// find_cuts(): tries to cut each row as its kind of text is written. Rows that are not written like
// that, such as those of columns of fixed width, are searched for their values.
#include "compress/table/write/text_plans.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "format/columns/bit_copy.h"
#include "format/columns/schema.h"
#include "format/columns/string_text.h"
#include "format/columns/text_cuts.h"
#include "format/columns/value_text.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

using string_text::view_of;

/// A value is looked for in this number of bytes after the one before it.
constexpr std::size_t kLookedAt = 4096;

/// One column's values, as they are compared with pieces of the text.
class ColumnText {
 public:
  ColumnText(const ColumnSchema& schema, const ColumnView& view)
      : schema_(schema),
        view_(view),
        loose_(schema_),
        print_(value_printer(schema_)),
        bytes_(value_bytes(schema_.type)) {}
  ColumnText(const ColumnText&) = delete;
  ColumnText& operator=(const ColumnText&) = delete;

  bool is_null(std::uint64_t row) const { return view_.is_null(row); }
  /// Whether the text, which is not that of a null, gives the row's value.
  bool is_value(std::uint64_t row, Bytes text) const {
    if (view_.offsets != nullptr) return view_of(view_.string(row)) == view_of(text);
    Byte value[16];
    if (!loose_.read(text, value)) return false;
    if (bytes_ == 0) return (value[0] != 0) == bit_at(view_.values, row);
    return std::memcmp(value, view_.values + row * bytes_, bytes_) == 0;
  }
  /// The text of a value that is not null, as it is stored. Valid until the next call.
  Bytes text_of(std::uint64_t row) {
    if (view_.offsets != nullptr) return view_.string(row);
    const Byte bit = bytes_ == 0 && bit_at(view_.values, row) ? 1 : 0;
    const Byte* const value = bytes_ == 0 ? &bit : view_.values + row * bytes_;
    return {reinterpret_cast<const Byte*>(printed_), print_(schema_, value, printed_)};
  }

 private:
  const ColumnSchema& schema_;
  ColumnView view_;
  LooseValue loose_;
  PrintValue print_;
  std::size_t bytes_;
  char printed_[kMaxValueText];
};

/// Makes the plans of one row group.
class PlanMaker {
 public:
  PlanMaker(const TableSchema& schema, Bytes text, std::span<const ColumnView> columns,
            const ExactLines& exact)
      : schema_(schema),
        text_(text),
        exact_(exact),
        rows_(columns.front().rows),
        cutter_(schema, text),
        json_(text, members_),
        has_cut_(columns.size()) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns_.emplace_back(schema.columns[i], columns[i]);
      numbers_.emplace(schema.columns[i].name, static_cast<std::uint32_t>(i));
    }
  }

  std::optional<Buffer> run() {
    for (std::uint64_t row = 0; row < rows_; ++row) {
      if (!add_row(row)) return std::nullopt;
    }
    end_plan();
    Buffer all;
    append_varint(all, plans_.size());
    all.append(plans_.bytes());
    all.append(stored_.bytes());
    return all;
  }

 private:
  /// What is made of one row. It counts if the row was cut.
  struct Draft {
    std::vector<Byte> plan;
    Buffer stored;
    std::size_t after = 0;  ///< the end of the last cut
    std::uint32_t next = 0;
  };

  bool add_row(std::uint64_t row) {
    const std::size_t begin = at_;
    // Rows with an exact line end where it does.
    std::optional<std::size_t> end;
    if (next_line_ < exact_.rows.size() && exact_.rows[next_line_] == row) {
      end = begin +
            static_cast<std::size_t>(exact_.offsets[next_line_ + 1] - exact_.offsets[next_line_]);
      ++next_line_;
    }
    Draft draft;
    if (!cut_any(row, begin, end, draft)) {
      // Objects of which a key is not found would be searched for all of their values.
      if (!end || schema_.text.kind == TextKind::kJsonLines) return false;
      draft = begin_draft();
      if (!search(row, *end, draft)) return false;
      at_ = *end;
    }
    after_ = draft.after;
    draft.plan.push_back(kEndOfPlan);
    stored_.append(draft.stored.bytes());
    if (draft.plan != plan_) {
      end_plan();
      plan_ = std::move(draft.plan);
    }
    ++plan_rows_;
    return true;
  }

  Draft begin_draft() const {
    Draft draft;
    draft.after = after_;
    return draft;
  }

  /// Cuts the row at the first line from which on it has the right fields. Lines before it are
  /// comments, or blank.
  bool cut_any(std::uint64_t row, std::size_t begin, std::optional<std::size_t> end, Draft& draft) {
    const std::size_t limit = end.value_or(text_.size());
    const bool is_json = schema_.text.kind == TextKind::kJsonLines;
    for (std::size_t line = begin; line < limit;) {
      draft = begin_draft();
      std::size_t at = line;
      const bool is_cut = is_json ? cut_object(row, limit, at, draft) : cut_fields(row, at, draft);
      if (is_cut && (!end || is_json || at == *end)) {
        at_ = end.value_or(at);
        return true;
      }
      if (!end || is_json) return false;
      line = find('\n', line, limit) + 1;
    }
    return false;
  }

  /// Cuts fields of delimited text, and moves `at` to after the line end.
  bool cut_fields(std::uint64_t row, std::size_t& at, Draft& draft) {
    const Byte delimiter = schema_.text.delimiter;
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) {
        if (at == text_.size() || text_[at] != delimiter) {
          if (!are_null(row, i)) return false;
          break;
        }
        ++at;
      }
      if (!add_cut(row, CutPiece::kDelimited, i, at, draft)) return false;
    }
    if (schema_.text.trailing_delimiter && at < text_.size() && text_[at] == delimiter) ++at;
    return pass_line_end(at);
  }

  /// The place of a byte in [begin, end); `end` if it is not there.
  std::size_t find(char byte, std::size_t begin, std::size_t end) const {
    const void* const found = std::memchr(text_.data() + begin, byte, end - begin);
    if (found == nullptr) return end;
    return static_cast<std::size_t>(static_cast<const Byte*>(found) - text_.data());
  }

  bool are_null(std::uint64_t row, std::uint32_t from) const {
    for (std::uint32_t i = from; i < columns_.size(); ++i) {
      if (!columns_[i].is_null(row)) return false;
    }
    return true;
  }

  bool pass_line_end(std::size_t& at) const {
    if (at == text_.size()) return true;
    if (text_[at] == '\r' && ++at == text_.size()) return true;
    if (text_[at] == '\n') ++at;
    return text_[at - 1] == '\n' || text_[at - 1] == '\r';
  }

  /// Cuts values of the next object before `limit`, and moves `at` to after its row.
  bool cut_object(std::uint64_t row, std::size_t limit, std::size_t& at, Draft& draft) {
    const std::size_t begin = find('{', at, limit);
    members_.clear();
    if (begin == limit || !json_.read(begin, true)) return false;
    std::fill(has_cut_.begin(), has_cut_.end(), false);
    std::string key;
    for (const JsonMember& member : members_) {
      const Bytes written = text_.subspan(member.key_begin, member.key_length);
      key.assign(view_of(written));
      if (member.key_escaped) {
        key.resize(unescape_json(written, reinterpret_cast<Byte*>(key.data())));
      }
      const auto found = numbers_.find(key);
      if (found == numbers_.end()) return false;
      if (has_cut_[found->second]) continue;
      has_cut_[found->second] = true;
      // Places of strings are those within their quotes.
      std::size_t value = member.begin - (member.kind == JsonKind::kString ? 1u : 0u);
      if (!add_cut(row, CutPiece::kJson, found->second, value, draft)) return false;
    }
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (!has_cut_[i] && !columns_[i].is_null(row)) return false;
    }
    at = std::min(json_.at() + schema_.text.json_spacing.after.size(), text_.size());
    return true;
  }

  /// Adds the cut at `at`, which moves to after it.
  bool add_cut(std::uint64_t row, CutPiece piece, std::uint32_t column, std::size_t& at,
               Draft& draft) {
    const std::size_t begin = at;
    CutText cut;
    if (!cutter_.cut(piece, column, 0, at, cut)) return false;
    Bytes plain = cut.bytes;
    if (cut.has_escapes) {
      plain_.clear();
      cutter_.append_plain(piece, cut.bytes, plain_);
      plain = plain_.bytes();
    }
    ColumnText& of = columns_[column];
    CutValue value = CutValue::kText;
    if (of.is_null(row)) {
      value = cut.is_null ? CutValue::kText : CutValue::kNull;
    } else if (cut.is_null || !of.is_value(row, plain)) {
      value = CutValue::kStored;
      if (!store(row, of, draft)) return false;
    }
    append({piece, value, column, static_cast<std::uint32_t>(begin - draft.after), 0}, at, draft);
    return true;
  }

  static void append(const TextCut& cut, std::size_t end, Draft& draft) {
    append_cut(cut, draft.next, draft.plan);
    draft.next = cut.column + 1;
    draft.after = end;
  }

  static bool store(std::uint64_t row, ColumnText& column, Draft& draft) {
    const Bytes text = column.text_of(row);
    if (!column.is_value(row, text)) return false;
    append_varint(draft.stored, text.size());
    draft.stored.append(text);
    return true;
  }

  /// Takes the next words, or looks for the values' texts; those that are not there are stored.
  bool search(std::uint64_t row, std::size_t end, Draft& draft) {
    constexpr std::string_view kBlanks = " \t\r\n";
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      ColumnText& column = columns_[i];
      if (column.is_null(row)) continue;
      const std::size_t looked_at = std::min(end - draft.after, kLookedAt);
      const std::string_view rest = view_of(text_.subspan(draft.after, looked_at));
      std::size_t begin = std::min(rest.find_first_not_of(kBlanks), rest.size());
      std::size_t size = std::min(rest.find_first_of(kBlanks, begin), rest.size()) - begin;
      if (!column.is_value(row, text_.subspan(draft.after + begin, size))) {
        const Bytes wanted = column.text_of(row);
        size = wanted.size();
        begin = column.is_value(row, wanted) ? rest.find(view_of(wanted)) : rest.npos;
      }
      TextCut cut{CutPiece::kFixed, CutValue::kStored, i, 0, 0};
      if (begin == rest.npos) {
        if (!store(row, column, draft)) return false;
      } else {
        cut.value = CutValue::kText;
        cut.skipped = static_cast<std::uint32_t>(begin);
        cut.bytes = static_cast<std::uint32_t>(size);
      }
      append(cut, draft.after + cut.skipped + cut.bytes, draft);
    }
    return true;
  }

  void end_plan() {
    if (plan_rows_ == 0) return;
    append_varint(plans_, plan_rows_);
    plans_.append(plan_);
    plan_rows_ = 0;
  }

  const TableSchema& schema_;
  Bytes text_;
  const ExactLines& exact_;
  std::uint64_t rows_;
  TextCutter cutter_;
  std::deque<ColumnText> columns_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< of columns by their names
  std::vector<JsonMember> members_;
  JsonReader json_;
  std::vector<bool> has_cut_;
  Buffer plain_;
  std::size_t at_ = 0;     ///< where the next row begins
  std::size_t after_ = 0;  ///< the end of the last cut
  std::size_t next_line_ = 0;
  std::vector<Byte> plan_;
  std::uint64_t plan_rows_ = 0;
  Buffer plans_;
  Buffer stored_;
};

}  // namespace

std::optional<Buffer> find_cuts(const TableSchema& schema, Bytes text,
                                std::span<const ColumnView> columns, const ExactLines& exact) {
  if (text.size() >= kMostCutText) return std::nullopt;
  return PlanMaker(schema, text, columns, exact).run();
}

}  // namespace presso
