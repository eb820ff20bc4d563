// SPDX-License-Identifier: MIT
// The reference decoder: FORMAT.md 6 as code, one sequence and one byte at a time, with every
// limit checked where it is met. The first stage of the Bit coding is in
// reference_bit_decoder.cpp. The other decoders are compared with it, so nothing here is
// clever. It is the only one that checks whether a block obeys the dependency rule that it
// records, and the only place that names errors in payloads.
#include "decompress/cpu/reference_decoder.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "decompress/cpu/bit_symbols.h"
#include "decompress/payload.h"
#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso {
namespace {

/// Who wrote a byte of the current group or tile, which decides whether a match may read it
/// (FORMAT.md 6.3).
enum class Writer : Byte { kEarlierGroup, kLiteral, kFirstWaveMatch, kSecondWaveMatch };

/// The second stage, which both codings share: executes one sequence after another.
class SequenceExecutor {
 public:
  SequenceExecutor(const BlockHeader& header, const Byte* literals, Bytes dictionary,
                   bool check_rule, Byte* out)
      : header_(header),
        literals_(literals),
        dictionary_(dictionary),
        check_rule_(check_rule),
        out_(out),
        writers_(header.plain_bytes, Writer::kEarlierGroup) {}

  /// Executes sequence `number`, counted from 0. `match`: its value, which is the length less
  /// min_match.
  Status execute(std::uint32_t number, std::uint32_t literals, std::uint32_t match,
                 std::uint32_t distance) {
    // Dependency rules speak of groups of 2^group_log2 sequences.
    if (number % (1u << header_.group_log2) == 0) group_start_ = at_;
    PRESSO_TRY(copy_literals(literals));
    if (distance == 0) {  // a sequence without a match
      if (match != 0) return make_error(ErrorCode::kBadOffset, "offset 0 with a match length");
      return {};
    }
    return copy_match(match + header_.layout.min_match, distance);
  }

  /// Copies the literals after the last sequence and checks that the block is full.
  Status finish() {
    PRESSO_TRY(copy_literals(header_.literals - literals_used_));
    if (at_ != header_.plain_bytes) return make_error(ErrorCode::kBadLength, "block is too short");
    return {};
  }

 private:
  /// kBadLiterals if they run out, kBadLength if the block is full.
  Status copy_literals(std::uint32_t count) {
    if (count > header_.literals - literals_used_) return make_error(ErrorCode::kBadLiterals);
    if (count > header_.plain_bytes - at_) return make_error(ErrorCode::kBadLength);
    for (std::uint32_t i = 0; i < count; ++i) {
      writers_[at_] = Writer::kLiteral;
      out_[at_++] = literals_[literals_used_++];
    }
    return {};
  }

  /// Byte by byte, so that overlapping matches repeat what they have just written.
  Status copy_match(std::uint32_t length, std::uint32_t distance) {
    if (length > header_.plain_bytes - at_) return make_error(ErrorCode::kBadLength);
    // Distances that pass the block's start count into the dictionary.
    if (distance > at_) return copy_from_dictionary(length, distance - at_);
    if (header_.rule == DependencyRule::kTile) return copy_in_tiles(length, distance);
    const std::uint32_t from = at_ - distance;
    // A source that reaches into the current group has to wait for it.
    const bool second_wave = from + length > group_start_;
    if (check_rule_) PRESSO_TRY(check_rule(from, length));
    for (std::uint32_t i = 0; i < length; ++i) {
      writers_[at_] = second_wave ? Writer::kSecondWaveMatch : Writer::kFirstWaveMatch;
      out_[at_] = out_[at_ - distance];
      ++at_;
    }
    return {};
  }

  /// Under the tile rule each byte belongs to a wave of its own.
  Status copy_in_tiles(std::uint32_t length, std::uint32_t distance) {
    // Tiles are pieces of plain bytes, not of sequences.
    const std::uint32_t tile_bytes = 1u << header_.group_log2;
    const std::uint32_t from = at_ - distance;
    for (std::uint32_t i = 0; i < length; ++i) {
      // Overlapping matches read their first `distance` bytes again and again.
      const std::uint32_t source = from + i % distance;
      const bool second_wave = source >= at_ - at_ % tile_bytes;
      if (check_rule_ && second_wave && !may_read(writers_[source])) {
        return make_error(ErrorCode::kDependencyRule);
      }
      writers_[at_] = second_wave ? Writer::kSecondWaveMatch : Writer::kFirstWaveMatch;
      out_[at_++] = out_[source];
    }
    return {};
  }

  /// `before_block`: distance of the source's first byte from the block's start. A source lies
  /// entirely in the dictionary or entirely in the block.
  Status copy_from_dictionary(std::uint32_t length, std::uint32_t before_block) {
    if (before_block > dictionary_.size() || length > before_block) {
      return make_error(ErrorCode::kBadOffset);
    }
    const Byte* from = dictionary_.data() + dictionary_.size() - before_block;
    for (std::uint32_t i = 0; i < length; ++i) {
      writers_[at_] = Writer::kFirstWaveMatch;
      out_[at_++] = from[i];
    }
    return {};
  }

  /// Looks at the part of the source that lies in the current group.
  Status check_rule(std::uint32_t from, std::uint32_t length) const {
    // Bytes that the match itself writes count as written by nobody else.
    const std::uint32_t end = std::min(from + length, at_);
    for (std::uint32_t byte = std::max(from, group_start_); byte < end; ++byte) {
      if (!may_read(writers_[byte])) return make_error(ErrorCode::kDependencyRule);
    }
    // The strict rule forbids the group's own bytes, even those of the match itself.
    if (header_.rule == DependencyRule::kStrict && from + length > group_start_) {
      return make_error(ErrorCode::kDependencyRule);
    }
    return {};
  }

  /// Whether a match of the second wave may read a byte of the current group by this writer.
  bool may_read(Writer writer) const {
    switch (header_.rule) {
      case DependencyRule::kNone:
        return true;
      case DependencyRule::kStrict:
        return false;
      case DependencyRule::kLiteralAware:
        return writer == Writer::kLiteral;
      case DependencyRule::kTwoWave:
      case DependencyRule::kTile:
        return writer != Writer::kSecondWaveMatch;
    }
    return false;
  }

  const BlockHeader& header_;
  const Byte* literals_;
  Bytes dictionary_;
  bool check_rule_;
  Byte* out_;
  std::vector<Writer> writers_;
  std::uint32_t at_ = 0;
  std::uint32_t group_start_ = 0;
  std::uint32_t literals_used_ = 0;
};

/// The first stage of the Byte coding, one sequence at a time.
class ByteReader {
 public:
  ByteReader(const BlockHeader& header, const PayloadView& payload)
      : header_(header), payload_(payload) {}

  /// All sequences; then nothing of any stream may be left.
  Status run(SequenceExecutor& executor) {
    for (std::uint32_t sequence = 0; sequence < header_.sequences; ++sequence) {
      PRESSO_TRY(decode_sequence(sequence, executor));
    }
    PRESSO_TRY(executor.finish());
    if (far_used_ != header_.far_offsets || literal_escapes_used_ != header_.literal_escapes ||
        match_escapes_used_ != header_.match_escapes || longs_used_ != payload_.long_count) {
      return make_error(ErrorCode::kBadEscapes, "bytes are left over");
    }
    return {};
  }

 private:
  /// Reads what one token asks for from the other streams.
  Status decode_sequence(std::uint32_t sequence, SequenceExecutor& executor) {
    const TokenLayout& layout = header_.layout;
    const std::uint32_t token = payload_.tokens[sequence];
    std::uint32_t literals = token & layout.literal_limit();
    std::uint32_t match = (token >> layout.literal_bits) & layout.match_limit();
    std::uint32_t distance = load<std::uint16_t>(payload_.offsets + 2 * std::size_t{sequence});
    if (layout.far && (token & 0x80) != 0) {
      if (far_used_ == header_.far_offsets) return make_error(ErrorCode::kBadEscapes, "far");
      distance |= std::uint32_t{payload_.far[far_used_++]} << 16;
    }
    PRESSO_TRY(extend(literals, layout.literal_limit(), payload_.literal_escapes,
                      header_.literal_escapes, literal_escapes_used_));
    PRESSO_TRY(extend(match, layout.match_limit(), payload_.match_escapes, header_.match_escapes,
                      match_escapes_used_));
    return executor.execute(sequence, literals, match, distance);
  }

  /// A length that reaches its limit in the token continues in an escape byte and, if that is
  /// 255, in a long length.
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

  const BlockHeader& header_;
  const PayloadView& payload_;
  std::uint32_t far_used_ = 0;
  std::uint32_t literal_escapes_used_ = 0;
  std::uint32_t match_escapes_used_ = 0;
  std::uint32_t longs_used_ = 0;
};

/// The second stage for blocks of the Bit coding.
Status execute_symbols(const BitSymbols& symbols, SequenceExecutor& executor) {
  std::uint32_t number = 0;
  for (const BitSequence& sequence : symbols.sequences) {
    PRESSO_TRY(executor.execute(number++, sequence.literals, sequence.match, sequence.distance));
  }
  return executor.finish();
}

}  // namespace

Status reference_decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                                bool check_rule, Byte* out) {
  if (header.coding == Coding::kBit) {
    // Both codings end in the same sequences; only the first stage differs.
    PRESSO_ASSIGN(const BitSymbols symbols, reference_decode_symbols(header, payload));
    SequenceExecutor executor(header, symbols.literals.data(), dictionary, check_rule, out);
    return execute_symbols(symbols, executor);
  }
  PRESSO_ASSIGN(const PayloadView view, view_payload(header, payload));
  SequenceExecutor executor(header, view.literals, dictionary, check_rule, out);
  return ByteReader(header, view).run(executor);
}

// Always checks the dependency rule, which the fast decoders have no use for.
Status reference_decode_block(const BlockHeader& header, const Byte* payload,
                              const Dictionary* dictionary, bool verify, Byte* out) {
  if (header.coding == Coding::kRaw) {
    std::memcpy(out, payload, header.plain_bytes);
  } else {
    if (header.dictionary_id != 0 && dictionary == nullptr) {
      return make_error(ErrorCode::kMissingDictionary);
    }
    const Bytes content = header.dictionary_id != 0 ? dictionary->content() : Bytes{};
    PRESSO_TRY(reference_decode_payload(header, payload, content, true, out));
  }
  if (verify &&
      content_checksum({out, header.plain_bytes}, CpuLevel::kPortable) != header.content_checksum) {
    return make_error(ErrorCode::kContentChecksum);
  }
  return {};
}

}  // namespace presso
