// SPDX-License-Identifier: MIT
// Implements entry_words.h: looks up the entries of a row group's dictionary among the keys of a
// build side, in batches and with the functions that look up rows, so that rows are then joined by
// their codes.
#include "query/run/entry_words.h"

#include <algorithm>
#include <array>

namespace presso::query {
namespace {

/// Looks up all entries of the dictionary. Errors: those of reading it.
Result<std::shared_ptr<const void>> make_entry_words(const JoinKeys& keys, SliceReader& reader,
                                                     std::size_t column) {
  PRESSO_ASSIGN(const DictionaryEntries* entries, reader.slice().group->reader->dictionary(column));
  auto words = std::make_shared<EntryWords>();
  const auto scratch = std::make_unique<JoinKeys::Scratch>();
  std::array<StringRef, kBatchRows> strings;
  for (std::uint32_t first = 0; first < entries->size(); first += kBatchRows) {
    const auto count =
        std::min<std::uint32_t>(kBatchRows, static_cast<std::uint32_t>(entries->size()) - first);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes entry = entries->entry(first + i);
      strings[i] = {entry.data(), entry.size()};
    }
    const VectorView view{Physical::kString, strings.data(), nullptr};
    keys.encode({&view, 1}, count, *scratch);
    keys.hash(count, *scratch);
    words->hashes.insert(words->hashes.end(), scratch->hashes, scratch->hashes + count);
    const std::uint64_t* const known = keys.words_of_entries(count, *scratch);
    const std::uint64_t* const found = scratch->codes.words.data();
    words->words.insert(words->words.end(), found, found + count);
    const std::size_t whole = words->known.size();
    // Entries are known unless words_of_entries() says otherwise.
    words->known.resize(whole + (count + 63) / 64, ~std::uint64_t{0});
    if (known != nullptr) std::copy_n(known, (count + 63) / 64, words->known.data() + whole);
  }
  for (std::size_t word = 0; word < entries->size() / 64; ++word) {
    words->any_known = words->any_known || words->known[word] != 0;
  }
  for (std::uint32_t i = entries->size() / 64 * 64; i < entries->size(); ++i) {
    words->any_known = words->any_known || has_bit(words->known.data(), i);
  }
  // A set of codes has one word in excess.
  words->known.push_back(0);
  return std::shared_ptr<const void>(std::move(words));
}

}  // namespace

Result<const EntryWords*> entry_words(const JoinKeys& keys, SliceReader& reader,
                                      std::size_t column) {
  PRESSO_ASSIGN(const void* const words,
                reader.shared(&keys, [&] { return make_entry_words(keys, reader, column); }));
  return static_cast<const EntryWords*>(words);
}

Result<const std::uint64_t*> words_by_code(const EntryWords& entries, SliceReader& reader,
                                           std::size_t column, std::uint32_t vector,
                                           const Selection& selection, JoinKeys::Scratch& scratch) {
  ColumnSlice& slice = reader.column(column);
  std::array<std::uint32_t, kBatchRows + Buffer::kSlack> codes;
  PRESSO_TRY(slice.codes(vector, codes.data()));
  const std::uint64_t* validity = nullptr;
  if (slice.has_nulls()) {
    std::uint64_t bits[kBatchWords];
    PRESSO_TRY(slice.validity(vector, bits));
    if (select_validity(bits, selection, scratch.validity)) validity = scratch.validity;
  }
  std::uint64_t* const words = scratch.codes.words.data();
  // Codes under NULLs are arbitrary; their bits are removed below.
  std::fill_n(scratch.known, kBatchWords, 0);
  for (std::uint32_t i = 0; i < selection.count; ++i) {
    const std::uint32_t code = codes[selection.all ? i : selection.rows[i]];
    words[i] = entries.words[code];
    scratch.hashes[i] = entries.hashes[code];
    scratch.known[i / 64] |= std::uint64_t{has_bit(entries.known.data(), code)} << (i % 64);
  }
  if (validity == nullptr) return validity;
  for (std::uint32_t word = 0; word < kBatchWords; ++word) scratch.known[word] &= validity[word];
  return validity;
}

}  // namespace presso::query
