// SPDX-License-Identifier: MIT
// Data whose back-references form chains of a known length, to see what chains cost a decoder that
// executes groups of 32 sequences in parallel (sources: S7.9).
//
// k strings of 16 bytes are repeated in turn, each repetition followed by a separator: a *record*
// of 17 bytes. Each time it comes again a string has changed in one byte, the last and the first by
// turns, so that its other 15 bytes match the repetition before, 17 k bytes back, and of these 14
// were matched themselves. Groups of 32 sequences then consist of k chains of 32 / k matches each:
// that is the depth of every group, and the number of rounds of multi-round resolution.
//
// Strings, separators and changing bytes use disjoint sets of bytes, no three inner bytes occur in
// two strings, a changing byte has 184 values in turn and the cycle of separators has a length that
// is prime: an encoder with a short window has no better matches than the intended ones.
//
// The content depends on k alone. A block's sequences are known without a search: its first k whole
// records are literals, then each record is a sequence, and what is left after the last whole
// group is literals again, which belong to no group.
#pragma once

#include <array>
#include <cstdint>

#include "compress/parse/sequence.h"
#include "presso/byte_stream.h"
#include "presso/bytes.h"

namespace presso::corpora {

class NestedData {
 public:
  static constexpr std::uint32_t kGroup = 32;  ///< sequences
  static constexpr std::uint32_t kRecordBytes = 17;
  static constexpr std::uint32_t kMatchBytes = 15;

  /// `strings`: 1, 2, 4, ... 32.
  explicit NestedData(std::uint32_t strings);

  std::uint32_t depth() const { return kGroup / strings_; }

  /// The content from `offset` on.
  void render(std::uint64_t offset, MutableBytes to) const;
  /// What describes a block of `bytes` bytes of content from `offset` on.
  Sequences sequences(std::uint64_t offset, std::uint32_t bytes) const;

 private:
  static constexpr std::uint32_t kStringBytes = 16;

  Byte byte_at(std::uint64_t record, std::uint32_t place) const;

  std::uint32_t strings_;
  std::array<std::array<Byte, kStringBytes>, kGroup> bodies_{};
};

/// Writes a compressed file of `plain_bytes` bytes of content in blocks of `block_bytes`. Its
/// blocks claim no dependency rule. Errors: the sink's.
Status write_nested_file(const NestedData& data, std::uint64_t plain_bytes,
                         std::uint32_t block_bytes, ByteSink& sink);

}  // namespace presso::corpora
