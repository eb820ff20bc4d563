// SPDX-License-Identifier: MIT
// Reads plans and applies them to the text.
#include "format/columns/text_cuts.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "format/columns/schema.h"
#include "format/columns/string_text.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

using string_text::view_of;

constexpr unsigned kCutPieces = 3;
constexpr unsigned kCutValues = 3;
constexpr unsigned kCutForms = kCutPieces * kCutValues;

Error bad_cuts(const char* what) {
  return make_error(ErrorCode::kBadRowGroup, std::string("cuts of the text: ") + what);
}

/// Applies the plans of one row group.
class PlanRunner {
 public:
  PlanRunner(const TableSchema& schema, Bytes text, Bytes stored, std::uint32_t rows, Buffer& made)
      : columns_(schema.columns.size()),
        text_(text),
        stored_(stored),
        rows_(rows),
        made_(made),
        cutter_(schema, text),
        places_(columns_ * rows, kNullField) {}

  Status run(WireReader plans) {
    for (std::uint64_t row = 0; row < rows_;) {
      const std::uint64_t count = plans.varint();
      if (plans.overran() || count == 0 || count > rows_ - row) return bad_cuts("rows of a plan");
      PRESSO_TRY(read_plan(plans));
      for (const std::uint64_t end = row + count; row < end; ++row) PRESSO_TRY(cut_row(row));
    }
    if (!plans.ended_exactly()) return bad_cuts("size of the plans");
    return stored_.ended_exactly() ? Status() : bad_cuts("size of the stored values");
  }
  std::vector<FieldPlace> take_places() { return std::move(places_); }

 private:
  Status read_plan(WireReader& plans) {
    plan_.clear();
    for (std::uint32_t next = 0;;) {
      const auto form = plans.value<Byte>();
      if (form == kEndOfPlan && !plans.overran()) return {};
      if (plans.overran() || form > 2 * kCutForms) return bad_cuts("form of a cut");
      TextCut cut;
      cut.piece = static_cast<CutPiece>((form - 1) % kCutForms / kCutValues);
      cut.value = static_cast<CutValue>((form - 1) % kCutValues);
      const std::uint64_t column = form > kCutForms ? plans.varint() : next;
      const std::uint64_t skipped = plans.varint();
      const std::uint64_t bytes = cut.piece == CutPiece::kFixed ? plans.varint() : 0;
      if (column >= columns_ || (form > kCutForms && column == next)) {
        return bad_cuts("column of a cut");
      }
      if (skipped > text_.size() || bytes > text_.size()) return bad_cuts("place of a cut");
      cut.column = static_cast<std::uint32_t>(column);
      cut.skipped = static_cast<std::uint32_t>(skipped);
      cut.bytes = static_cast<std::uint32_t>(bytes);
      next = cut.column + 1;
      plan_.push_back(cut);
    }
  }

  Status cut_row(std::uint64_t row) {
    CutText piece;
    for (const TextCut& cut : plan_) {
      if (cut.skipped > text_.size() - at_) return bad_cuts("place of a cut");
      at_ += cut.skipped;
      if (!cutter_.cut(cut.piece, cut.column, cut.bytes, at_, piece)) {
        return bad_cuts("the text has no such field");
      }
      FieldPlace& place = places_[static_cast<std::size_t>(row * columns_ + cut.column)];
      PRESSO_TRY(place_of(cut, piece, place));
    }
    return {};
  }

  Status place_of(const TextCut& cut, const CutText& piece, FieldPlace& place) {
    place = kNullField;
    if (cut.value == CutValue::kNull) return {};
    if (cut.value == CutValue::kText && !piece.has_escapes) {
      if (piece.is_null) return {};
      const auto begin = static_cast<std::uint32_t>(piece.bytes.data() - text_.data());
      place = {begin, begin + static_cast<std::uint32_t>(piece.bytes.size())};
      return {};
    }
    const std::size_t begin = text_.size() + made_.size();
    if (cut.value == CutValue::kStored) {
      made_.append(stored_.bytes(stored_.varint()));
      if (stored_.overran()) return bad_cuts("size of the stored values");
    } else {
      cutter_.append_plain(cut.piece, piece.bytes, made_);
    }
    if (text_.size() + made_.size() > UINT32_MAX) return bad_cuts("more than 4 GiB of values");
    place = {static_cast<std::uint32_t>(begin),
             static_cast<std::uint32_t>(text_.size() + made_.size())};
    return {};
  }

  std::size_t columns_;
  Bytes text_;
  WireReader stored_;
  std::uint32_t rows_;
  Buffer& made_;
  TextCutter cutter_;
  std::vector<FieldPlace> places_;
  std::vector<TextCut> plan_;
  std::size_t at_ = 0;
};

}  // namespace

void append_cut(const TextCut& cut, std::uint32_t next, std::vector<Byte>& to) {
  const bool names_column = cut.column != next;
  to.push_back(static_cast<Byte>(1 + static_cast<unsigned>(cut.piece) * kCutValues +
                                 static_cast<unsigned>(cut.value) +
                                 (names_column ? kCutForms : 0)));
  if (names_column) append_varint(to, cut.column);
  append_varint(to, cut.skipped);
  if (cut.piece == CutPiece::kFixed) append_varint(to, cut.bytes);
}

TextCutter::TextCutter(const TableSchema& schema, Bytes text)
    : text_(text),
      delimiter_(schema.text.delimiter),
      quote_(schema.text.quote),
      json_(text, members_) {
  for (const ColumnSchema& column : schema.columns) {
    nulls_.push_back(column.null_text ? *column.null_text : schema.text.null_text);
    raw_.push_back(is_string(column.type) && column.text == ValueText::kRawJson);
  }
}

bool TextCutter::cut(CutPiece piece, std::uint32_t column, std::uint32_t bytes, std::size_t& at,
                     CutText& to) {
  to.is_null = to.has_escapes = false;
  if (piece == CutPiece::kDelimited) return cut_delimited(column, at, to);
  if (piece == CutPiece::kJson) return cut_json(column, at, to);
  if (bytes > text_.size() - at) return false;
  to.bytes = text_.subspan(at, bytes);
  at += bytes;
  return true;
}

bool TextCutter::cut_delimited(std::uint32_t column, std::size_t& at, CutText& to) const {
  if (quote_ != 0 && at < text_.size() && text_[at] == quote_) return cut_quoted(at, to);
  const std::size_t begin = at;
  while (at < text_.size() && text_[at] != delimiter_ && text_[at] != '\n' && text_[at] != '\r') {
    ++at;
  }
  to.bytes = text_.subspan(begin, at - begin);
  to.is_null = view_of(to.bytes) == nulls_[column];
  return true;
}

bool TextCutter::cut_quoted(std::size_t& at, CutText& to) const {
  const std::size_t begin = ++at;
  for (;; at += 2) {
    const void* const found = std::memchr(text_.data() + at, quote_, text_.size() - at);
    if (found == nullptr) return false;
    at = static_cast<std::size_t>(static_cast<const Byte*>(found) - text_.data());
    if (at + 1 == text_.size() || text_[at + 1] != quote_) break;
    to.has_escapes = true;
  }
  to.bytes = text_.subspan(begin, at - begin);
  ++at;
  return true;
}

bool TextCutter::cut_json(std::uint32_t column, std::size_t& at, CutText& to) {
  JsonMember value;
  if (!json_.read_at(at, value)) return false;
  const bool is_raw = raw_[column];
  if (is_raw || value.kind != JsonKind::kString) {
    to.bytes = text_.subspan(at, json_.at() - at);
  } else {
    to.bytes = text_.subspan(value.begin, value.length);
    to.has_escapes = value.escaped;
  }
  to.is_null = value.kind == JsonKind::kNull;
  at = json_.at();
  return true;
}

void TextCutter::append_plain(CutPiece piece, Bytes text, Buffer& to) const {
  const std::size_t begin = to.size();
  if (piece == CutPiece::kJson) {
    to.grow(begin + text.size());
    to.grow(begin + unescape_json(text, to.data() + begin));
    return;
  }
  // The second of two quotes is left out.
  while (!text.empty()) {
    const auto* const found =
        static_cast<const Byte*>(std::memchr(text.data(), quote_, text.size()));
    if (found == nullptr) return to.append(text);
    const auto size = static_cast<std::size_t>(found - text.data()) + 1;
    to.append(text.first(size));
    text = text.subspan(std::min(size + 1, text.size()));
  }
}

LooseValue::LooseValue(const ColumnSchema& column)
    : column_(column), parse_(value_parser(column)) {}

bool LooseValue::read(Bytes text, Byte* value) const {
  return parse_(column_, text, value) ||
         (column_.type != ColumnType::kBool && !is_date_or_time(column_.type) &&
          read_number(text, value));
}

/// Whole numbers and decimals are brought to the form that print_value() writes.
bool LooseValue::read_number(Bytes text, Byte* value) const {
  std::string_view rest = view_of(text);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  const bool has_sign = !rest.empty() && (rest.front() == '+' || rest.front() == '-');
  const bool is_negative = has_sign && rest.front() == '-';
  if (has_sign) rest.remove_prefix(1);
  if (rest.substr(0, 2).find_first_of("0123456789") > (rest.starts_with('.') ? 1u : 0u)) {
    return false;
  }
  const char* const end = rest.data() + rest.size();
  const auto take = [&](auto number) {
    const auto read = std::from_chars(rest.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return false;
    store(value, is_negative ? -number : number);
    return true;
  };
  if (column_.type == ColumnType::kFloat) return take(0.0F);
  if (column_.type == ColumnType::kDouble) return take(0.0);
  const std::size_t point = std::min(rest.find('.'), rest.size());
  std::string_view whole = rest.substr(0, point);
  std::string_view part = rest.substr(std::min(point + 1, rest.size()));
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  while (part.size() > column_.scale && part.back() == '0') part.remove_suffix(1);
  if (part.size() > column_.scale || whole.size() > kMaxValueText) return false;
  std::string usual = is_negative ? "-" : "";
  usual.append(whole.empty() ? "0" : whole);
  if (column_.scale > 0) {
    usual.append(1, '.').append(part).append(column_.scale - part.size(), '0');
  }
  if (usual.find_first_of("123456789") == usual.npos && is_negative) usual.erase(0, 1);
  return parse_(column_, {reinterpret_cast<const Byte*>(usual.data()), usual.size()}, value);
}

Result<std::vector<FieldPlace>> cut_rows(const TableSchema& schema, Bytes text, Bytes cuts,
                                         std::uint32_t rows, Buffer& made) {
  if (text.size() >= kMostCutText) return bad_cuts("more than 2 GiB of text");
  WireReader head(cuts);
  const Bytes plans = head.bytes(head.varint());
  if (head.overran()) return bad_cuts("size of the plans");
  PlanRunner runner(schema, text, head.bytes(head.left()), rows, made);
  PRESSO_TRY(runner.run(WireReader(plans)));
  return runner.take_places();
}

}  // namespace presso
