// SPDX-License-Identifier: MIT
// Words are drawn by one byte of a random number out of tables of 256 places, and copied as 16
// bytes whatever their length: no branch depends on the word.
#include "corpora/tpch_text.h"

#include <cstring>

#include "corpora/tpch_words.h"

namespace presso::corpora::tpch {
namespace {

/// With the blank that follows it.
struct Piece {
  std::array<char, 16> text{};
  std::uint8_t size = 0;
};

class WordTable {
 public:
  template <std::size_t N>
  constexpr explicit WordTable(const std::array<Weighted, N>& words, bool blank = true) {
    std::uint32_t total = 0;
    for (const Weighted& word : words) total += word.weight;
    std::uint32_t below = 0;
    for (const Weighted& word : words) {
      const std::uint32_t first = below * 256 / total;
      below += word.weight;
      for (std::uint32_t i = first; i < below * 256 / total; ++i) {
        places_[i] = piece(word.word, blank);
      }
    }
  }

  constexpr const Piece& operator[](std::uint8_t place) const { return places_[place]; }

 private:
  static constexpr Piece piece(std::string_view word, bool blank) {
    Piece made;
    for (const char letter : word) made.text[made.size++] = letter;
    if (blank) made.text[made.size++] = ' ';
    return made;
  }

  std::array<Piece, 256> places_{};
};

constexpr WordTable kNounTable(kNouns);
constexpr WordTable kVerbTable(kVerbs);
constexpr WordTable kAdjectiveTable(kAdjectives);
constexpr WordTable kAdverbTable(kAdverbs);
constexpr WordTable kPrepositionTable(kPrepositions);
constexpr WordTable kAuxiliaryTable(kAuxiliaries);
constexpr WordTable kTerminatorTable(kTerminators, false);

/// Writes sentences; its caller leaves room for one.
class SentenceWriter {
 public:
  SentenceWriter(Random& random, char* to) : random_(random), at_(to) {}

  char* at() const { return at_; }

  void sentence() {
    const std::uint32_t kind = byte();
    noun_phrase();
    if (kind >= 230) prepositional_phrase();
    verb_phrase();
    if (kind >= 160 && kind < 243) noun_phrase();
    if ((kind >= 80 && kind < 160) || kind >= 243) prepositional_phrase();
    --at_;  // the blank before the full stop
    put(kTerminatorTable[byte()]);
  }

 private:
  void noun_phrase() {
    const std::uint32_t kind = byte();
    if (kind >= 75) {
      if (kind >= 206) put(kAdverbTable[byte()]);
      put(kAdjectiveTable[byte()]);
      if (kind >= 181 && kind < 206) another_adjective();
    }
    put(kNounTable[byte()]);
  }

  void another_adjective() {
    at_[-1] = ',';
    *at_++ = ' ';
    put(kAdjectiveTable[byte()]);
  }

  void verb_phrase() {
    const std::uint32_t kind = byte();
    if ((kind & 3) == 0) put(kAuxiliaryTable[byte()]);
    put(kVerbTable[byte()]);
    if (kind >= 128) put(kAdverbTable[byte()]);
  }

  void prepositional_phrase() {
    put(kPrepositionTable[byte()]);
    std::memcpy(at_, "the ", 4);
    at_ += 4;
    noun_phrase();
  }

  void put(const Piece& piece) {
    std::memcpy(at_, piece.text.data(), piece.text.size());
    at_ += piece.size;
  }

  std::uint8_t byte() {
    if (left_ == 0) {
      bits_ = random_.next();
      left_ = 8;
    }
    const auto taken = static_cast<std::uint8_t>(bits_);
    bits_ >>= 8;
    --left_;
    return taken;
  }

  Random& random_;
  char* at_;
  std::uint64_t bits_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace

std::string_view CommentText::make(Random& random, std::uint32_t shortest, std::uint32_t longest) {
  const std::uint32_t length = shortest + random.below(longest - shortest + 1);
  const std::uint32_t skipped = random.below(kMaxSkipped);
  SentenceWriter writer(random, buffer_.data());
  while (writer.at() - buffer_.data() < static_cast<std::ptrdiff_t>(skipped + length)) {
    writer.sentence();
  }
  return {buffer_.data() + skipped, length};
}

}  // namespace presso::corpora::tpch
