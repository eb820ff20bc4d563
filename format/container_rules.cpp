// SPDX-License-Identifier: MIT
// The rules of FORMAT.md 3 and 7 that do not depend on how a file is read. Tested by
// tests/golden/bad and by tests/unit/format.
#include "format/container_rules.h"

namespace presso {
namespace {

/// The most payload that a section of this kind may have; 0 for kinds that are skipped unread.
std::uint64_t payload_limit(FrameKind kind, std::uint64_t blocks) {
  switch (kind) {
    case FrameKind::kMetadata:
      return kMaxMetadataBytes;
    case FrameKind::kDictionary:
      return kMaxDictionaryStoredBytes;
    case FrameKind::kIndex:
      return kIndexPrefixBytes + 4 * blocks;
    default:
      return 0;
  }
}

}  // namespace

/// Keeps an offset that is there: the innermost place is the most exact.
Error at_offset(Error error, std::uint64_t offset) {
  if (error.byte_offset == Error::kNone) error.byte_offset = offset;
  return error;
}

Error truncated(std::uint64_t offset, const char* what) {
  return at_offset(make_error(ErrorCode::kTruncated, std::string("ends inside ") + what), offset);
}

bool ends_after_content(const Error& error) {
  return error.code == ErrorCode::kTruncated && (error.what == truncated(0, kTheIndex).what ||
                                                 error.what == truncated(0, kTheTrailer).what);
}

Error ends_inside(Error error, const char* what) {
  if (error.code == ErrorCode::kTruncated) error.what = truncated(0, what).what;
  return error;
}

std::string kind_name(FrameKind kind) {
  switch (kind) {
    case FrameKind::kMetadata:
      return "metadata";
    case FrameKind::kDictionary:
      return "dictionary";
    case FrameKind::kFilter:
      return "filter";
    case FrameKind::kLines:
      return "line facts";
    case FrameKind::kTimes:
      return "times";
    case FrameKind::kIndex:
      return "index";
    default:
      break;
  }
  const auto letter = static_cast<char>(kind);
  const bool printable = letter > ' ' && letter < 0x7F;
  return printable ? std::string("'") + letter + "'"
                   : "kind " + std::to_string(static_cast<unsigned>(kind));
}

Status expect_content(const FileHeader& header, Content content) {
  if (header.content == content) return {};
  return make_error(ErrorCode::kContent, content == Content::kBytes
                                             ? "a table stands where bytes are expected"
                                             : "bytes stand where a table is expected");
}

bool is_known_section(FrameKind kind) {
  return kind == FrameKind::kMetadata || kind == FrameKind::kDictionary ||
         kind == FrameKind::kIndex;
}

/// Without `exact_index`, the size of an index is for the caller to judge.
Status check_section_header(const SectionHeader& header, std::uint64_t blocks, bool exact_index) {
  if (!is_known_section(header.kind)) {
    if (!header.mandatory) return {};
    return make_error(ErrorCode::kUnknownMandatorySection, kind_name(header.kind));
  }
  const std::uint64_t limit = payload_limit(header.kind, blocks);
  if (header.kind == FrameKind::kIndex && exact_index && header.payload_bytes != limit) {
    return make_error(ErrorCode::kBadIndex, "size does not match the blocks before it");
  }
  if (header.kind != FrameKind::kIndex && header.payload_bytes > limit) {
    return make_error(ErrorCode::kBadHeader, "section size");
  }
  const bool right_parameter = header.kind == FrameKind::kDictionary
                                   ? header.parameter >= 1 && header.parameter <= kMaxDictionaries
                                   : header.parameter == 0;
  if (right_parameter) return {};
  return make_error(ErrorCode::kBadHeader, "section parameter " + std::to_string(header.parameter));
}

/// A block after an optional section, or after the index, is out of place.
Status FrameOrder::take_block() {
  if (after_blocks_) return make_error(ErrorCode::kBadHeader, "place of a block");
  blocks_ = true;
  return {};
}

/// Metadata and dictionaries stand before the blocks, each at most once, and the index ends
/// them all.
Status FrameOrder::take_section(const SectionHeader& header) {
  const bool metadata = header.kind == FrameKind::kMetadata;
  const bool dictionary = header.kind == FrameKind::kDictionary;
  if (index_ || (blocks_ && (metadata || dictionary))) {
    return make_error(ErrorCode::kBadHeader, "place of section " + kind_name(header.kind));
  }
  const std::uint32_t id = dictionary ? 1u << header.parameter : 0;
  if ((metadata && metadata_) || (dictionaries_ & id) != 0) {
    return make_error(ErrorCode::kBadHeader, "second section " + kind_name(header.kind));
  }
  metadata_ |= metadata;
  dictionaries_ |= id;
  index_ = header.kind == FrameKind::kIndex;
  after_blocks_ |= blocks_ || index_;
  return {};
}

}  // namespace presso
