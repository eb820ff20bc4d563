// SPDX-License-Identifier: MIT
// Implements coded_strings.h, string conditions on columns that are stored as dictionary codes or
// tokens. Results that depend only on a row group and a filter are built by the first thread that
// asks (SliceReader::shared()) and are kept by the row group, so that its slices share them.
#include "query/filter/coded_strings.h"

#include <algorithm>

namespace presso::query {
namespace {

/// Sets the bit of one dictionary code.
void set_bit(CodeSet& set, std::uint32_t code) {
  set[code / 64] |= std::uint64_t{1} << (code % 64);
}

/// A set without codes that is large enough for every code of the dictionary.
CodeSet empty_set(const DictionaryEntries& entries) {
  return CodeSet((entries.size() + 63) / 64 + 1, 0);
}

/// Builds the set for matching_entries(): one call of the test for each entry, O(entries), whatever
/// the number of rows.
Result<std::shared_ptr<const void>> test_entries(const Filter& filter, const GroupReader& group) {
  PRESSO_ASSIGN(const DictionaryEntries* entries, group.dictionary(filter.column));
  auto set = std::make_shared<CodeSet>(empty_set(*entries));
  for (std::uint32_t code = 0; code < entries->size(); ++code) {
    if (filter.test->matches(entries->entry(code)) != filter.negated) set_bit(*set, code);
  }
  return std::shared_ptr<const void>(std::move(set));
}

/// Builds the result of entries_by_program(). The program runs over the dictionary as if its
/// entries were the rows of the column, in batches of kBatchRows. A program that fails for an entry
/// (a cast, a division) makes the result unusable, since that entry may occur in no row that is
/// still alive; the caller then evaluates row by row and reports an error only for rows that count.
Result<std::shared_ptr<const void>> run_on_entries(const Filter& filter, const GroupReader& group,
                                                   std::size_t column) {
  PRESSO_ASSIGN(const DictionaryEntries* entries, group.dictionary(column));
  auto outcome = std::make_shared<ProgramOutcome>();
  outcome->entries = empty_set(*entries);
  outcome->usable = true;
  Program::State state(*filter.program);
  const Byte wanted = filter.negated ? 0 : 1;
  // One more row stands for NULL, for which the program may give true as well (IS NULL, COALESCE).
  const std::uint32_t count = entries->size() + 1;
  std::vector<StringRef> strings(kBatchRows);
  for (std::uint32_t first = 0; first < count; first += kBatchRows) {
    const std::uint32_t rows = std::min(kBatchRows, count - first);
    std::uint64_t validity[kBatchWords];
    std::fill_n(validity, kBatchWords, ~std::uint64_t{0});
    for (std::uint32_t i = 0; i < rows; ++i) {
      strings[i] = {};
      if (first + i < entries->size()) {
        const Bytes entry = entries->entry(first + i);
        strings[i] = {entry.data(), entry.size()};
      } else {
        validity[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      }
    }
    const VectorView input{Physical::kString, strings.data(), validity};
    VectorView truth;
    if (filter.program->run(state, {&input, 1}, rows, {&truth, 1})) {
      outcome->usable = false;  // only rows that are alive may say so
      break;
    }
    for (std::uint32_t i = 0; i < rows; ++i) {
      const bool passes = !truth.is_null(i) && truth.as<Byte>()[i] == wanted;
      if (!passes) continue;
      if (first + i == entries->size()) {
        outcome->null_passes = true;
      } else {
        set_bit(outcome->entries, first + i);
      }
    }
  }
  return std::shared_ptr<const void>(std::move(outcome));
}

}  // namespace

Result<const CodeSet*> matching_entries(const Filter& filter, SliceReader& reader) {
  const GroupReader& group = *reader.slice().group->reader;
  PRESSO_ASSIGN(const void* made,
                reader.shared(&filter, [&] { return test_entries(filter, group); }));
  return static_cast<const CodeSet*>(made);
}

std::optional<std::size_t> coded_column(const Program& program, const GroupContext& group) {
  if (program.inputs().size() != 1) return std::nullopt;
  const std::size_t column = program.inputs()[0];
  const ColumnChunk& chunk = group.reader->chunk(column);
  if (chunk.representation != Representation::kDictionary) return std::nullopt;
  // A dictionary with more entries than half of the rows saves nothing: the rows are evaluated
  // directly.
  if (chunk.entries > group.reader->rows() / 2) return std::nullopt;
  return column;
}

Result<const ProgramOutcome*> entries_by_program(const Filter& filter, SliceReader& reader) {
  const GroupReader& group = *reader.slice().group->reader;
  PRESSO_ASSIGN(const void* made, reader.shared(&filter, [&] {
    return run_on_entries(filter, group, filter.program->inputs()[0]);
  }));
  return static_cast<const ProgramOutcome*>(made);
}

namespace {

using Automaton = std::unique_ptr<const StringTest::TokenAutomaton>;

/// The automaton over token codes for the filter's string test, or nullptr where the row group
/// stores text, or where the test has no automaton; then the text is decoded and searched.
Result<const StringTest::TokenAutomaton*> automaton_of(const Filter& filter, SliceReader& reader) {
  const GroupReader& group = *reader.slice().group->reader;
  if (group.chunk(filter.column).representation != Representation::kToken) return nullptr;
  PRESSO_ASSIGN(const void* made,
                reader.shared(&filter, [&]() -> Result<std::shared_ptr<const void>> {
                  PRESSO_ASSIGN(const TokenDictionary* tokens, group.tokens(filter.column));
                  return std::shared_ptr<const void>(
                      std::make_shared<const Automaton>(filter.test->over_tokens(*tokens)));
                }));
  return static_cast<const Automaton*>(made)->get();
}

}  // namespace

Status find_in_slice(const Filter& filter, SliceReader& reader, const std::uint64_t* alive,
                     std::uint64_t* found) {
  PRESSO_ASSIGN(const auto* automaton, automaton_of(filter, reader));
  if (automaton != nullptr) {
    PRESSO_ASSIGN(const SliceTokens codes, reader.column(filter.column).token_codes());
    automaton->find(codes.codes, codes.begins, codes.rows, alive, found);
    return {};
  }
  PRESSO_ASSIGN(const SliceText text, reader.text(filter.column, 0));
  filter.test->find(text.text, text.offsets, reader.slice().rows, alive, found);
  return {};
}

Status find_in_vector(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                      const std::uint64_t* alive, std::uint64_t* found) {
  std::fill_n(found, kBatchWords, std::uint64_t{0});
  PRESSO_ASSIGN(const auto* automaton, automaton_of(filter, reader));
  if (automaton != nullptr) {
    PRESSO_ASSIGN(const SliceTokens codes, reader.column(filter.column).token_codes(vector));
    automaton->find(codes.codes, codes.begins, codes.rows, alive, found);
    return {};
  }
  PRESSO_ASSIGN(const SliceText text, reader.text(filter.column, vector));
  // The vector's text may be a part of a longer buffer, whereas the search takes offsets from 0.
  std::int64_t offsets[kBatchRows + 1];
  for (std::uint32_t i = 0; i <= text.rows; ++i) offsets[i] = text.offsets[i] - text.offsets[0];
  filter.test->find(text.text.subspan(static_cast<std::size_t>(text.offsets[0])), offsets,
                    text.rows, alive, found);
  return {};
}

}  // namespace presso::query
