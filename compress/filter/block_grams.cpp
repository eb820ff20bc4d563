// SPDX-License-Identifier: MIT
// Collects the distinct n-gram cells of a block. Text that repeats earlier text of the block is
// skipped (for_each_new_part() says why). Tested by tests/unit/format/block_filter_test.cpp;
// figures in scan/NOTES.md.
#include "compress/filter/block_grams.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "compress/parse/match.h"

namespace presso {
namespace {

constexpr std::size_t kLongest = 4;  ///< of kGramChoices
constexpr std::size_t kTailBytes = kLongest - 1;
constexpr std::size_t kHeadBytes = kFilterOverlap + kLongest - 1;
/// How many bytes are looked up in earlier text, and the least repetition that is skipped.
constexpr std::size_t kProbeBytes = 8;
constexpr std::size_t kLeastRepeated = 16;
constexpr unsigned kPlacesLog2 = 13;
// After 2^kPatience bytes without a repetition only every other position is tried, and so on.
constexpr unsigned kPatience = 6;
constexpr std::array<std::size_t, 3> kSampleBytes = {6, 8, 12};
constexpr std::size_t kSamples = 2 * kSampleBytes.size();
static_assert(*std::max_element(kGramChoices.begin(), kGramChoices.end()) == kLongest);

/// Calls `take(choice, cell)` for each n-gram of `text` that holds no line feed. The last eight
/// bytes stand in a word, the newest highest, so that its upper n bytes are the n-gram that
/// ends here.
template <class Take>
void for_each_cell(Bytes text, Take take) {
  std::uint64_t window = 0;
  std::uint32_t since_newline = 0;
  for (const Byte byte : text) {
    window = window >> 8 | std::uint64_t{fold_ascii(byte)} << 56;
    since_newline = byte == '\n' ? 0 : since_newline + 1;
    for (std::size_t choice = 0; choice < kGramChoices.size(); ++choice) {
      const std::uint32_t size = kGramChoices[choice];
      if (since_newline < size) break;
      take(choice, gram_cell(window >> (64 - 8 * size)));
    }
  }
}

/// True of letters, digits, '_' and every byte that is not ASCII.
bool is_word_byte(Byte byte) {
  return std::isalnum(byte) != 0 || byte == '_' || byte >= 0x80;
}

/// Strings that somebody may search for: from the beginning of a word on, within one line.
/// Every second one gets a wrong letter, because rare strings have rare n-grams.
std::vector<std::string> sample_strings(Bytes plain) {
  std::vector<std::string> samples;
  for (std::size_t i = 0; i < kSamples; ++i) {
    std::size_t at = (2 * i + 1) * plain.size() / (2 * kSamples);
    while (at > 0 && at < plain.size() &&
           (is_word_byte(plain[at - 1]) || !is_word_byte(plain[at]))) {
      ++at;
    }
    const std::size_t size = kSampleBytes[i / 2];
    if (at + size > plain.size()) continue;
    std::string text(plain.begin() + static_cast<std::ptrdiff_t>(at),
                     plain.begin() + static_cast<std::ptrdiff_t>(at + size));
    if (text.find('\n') != std::string::npos) continue;
    const auto other = static_cast<Byte>(text[0]);
    if (i % 2 == 1) text[other % size] = static_cast<char>('a' + (other * 7u + size) % 26);
    samples.push_back(std::move(text));
  }
  return samples;
}

}  // namespace

/// Text that repeats earlier text has no n-gram that was not there. Hashing n-grams takes some
/// nanoseconds a byte, comparing a tenth of one: so repetitions are looked for first, with a
/// small table as in a fast LZ77 compressor, and skipped except for their ends, where n-grams
/// reach into new text.
template <class Take>
void GramCollector::for_each_new_part(Bytes text, Take take) {
  places_.assign(std::size_t{1} << kPlacesLog2, 0);
  std::size_t begin = 0;  // of what was not taken yet
  for (std::size_t at = 1; at + kProbeBytes <= text.size();) {
    const auto bytes = load<std::uint64_t>(text.data() + at);
    std::uint32_t& place = places_[hash_word(bytes, kPlacesLog2)];
    const std::uint32_t earlier = std::exchange(place, static_cast<std::uint32_t>(at));
    if (load<std::uint64_t>(text.data() + earlier) == bytes && earlier != 0) {
      const Byte* const here = text.data() + at;
      const Byte* const there = text.data() + earlier;
      const auto new_before = static_cast<std::uint32_t>(at - begin);
      const std::size_t from =
          at - common_length_back(here, there, std::min(new_before, earlier), earlier);
      const std::size_t end =
          at + common_length(there, here, static_cast<std::uint32_t>(text.size() - at));
      if (end - from >= kLeastRepeated) {
        take(text.subspan(begin, from + kLongest - 1 - begin));
        begin = end - (kLongest - 1);
        at = end;
        continue;
      }
    }
    at += 1 + ((at - begin) >> kPatience);
  }
  take(text.subspan(begin));
}

/// The tables of seen cells are cleared by walking through the cells that were found, not as a
/// whole.
BlockGrams GramCollector::collect(Bytes plain) {
  BlockGrams grams;
  grams.samples = sample_strings(plain);
  std::uint64_t* seen[kGramChoices.size()];
  for (std::size_t choice = 0; choice < seen_.size(); ++choice) {
    seen_[choice].resize(kCells / 64);
    seen[choice] = seen_[choice].data();
  }
  const auto take = [&](std::size_t choice, std::uint32_t cell) {
    std::uint64_t& word = seen[choice][cell / 64];
    const std::uint64_t bit = std::uint64_t{1} << cell % 64;
    if ((word & bit) != 0) return;  // most of them: no store
    word |= bit;
    grams.cells[choice].push_back(cell);
  };
  for_each_new_part(plain, [&](Bytes part) { for_each_cell(part, take); });
  for (std::size_t choice = 0; choice < seen_.size(); ++choice) {
    for (const std::uint32_t cell : grams.cells[choice]) seen_[choice][cell / 64] = 0;
  }
  const Bytes head = plain.first(std::min(plain.size(), kHeadBytes));
  const Bytes tail = plain.last(std::min(plain.size(), kTailBytes));
  grams.head.assign(head.begin(), head.end());
  grams.tail.assign(tail.begin(), tail.end());
  return grams;
}

/// Every block except a file's last is longer than kHeadBytes, so one following block is
/// enough.
void add_border_cells(BlockGrams& before, const BlockGrams& behind) {
  static_assert(kMinBlockBytes > kHeadBytes);
  std::vector<Byte> border = before.tail;
  border.insert(border.end(), behind.head.begin(), behind.head.end());
  for_each_cell(border, [&](std::size_t choice, std::uint32_t cell) {
    before.cells[choice].push_back(cell);
  });
}

}  // namespace presso
