// SPDX-License-Identifier: MIT
// Makes the header and section checksums of arbitrary bytes right wherever a frame can be
// recognised, so that a fuzzer's mutations get past them.
#pragma once

#include <algorithm>
#include <vector>

#include "format/columns/column_block.h"
#include "presso/checksum.h"
#include "presso/wire.h"

namespace presso::fuzz {

inline void seal(std::vector<Byte>& file, std::size_t at, std::size_t header_bytes) {
  const std::size_t covered = header_bytes - 4;
  store<std::uint32_t>(file.data() + at + covered, checksum32({file.data() + at, covered}));
}

/// Blocks of integers and tokens, whose checksum is of the payload.
inline std::uint64_t repair_column_block(std::vector<Byte>& file, std::size_t at) {
  Byte* const from = file.data() + at;
  const std::uint32_t payload_bytes = load_u24(from + 12);
  if (payload_bytes > file.size() - at - kBlockHeaderBytes) return 0;
  store<std::uint64_t>(from + 36, checksum64({from + kBlockHeaderBytes, payload_bytes}));
  seal(file, at, kBlockHeaderBytes);
  return round_up(kBlockHeaderBytes + payload_bytes, kFrameAlignment);
}

/// Bytes that the frame at `at` takes; 0 where there is none.
inline std::uint64_t repair_frame(std::vector<Byte>& file, std::size_t at) {
  const std::size_t left = file.size() - at;
  Byte* from = file.data() + at;
  if (left >= kFileHeaderBytes && has_file_magic(from)) {
    seal(file, at, kFileHeaderBytes);
    return kFileHeaderBytes;
  }
  if (left < kSectionHeaderBytes || !peek_frame_kind(from).ok()) return 0;
  if (from[3] == 'B' || from[3] == 'd') {
    if (left < kBlockHeaderBytes) return 0;
    if (is_column_coding(from)) return repair_column_block(file, at);
    seal(file, at, kBlockHeaderBytes);
    const auto header = parse_block_header(from);
    return header.ok() ? header->stored_bytes() : 0;
  }
  seal(file, at, kSectionHeaderBytes);
  if (from[3] == 'T') return kTrailerBytes;
  const auto header = parse_section_header(from);
  if (!header.ok() || header->payload_bytes > left - kSectionHeaderBytes) return 0;
  const auto payload_bytes = static_cast<std::size_t>(header->payload_bytes);
  for (std::size_t inner = 0; from[3] == 'D' && inner < payload_bytes;) {
    const std::uint64_t taken = repair_frame(file, at + kSectionHeaderBytes + inner);
    if (taken == 0) break;
    inner += static_cast<std::size_t>(taken);
  }
  store<std::uint64_t>(from + 16, checksum64({from + kSectionHeaderBytes, payload_bytes}));
  seal(file, at, kSectionHeaderBytes);
  return header->stored_bytes();
}

inline void repair(std::vector<Byte>& file) {
  for (std::uint64_t at = 0; at < file.size();) {
    const std::uint64_t taken = repair_frame(file, static_cast<std::size_t>(at));
    at += std::max<std::uint64_t>(taken, 1);
  }
}

}  // namespace presso::fuzz
