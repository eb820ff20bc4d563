// SPDX-License-Identifier: MIT
// tokenize() and its relatives: drives the loop of token_loop_body.h, picks the version for the
// CPU, gives its arrays room, and turns an open quotation into an error with its line.
#include "compress/table/text/csv_tokenizer.h"

#include <algorithm>
#include <utility>

#include "compress/table/text/token_loop.h"
#include "format/cpu_loops.h"

namespace presso {
namespace {

/// Checks the arguments. Positions in batches are 32-bit numbers, hence the limit of the text.
Status check_text(const Dialect& dialect, Bytes text, std::size_t at) {
  PRESSO_TRY(check(dialect));
  if (text.size() > kMaxCsvText || at > text.size()) {
    return make_error(ErrorCode::kInvalidArgument, "text of more than 2 GiB, or begin behind it");
  }
  return {};
}

/// A state that begins at `at`.
TokenState state_at(const Dialect& dialect, Bytes text, std::size_t at) {
  TokenState state;
  state.text = text.data();
  state.text_size = text.size();
  state.dialect = dialect;
  state.base = state.at = state.field_begin = state.record_end = at;
  return state;
}

// The loop checks room once a block, so there must be room for a whole one.
void give_room(TokenState& state, RecordBatch& batch) {
  constexpr std::size_t kLeast = 2 * kTokenBlock;
  if (state.field_room - state.field_count <= kTokenBlock + 1) {
    batch.fields.resize(std::max(2 * batch.fields.size(), state.field_count + kLeast));
  }
  if (state.record_room - state.record_count <= kTokenBlock + 1) {
    batch.begin.resize(std::max(2 * batch.begin.size(), state.record_count + kLeast));
    batch.first_field.resize(batch.begin.size());
  }
  state.fields = batch.fields.data();
  state.field_room = batch.fields.size();
  state.begin = batch.begin.data();
  state.first_field = batch.first_field.data();
  state.record_room = batch.begin.size() - 1;
}

// Drops room that was not used, and a record that is not complete.
void trim(const TokenState& state, RecordBatch& batch) {
  batch.fields.resize(state.record_first);
  batch.begin.resize(state.record_count + 1);
  batch.first_field.resize(state.record_count + 1);
}

/// Names the line of the opening quote: the end of the text says nothing.
Error unclosed(const TokenState& state, std::uint64_t first_line) {
  const std::uint64_t line = first_line + count_lines(Bytes(state.text, state.open));
  return error_in_line(
      line, "the quote that opens here is never closed; with --quote none quotes are text");
}

}  // namespace

Dialect dialect_of(const TextForm& form, std::size_t columns, const ReadingRules& rules) {
  const bool blank_is_null = columns == 1 && form.null_text.empty() && !form.trailing_delimiter &&
                             !rules.merges_delimiters;
  return {.delimiter = form.delimiter,
          .quote = form.quote,
          .comment = rules.comment,
          .trailing_delimiter = form.trailing_delimiter,
          .blank_records = blank_is_null,
          .escape = rules.escape,
          .merges_delimiters = rules.merges_delimiters};
}

// 0 stands for no quote, no comment, or no escape.
Status check(const Dialect& dialect) {
  const auto is_line_end = [](Byte byte) { return byte == '\n' || byte == '\r'; };
  const Byte comment = dialect.comment;
  const Byte escape = dialect.escape;
  const bool same = dialect.delimiter == dialect.quote || dialect.delimiter == comment ||
                    dialect.delimiter == escape || (escape != 0 && escape == dialect.quote) ||
                    (comment != 0 && comment == dialect.quote);
  if (same || is_line_end(dialect.delimiter) || is_line_end(dialect.quote) ||
      is_line_end(comment) || is_line_end(escape)) {
    return make_error(
        ErrorCode::kInvalidArgument,
        "delimiter, quote, escape and comment must be different bytes, and no line ends");
  }
  return {};
}

// The loop stops when arrays are full, which are then doubled; it goes on where it stopped.
Result<std::size_t> tokenize(const Dialect& dialect, Bytes text, std::size_t at,
                             std::size_t most_records, bool text_ends_here, RecordBatch& batch,
                             std::uint64_t first_line, CpuLevel level) {
  PRESSO_TRY(check_text(dialect, text, at));
  TokenState state = state_at(dialect, text, at);
  state.text_ends_here = text_ends_here;
  state.most_records = most_records;
  // Arrays keep their size from batch to batch, so this rarely allocates.
  give_room(state, batch);
  batch.begin[0] = static_cast<std::uint32_t>(at);
  batch.first_field[0] = 0;
  const TokenLoop loop = loops_for<TokenLoops>(level).keep;
  TokenStop why = most_records == 0 ? TokenStop::kRecords : loop(state);
  while (why == TokenStop::kRoom) {
    give_room(state, batch);
    why = loop(state);
  }
  trim(state, batch);
  // Only where the text ends here; else the caller reads on.
  if (why == TokenStop::kUnclosed) return unclosed(state, first_line);
  return why == TokenStop::kEnd && text_ends_here ? text.size() : state.record_end;
}

Result<std::size_t> tokenize(const Dialect& dialect, Bytes text, std::size_t at,
                             std::size_t most_records, bool text_ends_here, RecordBatch& batch,
                             std::uint64_t first_line) {
  return tokenize(dialect, text, at, most_records, text_ends_here, batch, first_line, cpu_level());
}

/// Tokenises the whole text without keeping fields, as only that tells quotes from data.
Result<std::size_t> last_record_end(const Dialect& dialect, Bytes text) {
  PRESSO_TRY(check_text(dialect, text, 0));
  TokenState state = state_at(dialect, text, 0);
  state.text_ends_here = false;
  state.most_records = ~std::size_t{0};
  loops_for<TokenLoops>(cpu_level()).skip(state);
  return state.record_end;
}

/// The text is taken in short blocks whose counts fit into a byte, so that compilers vectorise the
/// inner loop.
std::uint64_t count_lines(Bytes text) {
  if (text.empty()) return 0;
  std::uint64_t lines = text[0] == '\r' || text[0] == '\n' ? 1 : 0;
  for (std::size_t begin = 1; begin < text.size();) {
    // 128 counts at most fit into a byte.
    const std::size_t end = std::min<std::size_t>(text.size(), begin + 128);
    Byte count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const int line_feed = int{text[i] == '\n'} & int{text[i - 1] != '\r'};
      count = static_cast<Byte>(count + (int{text[i] == '\r'} | line_feed));
    }
    lines += count;
    begin = end;
  }
  return lines;
}

Error error_in_line(std::uint64_t line, std::string_view what) {
  std::string message = "line ";
  message.append(grouped(line)).append(": ").append(what);
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

std::string shown(Bytes text) {
  constexpr std::size_t kMost = 60;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text = text.first(text.size() - 1);
  }
  const auto line_end = std::find_if(text.begin(), text.end(),
                                     [](Byte byte) { return byte == '\n' || byte == '\r'; });
  const auto line = static_cast<std::size_t>(line_end - text.begin());
  const std::size_t size = std::min(line, kMost);
  const std::string begin(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
  return size < text.size() ? begin + "..." : begin;
}

/// The first of two doubled quotes is kept. An escape that is the last byte is data.
std::size_t unescape_value(Bytes value, Byte quote, Byte escape, Byte* to) {
  const Byte* const begin = to;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (escape != 0 && value[i] == escape && i + 1 < value.size()) {
      *to++ = value[++i];
      continue;
    }
    *to++ = value[i];
    if (value[i] == quote) ++i;  // its double
  }
  return static_cast<std::size_t>(to - begin);
}

void append_value_text(const Field& field, Bytes text, const Dialect& dialect,
                       std::vector<Byte>& to) {
  const Bytes value = text.subspan(field.begin, field.length);
  const std::size_t before = to.size();
  to.insert(to.end(), value.begin(), value.end());
  if (!field.escaped) return;
  to.resize(before + unescape_value(value, dialect.quote, dialect.escape, to.data() + before));
}

}  // namespace presso
