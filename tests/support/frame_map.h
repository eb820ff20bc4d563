// SPDX-License-Identifier: MIT
// Where the headers of a sound compressed file lie, and how to change one so that its checksums are
// right again: what a hostile writer would do.
#pragma once

#include <cstddef>
#include <vector>

#include "presso/checksum.h"
#include "presso/wire.h"

namespace presso::test {

struct FrameSpan {
  static constexpr std::size_t kNoParent = ~std::size_t{0};

  char kind = 'H';  ///< 'H' the file header, else the frame kind's letter
  std::size_t offset = 0;
  std::size_t header_bytes = 0;
  std::size_t payload_bytes = 0;
  std::size_t end = 0;             ///< behind the padding
  std::size_t parent = kNoParent;  ///< of blocks inside a dictionary: its index in the map

  std::size_t payload() const { return offset + header_bytes; }
};

namespace detail {

inline FrameSpan span_of_block(const Byte* at, std::size_t offset) {
  const BlockHeader header = *parse_block_header(at);
  return {static_cast<char>(header.kind), offset, kBlockHeaderBytes, header.payload_bytes,
          offset + static_cast<std::size_t>(header.stored_bytes())};
}

inline FrameSpan span_of_section(const Byte* at, std::size_t offset) {
  const SectionHeader header = *parse_section_header(at);
  return {static_cast<char>(header.kind), offset, kSectionHeaderBytes,
          static_cast<std::size_t>(header.payload_bytes),
          offset + static_cast<std::size_t>(header.stored_bytes())};
}

inline void add_dictionary_blocks(const std::vector<Byte>& file, std::vector<FrameSpan>& frames) {
  const std::size_t parent = frames.size() - 1;
  const std::size_t end = frames[parent].payload() + frames[parent].payload_bytes;
  for (std::size_t at = frames[parent].payload(); at < end; at = frames.back().end) {
    frames.push_back(span_of_block(file.data() + at, at));
    frames.back().parent = parent;
  }
}

}  // namespace detail

/// All frames of a sound file in order, those inside dictionaries behind their section.
inline std::vector<FrameSpan> map_frames(const std::vector<Byte>& file) {
  std::vector<FrameSpan> frames;
  for (std::size_t at = 0; at < file.size();) {
    const Byte* from = file.data() + at;
    if (has_file_magic(from)) {
      frames.push_back({'H', at, kFileHeaderBytes, 0, at + kFileHeaderBytes});
    } else if (from[3] == 'B') {
      frames.push_back(detail::span_of_block(from, at));
    } else if (from[3] == 'T') {
      frames.push_back({'T', at, kTrailerBytes, 0, at + kTrailerBytes});
    } else {
      frames.push_back(detail::span_of_section(from, at));
    }
    at = frames.back().end;
    if (frames.back().kind == 'D') detail::add_dictionary_blocks(file, frames);
  }
  return frames;
}

inline std::vector<FrameSpan> frames_of_kind(const std::vector<FrameSpan>& frames, char kind) {
  std::vector<FrameSpan> found;
  for (const FrameSpan& frame : frames) {
    if (frame.kind == kind) found.push_back(frame);
  }
  return found;
}

inline void seal_header(std::vector<Byte>& file, const FrameSpan& frame) {
  Byte* header = file.data() + frame.offset;
  const std::size_t covered = frame.header_bytes - 4;
  store<std::uint32_t>(header + covered, checksum32({header, covered}));
}

/// Makes every checksum that covers this frame's header or payload right again, but for a block's
/// content checksum.
inline void seal(std::vector<Byte>& file, const std::vector<FrameSpan>& frames,
                 std::size_t number) {
  const FrameSpan& frame = frames[number];
  const bool is_section = frame.header_bytes == kSectionHeaderBytes && frame.payload_bytes > 0;
  if (is_section) {
    store<std::uint64_t>(file.data() + frame.offset + 16,
                         checksum64({file.data() + frame.payload(), frame.payload_bytes}));
  }
  seal_header(file, frame);
  if (frame.parent != FrameSpan::kNoParent) seal(file, frames, frame.parent);
}

}  // namespace presso::test
