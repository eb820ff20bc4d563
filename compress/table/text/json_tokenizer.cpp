// SPDX-License-Identifier: MIT
// Passes from object to object; JsonReader reads and checks each. In JsonLayout::kLines a line is
// read once, from its '{' on. An object that its line does not close is read again as one that goes
// on in the next lines. Text on which such attempts failed is counted, so that broken lines cannot
// make the time grow with the square of the text.
#include "compress/table/text/json_tokenizer.h"

#include <algorithm>
#include <cstring>

#include "compress/table/text/csv_tokenizer.h"

namespace presso {
namespace {

/// How much text may be read in vain for objects that go on after their line: as much as the text
/// has, and this.
constexpr std::size_t kFreeFailures = std::size_t{1} << 20;

/// One call of tokenize_json().
class JsonRows {
 public:
  JsonRows(Bytes text, JsonLayout layout, JsonBatch& batch)
      : text_(text), layout_(layout), batch_(batch), reader_(text, batch.members) {}

  /// Adds rows from `at` on, and returns where the next one's bytes begin.
  std::size_t add(std::size_t at, std::size_t most_rows) {
    while (at < text_.size() && batch_.rows() < most_rows) {
      at = layout_ == JsonLayout::kLines ? add_line(at) : add_spread(at);
    }
    return at;
  }

 private:
  bool is_array() const {
    return layout_ == JsonLayout::kArray || layout_ == JsonLayout::kLooseArray;
  }

  /// The next byte from `at` on that is not white space; line feeds are only `with_lines`.
  std::size_t skip_space(std::size_t at, bool with_lines) const {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r' ||
                                 (with_lines && text_[at] == '\n'))) {
      ++at;
    }
    return at;
  }

  std::size_t line_end(std::size_t at) const {
    const void* const end = std::memchr(text_.data() + at, '\n', text_.size() - at);
    if (end == nullptr) return text_.size();
    return static_cast<std::size_t>(static_cast<const Byte*>(end) - text_.data()) + 1;
  }

  /// The row of a line, or the line as a fault.
  std::size_t add_line(std::size_t at) {
    const std::size_t begin = skip_space(at, false);
    if (begin == text_.size()) return begin;
    if (text_[begin] == '\n') return begin + 1;
    if (text_[begin] != '{') return add_fault(at, line_end(begin), begin, "'{' is expected");
    if (read(begin, false)) return add_row(begin, reader_.at());
    const std::size_t wrong = reader_.at();
    const char* const why = reader_.why();
    const bool goes_on = wrong < text_.size() && text_[wrong] == '\n';
    if (goes_on && batch_.failed_bytes <= text_.size() + kFreeFailures) {
      batch_.members.resize(batch_.first_member.back());
      if (read(begin, true)) return add_row(begin, reader_.at());
      batch_.failed_bytes += reader_.at() - begin;
    }
    return add_fault(at, line_end(begin), wrong, why);
  }

  /// The next object, or the rest of the text as a fault.
  std::size_t add_spread(std::size_t at) {
    const std::size_t begin = skip_space(at, true);
    if (begin == text_.size()) return begin;
    if (is_array() && text_[begin] == ']') return end_array(begin);
    if (text_[begin] != '{') return add_fault(begin, text_.size(), begin, "'{' is expected");
    if (read(begin, true)) return add_row(begin, reader_.at());
    return add_fault(begin, text_.size(), reader_.at(), reader_.why());
  }

  /// Reads the object at `begin` and what separates it from the next one.
  bool read(std::size_t begin, bool over_lines) {
    if (!reader_.read(begin, over_lines)) return false;
    if (is_array()) {
      const Byte mark = reader_.next();
      if (mark == ',') {
        reader_.pass();
      } else if (mark != ']' && (mark != '{' || layout_ == JsonLayout::kArray)) {
        return reader_.fail("',' or ']' is expected");
      }
    }
    const Byte mark = reader_.next_in_line();
    if (reader_.at() == text_.size()) return true;
    if (mark == '\n') return reader_.pass();
    if (layout_ != JsonLayout::kLines) return true;
    return reader_.fail("nothing may follow the object");
  }

  std::size_t add_row(std::size_t begin, std::size_t end) {
    batch_.first_member.push_back(static_cast<std::uint32_t>(batch_.members.size()));
    batch_.object.push_back(static_cast<std::uint32_t>(begin));
    batch_.begin.push_back(static_cast<std::uint32_t>(end));
    return end;
  }

  /// Adds a fault, which has no members; returns its end.
  std::size_t add_fault(std::size_t begin, std::size_t end, std::size_t at, const char* why) {
    batch_.members.resize(batch_.first_member.back());
    batch_.faults.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                             static_cast<std::uint32_t>(at), why});
    return end;
  }

  /// The ']' at `at`, after which only white space may follow.
  std::size_t end_array(std::size_t at) {
    std::size_t before = at;
    while (before > 0 && skip_space(before - 1, true) != before - 1) --before;
    if (before > 0 && text_[before - 1] == ',' && layout_ == JsonLayout::kArray) {
      return add_fault(at, text_.size(), at, "'{' is expected after ','");
    }
    batch_.closed = true;
    const std::size_t rest = skip_space(at + 1, true);
    if (rest == text_.size()) return rest;
    return add_fault(rest, text_.size(), rest, "nothing may follow the array");
  }

  Bytes text_;
  JsonLayout layout_;
  JsonBatch& batch_;
  JsonReader reader_;
};

}  // namespace

std::size_t tokenize_json(Bytes text, std::size_t at, std::size_t most_rows, JsonLayout layout,
                          JsonBatch& batch) {
  batch.members.clear();
  batch.first_member.assign(1, 0);
  batch.object.clear();
  batch.begin.assign(1, static_cast<std::uint32_t>(at));
  batch.faults.clear();
  return JsonRows(text, layout, batch).add(at, most_rows);
}

/// The place is the byte of its line, from 1 on. It is left out where the text begins within the
/// line.
std::string fault_text(const JsonFault& fault, Bytes text, JsonLayout layout) {
  const auto before = text.rend() - static_cast<std::ptrdiff_t>(fault.at);
  const auto line = std::find(before, text.rend(), Byte{'\n'});
  const bool by_line = layout == JsonLayout::kLines;
  std::string what = by_line ? "not a JSON object: " : "not JSON: ";
  if (by_line || line != text.rend()) {
    what += "at byte " + grouped(static_cast<std::uint64_t>(line - before) + 1) + " ";
  }
  what += fault.why;
  const Bytes rest = text.subspan(fault.at);
  const bool at_end = rest.empty() || rest[0] == '\n' || rest[0] == '\r';
  return what + (at_end ? ", where the line ends" : ", before `" + shown(rest) + "`");
}

}  // namespace presso
