// SPDX-License-Identifier: MIT
#include "lab/compressed_search/compressed_search.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "decompress/payload.h"

namespace presso::strings {
namespace {

struct Sequence {
  std::uint32_t begin = 0;  ///< plain position of its literals
  std::uint32_t match = 0;  ///< of its match; == end where it has none
  std::uint32_t end = 0;
  std::uint32_t distance = 0;
  std::uint32_t literals = 0;  ///< its first one's place in the literal stream
};

/// The sequences with their places, and a last one with the literals after them. Checks what
/// FORMAT.md 6.2 asks of each, in its order.
class SequenceReader {
 public:
  SequenceReader(const BlockHeader& header, const PayloadView& payload,
                 std::uint32_t dictionary_bytes)
      : header_(header), payload_(payload), dictionary_bytes_(dictionary_bytes) {}

  Result<std::vector<Sequence>> run() {
    std::vector<Sequence> sequences;
    sequences.reserve(std::size_t{header_.sequences} + 1);
    for (std::uint32_t i = 0; i < header_.sequences; ++i) {
      PRESSO_ASSIGN(const Sequence sequence, read(i));
      sequences.push_back(sequence);
    }
    const std::uint32_t rest = header_.literals - literals_used_;
    if (rest != header_.plain_bytes - at_) return make_error(ErrorCode::kBadLength);
    sequences.push_back({at_, at_ + rest, at_ + rest, 0, literals_used_});
    if (far_used_ != header_.far_offsets || literal_escapes_used_ != header_.literal_escapes ||
        match_escapes_used_ != header_.match_escapes || longs_used_ != payload_.long_count) {
      return make_error(ErrorCode::kBadEscapes, "bytes are left over");
    }
    return sequences;
  }

 private:
  Result<Sequence> read(std::uint32_t number) {
    const TokenLayout& layout = header_.layout;
    const std::uint32_t token = payload_.tokens[number];
    std::uint32_t literals = token & layout.literal_limit();
    std::uint32_t match = (token >> layout.literal_bits) & layout.match_limit();
    std::uint32_t distance = load<std::uint16_t>(payload_.offsets + 2 * std::size_t{number});
    if (layout.far && (token & 0x80) != 0) {
      if (far_used_ == header_.far_offsets) return make_error(ErrorCode::kBadEscapes, "far");
      distance |= std::uint32_t{payload_.far[far_used_++]} << 16;
    }
    PRESSO_TRY(extend(literals, layout.literal_limit(), payload_.literal_escapes,
                      header_.literal_escapes, literal_escapes_used_));
    PRESSO_TRY(extend(match, layout.match_limit(), payload_.match_escapes, header_.match_escapes,
                      match_escapes_used_));
    return place(literals, match, distance);
  }

  Status extend(std::uint32_t& length, std::uint32_t limit, const Byte* escapes,
                std::uint32_t count, std::uint32_t& used) {
    if (length != limit) return {};
    if (used == count) return make_error(ErrorCode::kBadEscapes, "too few escape bytes");
    const std::uint32_t escape = escapes[used++];
    length += escape;
    if (escape != 255) return {};
    if (longs_used_ == payload_.long_count) {
      return make_error(ErrorCode::kBadEscapes, "too few long lengths");
    }
    length += load<std::uint16_t>(payload_.long_lengths + 2 * std::size_t{longs_used_++});
    return {};
  }

  Result<Sequence> place(std::uint32_t literals, std::uint32_t match, std::uint32_t distance) {
    Sequence made{at_, at_, at_, distance, literals_used_};
    if (literals > header_.literals - literals_used_) return make_error(ErrorCode::kBadLiterals);
    if (literals > header_.plain_bytes - at_) return make_error(ErrorCode::kBadLength);
    made.match = made.end = at_ + literals;
    literals_used_ += literals;
    if (distance == 0 && match != 0) return make_error(ErrorCode::kBadOffset);
    if (distance != 0) {
      const std::uint32_t length = match + header_.layout.min_match;
      if (length > header_.plain_bytes - made.match) return make_error(ErrorCode::kBadLength);
      if (!has_source(made.match, length, distance)) return make_error(ErrorCode::kBadOffset);
      made.end += length;
    }
    at_ = made.end;
    return made;
  }

  /// In the block, or as a whole in the dictionary.
  bool has_source(std::uint32_t at, std::uint32_t length, std::uint32_t distance) const {
    if (distance <= at) return true;
    return distance - at <= dictionary_bytes_ && length <= distance - at;
  }

  const BlockHeader& header_;
  const PayloadView& payload_;
  std::uint32_t dictionary_bytes_;
  std::uint32_t at_ = 0;
  std::uint32_t literals_used_ = 0;
  std::uint32_t far_used_ = 0;
  std::uint32_t literal_escapes_used_ = 0;
  std::uint32_t match_escapes_used_ = 0;
  std::uint32_t longs_used_ = 0;
};

/// Plain bytes, made when they are asked for, each once.
class LazyPlain {
 public:
  LazyPlain(const std::vector<Sequence>& sequences, const Byte* literals, Bytes dictionary,
            std::uint32_t plain_bytes)
      : sequences_(sequences),
        literals_(literals),
        dictionary_(dictionary),
        plain_(plain_bytes),
        is_made_(plain_bytes, 0) {
    first_.reserve(plain_bytes / kStretch + 1);
    for (std::uint32_t i = 0; i < sequences.size(); ++i) {
      while (first_.size() * kStretch < sequences[i].end) first_.push_back(i);
    }
  }

  /// The bytes [begin, end).
  const Byte* get(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; ++at) {
      if (is_made_[at] == 0) make(at);
    }
    return plain_.data() + begin;
  }
  std::uint64_t bytes_made() const { return bytes_made_; }

 private:
  static constexpr std::uint32_t kStretch = 64;

  const Sequence& sequence_of(std::uint32_t at) const {
    std::uint32_t i = first_[at / kStretch];
    while (sequences_[i].end <= at) ++i;
    return sequences_[i];
  }

  /// Follows copies to a literal or a byte that is there, and fills in all on the way.
  void make(std::uint32_t at) {
    way_.clear();
    Byte value = 0;
    for (;;) {
      if (is_made_[at] != 0) {
        value = plain_[at];
        break;
      }
      way_.push_back(at);
      const Sequence& sequence = sequence_of(at);
      if (at < sequence.match) {
        value = literals_[sequence.literals + (at - sequence.begin)];
        break;
      }
      if (sequence.distance > at) {
        value = dictionary_[dictionary_.size() - (sequence.distance - at)];
        break;
      }
      at -= sequence.distance;
    }
    for (const std::uint32_t place : way_) {
      plain_[place] = value;
      is_made_[place] = 1;
    }
    bytes_made_ += way_.size();
  }

  const std::vector<Sequence>& sequences_;
  const Byte* literals_;
  Bytes dictionary_;
  std::vector<Byte> plain_;
  std::vector<Byte> is_made_;
  std::vector<std::uint32_t> first_;  ///< of each stretch, the sequence at its begin
  std::vector<std::uint32_t> way_;
  std::uint64_t bytes_made_ = 0;
};

std::string_view view_of(const Byte* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Where occurrences begin, ascending; those in the dictionary as negative numbers.
class Occurrences {
 public:
  Occurrences(std::string_view string, Bytes dictionary) : string_(string) {
    append_in(view_of(dictionary.data(), dictionary.size()),
              -static_cast<std::int64_t>(dictionary.size()));
    in_dictionary_ = begins_.size();
  }

  /// Those of `text`, which begins at plain position `at`.
  void append_in(std::string_view text, std::int64_t at) {
    for (std::size_t i = text.find(string_); i != std::string_view::npos;
         i = text.find(string_, i + 1)) {
      begins_.push_back(at + static_cast<std::int64_t>(i));
    }
  }

  /// Those in the match's source, also where the match is its own source.
  void append_copies(const Sequence& sequence) {
    const std::int64_t distance = sequence.distance;
    const std::int64_t from = sequence.match - distance;
    const std::int64_t last =
        std::int64_t{sequence.end} - distance - static_cast<std::int64_t>(string_.size());
    const auto first = std::lower_bound(begins_.begin(), begins_.end(), from);
    for (auto i = static_cast<std::size_t>(first - begins_.begin());
         i < begins_.size() && begins_[i] <= last; ++i) {
      begins_.push_back(begins_[i] + distance);
    }
  }

  std::uint64_t count_in_block() const { return begins_.size() - in_dictionary_; }

 private:
  std::string_view string_;
  std::vector<std::int64_t> begins_;
  std::size_t in_dictionary_ = 0;
};

/// Whether each byte of the string is among the literals or in the dictionary: all bytes of a
/// block come from there.
bool may_occur(std::string_view string, Bytes literals, Bytes dictionary) {
  return std::all_of(string.begin(), string.end(), [&](char byte) {
    const auto holds = [&](Bytes bytes) {
      return !bytes.empty() && std::memchr(bytes.data(), byte, bytes.size()) != nullptr;
    };
    return holds(literals) || holds(dictionary);
  });
}

CompressedCount count_in_sequences(const BlockHeader& header,
                                   const std::vector<Sequence>& sequences, const Byte* literals,
                                   Bytes dictionary, std::string_view string) {
  const auto overlap = static_cast<std::uint32_t>(string.size() - 1);
  LazyPlain plain(sequences, literals, dictionary, header.plain_bytes);
  Occurrences occurrences(string, dictionary);
  for (const Sequence& sequence : sequences) {
    // All that ends in the literals or in the match's first bytes, and does not lie in the match.
    const std::uint32_t begin = sequence.begin - std::min(sequence.begin, overlap);
    const std::uint32_t end = sequence.match + std::min(sequence.end - sequence.match, overlap);
    occurrences.append_in(view_of(plain.get(begin, end), end - begin), begin);
    if (sequence.end > sequence.match) occurrences.append_copies(sequence);
  }
  return {occurrences.count_in_block(), plain.bytes_made()};
}

CompressedCount count_in_raw(const BlockHeader& header, const Byte* payload,
                             std::string_view string) {
  Occurrences occurrences(string, {});
  occurrences.append_in(view_of(payload, header.plain_bytes), 0);
  return {occurrences.count_in_block(), 0};
}

}  // namespace

Result<CompressedCount> count_in_block(const BlockHeader& header, const Byte* payload,
                                       const Dictionary* dictionary, std::string_view string) {
  if (string.empty()) return make_error(ErrorCode::kInvalidArgument, "an empty string");
  if (header.coding == Coding::kBit) return make_error(ErrorCode::kUnsupported, "Bit coding");
  if (header.coding == Coding::kRaw) return count_in_raw(header, payload, string);
  if (header.dictionary_id != 0 && dictionary == nullptr) {
    return make_error(ErrorCode::kMissingDictionary);
  }
  const Bytes content = header.dictionary_id != 0 ? dictionary->content() : Bytes{};
  return without_bad_alloc([&]() -> Result<CompressedCount> {
    PRESSO_ASSIGN(const PayloadView view, view_payload(header, payload));
    if (!may_occur(string, {view.literals, header.literals}, content)) return CompressedCount{};
    SequenceReader reader(header, view, static_cast<std::uint32_t>(content.size()));
    PRESSO_ASSIGN(const std::vector<Sequence> sequences, reader.run());
    return count_in_sequences(header, sequences, view.literals, content, string);
  });
}

}  // namespace presso::strings
