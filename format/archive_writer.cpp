// SPDX-License-Identifier: MIT
// Writes one member front to back to a sink that need not seek: file header, metadata,
// dictionaries, blocks, optional sections, index, trailer (FORMAT.md 3 and 9). It keeps four
// bytes for each block in memory until finish(). Not for several threads: callers order the
// blocks first (presso/ordered_pipeline.h). After an error of the sink the writer must not be
// used again.
#include "presso/archive_writer.h"

#include <array>

#include "format/block_filter.h"
#include "format/line_facts.h"
#include "format/time_facts.h"
#include "presso/checksum.h"

namespace presso {
namespace {

/// Refuses what exceeds the limits of FORMAT.md 7.2 (kInvalidArgument), because readers would.
Status check_metadata(const Metadata& metadata, std::size_t payload_bytes) {
  for (const auto& [key, value] : metadata.entries) {
    if (key.size() > 0xFFFF) {
      return make_error(ErrorCode::kInvalidArgument, "a metadata key is longer than 65,535 bytes");
    }
  }
  if (payload_bytes <= kMaxMetadataBytes) return {};
  return make_error(ErrorCode::kInvalidArgument, "metadata is larger than 1 MiB");
}

}  // namespace

// An empty section of metadata is not written.
Status ArchiveWriter::begin(const FileHeader& header, const Metadata& metadata) {
  const std::vector<Byte> payload = serialise_metadata(metadata);
  PRESSO_TRY(check_metadata(metadata, payload.size()));
  std::array<Byte, kFileHeaderBytes> bytes;
  write_file_header(header, bytes.data());
  PRESSO_TRY(write(bytes));
  if (!payload.empty()) PRESSO_TRY(write_section(FrameKind::kMetadata, false, 0, payload));
  first_block_offset_ = written_;
  return {};
}

/// Dictionaries are mandatory sections: a reader that ignored one could not decode the blocks.
Status ArchiveWriter::add_dictionary(Byte id, Bytes stored_blocks) {
  PRESSO_TRY(write_section(FrameKind::kDictionary, true, id, stored_blocks));
  first_block_offset_ = written_;
  return {};
}

/// `stored`: header and payload of one block as an encoder made them. They are not parsed
/// again.
Status ArchiveWriter::add_block(Bytes stored, std::uint32_t plain_bytes) {
  PRESSO_TRY(write(stored));
  stored_bytes_.push_back(static_cast<std::uint32_t>(stored.size()));
  plain_bytes_ += plain_bytes;
  return {};
}

/// Line facts, times and filters are optional sections, which a reader may pass over.
Status ArchiveWriter::add_line_facts(Bytes payload) {
  return write_section(FrameKind::kLines, false, kLineFactsLayout, payload);
}

Status ArchiveWriter::add_times(Bytes payload) {
  return write_section(FrameKind::kTimes, false, kTimeFactsLayout, payload);
}

Status ArchiveWriter::add_filter(Bytes payload) {
  return write_section(FrameKind::kFilter, false, kFilterLayout, payload);
}

/// The index lists how many bytes each block takes: a reader adds them up to know where blocks
/// stand. The trailer comes last, where it can be found from the file's end.
Status ArchiveWriter::finish() {
  Trailer trailer;
  trailer.index_offset = written_;
  std::vector<Byte> payload;
  payload.reserve(24 + 4 * stored_bytes_.size());
  append_value<std::uint64_t>(payload, stored_bytes_.size());
  append_value<std::uint64_t>(payload, plain_bytes_);
  append_value<std::uint64_t>(payload, first_block_offset_);
  for (const std::uint32_t stored : stored_bytes_) append_value<std::uint32_t>(payload, stored);
  PRESSO_TRY(write_section(FrameKind::kIndex, true, 0, payload));
  trailer.file_bytes = written_ + kTrailerBytes;
  std::array<Byte, kTrailerBytes> bytes;
  write_trailer(trailer, bytes.data());
  return write(bytes);
}

Status ArchiveWriter::write(Bytes bytes) {
  PRESSO_TRY(sink_.write(bytes));
  written_ += bytes.size();
  return {};
}

/// Pads with zeros to kFrameAlignment, so that every frame begins at an aligned offset.
Status ArchiveWriter::write_section(FrameKind kind, bool mandatory, std::uint32_t parameter,
                                    Bytes payload) {
  SectionHeader header;
  header.kind = kind;
  header.mandatory = mandatory;
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum64(payload);
  header.parameter = parameter;
  std::array<Byte, kSectionHeaderBytes> bytes;
  write_section_header(header, bytes.data());
  PRESSO_TRY(write(bytes));
  PRESSO_TRY(write(payload));
  constexpr std::array<Byte, kFrameAlignment> kPadding{};
  return write(Bytes(kPadding).first(header.stored_bytes() - kSectionHeaderBytes - payload.size()));
}

}  // namespace presso
