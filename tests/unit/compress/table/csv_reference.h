// SPDX-License-Identifier: MIT
// A reader of delimited text that goes byte by byte, by the rules of csv_tokenizer.h: slow, and
// plain enough to be believed. Texts that end where they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"

namespace presso::test {

struct ReferenceField {
  std::string value;
  bool quoted = false;
  bool irregular = false;
  friend bool operator==(const ReferenceField&, const ReferenceField&) = default;
};

struct ReferenceRecord {
  std::vector<ReferenceField> fields;
  std::size_t end = 0;  ///< behind the line end
  friend bool operator==(const ReferenceRecord&, const ReferenceRecord&) = default;
};

class ReferenceReader {
 public:
  ReferenceReader(const Dialect& dialect, std::string_view text) : dialect_(dialect), text_(text) {}

  /// nullopt: a quote is never closed.
  std::optional<std::vector<ReferenceRecord>> read() {
    std::vector<ReferenceRecord> records;
    while (at_ < text_.size()) {
      if (skip_line_without_record()) continue;
      records.emplace_back();
      if (!read_record(records.back())) return std::nullopt;
    }
    return records;
  }

 private:
  bool at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
  }
  bool at_byte(Byte byte) const {
    return byte != 0 && at_ < text_.size() && static_cast<Byte>(text_[at_]) == byte;
  }
  void pass_line_end() {
    if (at_ == text_.size()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
  }
  bool skip_line_without_record() {
    const std::size_t begin = at_;
    if (!at_byte(dialect_.comment)) pass_run();
    if (at_line_end() ? dialect_.blank_records : !at_byte(dialect_.comment) || at_ != begin) {
      at_ = begin;
      return false;
    }
    while (!at_line_end()) ++at_;
    pass_line_end();
    return true;
  }

  /// Passes a run of delimiters where these are merged.
  void pass_run() {
    while (dialect_.merges_delimiters && at_byte(dialect_.delimiter)) ++at_;
  }

  bool read_record(ReferenceRecord& record) {
    pass_run();
    while (true) {
      if (!read_field(record)) return false;
      if (at_line_end()) break;
      ++at_;  // the delimiter
      pass_run();
      if (dialect_.merges_delimiters && at_line_end()) break;
    }
    const ReferenceField& last = record.fields.back();
    if (dialect_.trailing_delimiter && record.fields.size() > 1 && last == ReferenceField{}) {
      record.fields.pop_back();
    }
    pass_line_end();
    record.end = at_;
    return true;
  }

  bool read_field(ReferenceRecord& record) {
    ReferenceField field;
    const std::size_t begin = at_;
    if (at_byte(dialect_.quote)) {
      field.quoted = true;
      if (!read_quotation(field.value)) return false;
    }
    const std::size_t rest = at_;
    while (!at_line_end() && !at_byte(dialect_.delimiter)) ++at_;
    if (!field.quoted) field.value = text_.substr(begin, at_ - begin);
    if (field.quoted && at_ != rest) {
      field = {std::string(text_.substr(begin, at_ - begin)), false, true};
    }
    record.fields.push_back(field);
    return true;
  }

  bool read_quotation(std::string& value) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (at_byte(dialect_.escape)) {
        if (++at_ < text_.size()) value += text_[at_];
        continue;
      }
      if (at_byte(dialect_.quote)) {
        ++at_;
        if (!at_byte(dialect_.quote)) return true;
      }
      value += text_[at_];
    }
    return false;
  }

  Dialect dialect_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace presso::test
