// SPDX-License-Identifier: MIT
// BlockAppender: codes the blocks of a row group. Integers may also be coded as bytes where that is
// much smaller, and strings that repeat nothing get smaller blocks; both are tried out unless
// TableOptions::quick.
#include "compress/table/write/block_appender.h"

#include <algorithm>

#include "compress/columns/integer_encoder.h"
#include "format/columns/column_block.h"
#include "format/raw_block.h"
#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::uint32_t kFewRows = kMaxBlockRows;  ///< as MustSave::few_rows means it
/// Larger blocks are tried on samples of these sizes first: strings, and integers.
constexpr std::uint32_t kTrialBytes = 128 << 10;
constexpr std::uint32_t kIntegerTrialBytes = 64 << 10;
/// Strings of which less than one byte in kShareRepeated lies in matches count as repeating
/// nothing.
constexpr std::size_t kShareRepeated = 16;
/// Integers that take less than this share of their plain size are left alone.
constexpr double kTriedFrom = 0.02;

/// Blocks begin at multiples of kFrameAlignment.
void pad(Buffer& blocks) {
  constexpr Byte kPadding[kFrameAlignment] = {};
  const std::size_t missing = round_up(blocks.size(), kFrameAlignment) - blocks.size();
  blocks.append({kPadding, missing});
}

/// Reserves the header of a block, whose fields depend on what follows.
std::size_t begin_block(Buffer& blocks) {
  const std::size_t begin = blocks.size();
  constexpr Byte kNothing[kBlockHeaderBytes] = {};
  blocks.append(kNothing);
  return begin;
}

/// Writes the header once the payload and its checksum are known.
void end_block(Buffer& blocks, std::size_t begin, ColumnBlockHeader& header) {
  const std::size_t payload = begin + kBlockHeaderBytes;
  header.payload_bytes = static_cast<std::uint32_t>(blocks.size() - payload);
  header.payload_checksum = checksum64({blocks.data() + payload, header.payload_bytes});
  write_column_block_header(header, blocks.data() + begin);
  pad(blocks);
}

}  // namespace

/// What trials of bytes have shown is forgotten, because it holds for one column.
void BlockAppender::begin_column(Representation representation) {
  ColumnChunk chunk;
  chunk.representation = representation;
  chunk.first_block = next_number();
  others_lost_ = 0;
  directory_.columns.push_back(chunk);
}

/// Adds the directory's entry for the block that begins at `begin`.
void BlockAppender::add_entry(ColumnStream stream, std::size_t begin, std::uint32_t plain_bytes,
                              std::uint32_t rows, const Zone& zone) {
  directory_.blocks.push_back(
      entry_of_block(stream, blocks_.size() - begin, plain_bytes, rows, zone));
  ++chunk().blocks;
}

/// Encodes as integers, then tries planes and bytes unless they have lost for this stream.
void BlockAppender::integer_block(ColumnStream stream, const Byte* values, Byte width_bytes,
                                  bool is_signed, bool floating, std::uint32_t rows,
                                  const Byte* validity, const Zone& zone) {
  const std::size_t begin = begin_block(blocks_);
  const IntegerParameters parameters =
      encode_integers(values, width_bytes, is_signed, floating, rows, validity, blocks_);
  ColumnBlockHeader header;
  // Blocks count from 0 in each row group.
  header.number = next_number();
  header.plain_bytes = integer_bytes(width_bytes, rows);
  header.width_bytes = width_bytes;
  header.is_signed = is_signed;
  header.floating = floating;
  header.count = rows;
  header.divisor = parameters.divisor;
  end_block(blocks_, begin, header);
  const unsigned bit = 1u << static_cast<unsigned>(stream);
  if (!encoders_.quick && (others_lost_ & bit) == 0) {
    const double must_save = must_save_in(stream);
    bool won = false;
    if (width_bytes != 0 && width_bytes != 16) {
      won = take_planes_if_smaller(
          begin, {values, validity, width_bytes, is_signed, floating, rows, parameters.divisor},
          must_save);
    }
    won |= take_bytes_if_smaller(begin, {values, header.plain_bytes}, won ? 0 : must_save);
    others_lost_ |= won ? 0 : bit;
  }
  add_entry(stream, begin, header.plain_bytes, rows, zone);
}

/// What a slower form must save.
double BlockAppender::must_save_in(ColumnStream stream) const {
  const MustSave& shares = encoders_.must_save;
  if (directory_.rows <= kFewRows) return shares.few_rows;
  return stream == ColumnStream::kCodes ? shares.codes : shares.values;
}

/// Replaces the block that begins at `begin` by one of planes if that saves enough; returns whether
/// it did.
bool BlockAppender::take_planes_if_smaller(std::size_t begin, const PlaneInput& input,
                                           double must_save) {
  const auto stored = static_cast<double>(blocks_.size() - begin);
  const std::uint32_t plain_bytes = integer_bytes(input.width_bytes, input.rows);
  if (stored < kTriedFrom * plain_bytes) return false;
  const double most = stored * (1 - must_save) - kBlockHeaderBytes;
  if (most <= 0) return false;
  scratch_.clear();
  if (!encoders_.planes.encode(input, {static_cast<std::size_t>(most), encoders_.tried_plans},
                               encoders_.integers, scratch_)) {
    return false;
  }
  blocks_.grow(begin);
  begin_block(blocks_);
  blocks_.append(scratch_.bytes());
  ColumnBlockHeader header;
  header.coding = Coding::kPlanes;
  header.number = next_number();
  header.plain_bytes = plain_bytes;
  header.width_bytes = input.width_bytes;
  header.is_signed = input.is_signed;
  header.floating = input.floating;
  header.count = input.rows;
  end_block(blocks_, begin, header);
  return true;
}

/// Values that repeat others from many rows before take less room in the codings for bytes (Byte,
/// Bit). Replaces the block that begins at `begin` by one of these if that saves enough; returns
/// whether it did.
bool BlockAppender::take_bytes_if_smaller(std::size_t begin, Bytes values, double must_save) {
  const auto stored = static_cast<double>(blocks_.size() - begin);
  const auto plain = static_cast<double>(values.size());
  // Hardly anything is left to save.
  if (stored < kTriedFrom * plain) return false;
  if (values.size() > 2 * kIntegerTrialBytes) {
    // From the middle: beginnings are often unlike the rest.
    const Bytes sample = values.subspan(values.size() / 2, kIntegerTrialBytes);
    scratch_.clear();
    encoders_.integers.encode(sample, next_number(), FrameKind::kBlock, {}, scratch_);
    const double share = static_cast<double>(sample.size()) / plain;
    if (static_cast<double>(scratch_.size()) > stored * share) return false;
  }
  scratch_.clear();
  encoders_.integers.encode(values, next_number(), FrameKind::kBlock, {}, scratch_);
  if (static_cast<double>(scratch_.size()) > stored * (1 - must_save)) return false;
  // Cuts the block of integers off again.
  blocks_.grow(begin);
  blocks_.append(scratch_.bytes());
  return true;
}

void BlockAppender::tokens(Bytes payload, std::uint32_t codes, std::uint32_t rows,
                           std::uint32_t plain_bytes) {
  const std::size_t begin = begin_block(blocks_);
  blocks_.append(payload);
  ColumnBlockHeader header;
  header.number = next_number();
  header.coding = Coding::kTokens;
  header.plain_bytes = plain_bytes;
  header.count = codes;
  end_block(blocks_, begin, header);
  add_entry(ColumnStream::kTokens, begin, plain_bytes, rows, {});
}

void BlockAppender::single(ColumnStream stream, Bytes content) {
  const std::size_t begin = blocks_.size();
  append_coded(content);
  add_entry(stream, begin, static_cast<std::uint32_t>(content.size()), 1, {});
}

void BlockAppender::packed_rows(ColumnStream which, Bytes stream) {
  if (!encoders_.packed) encoders_.packed.emplace(encoders_.packed_parameters);
  BlockEncoder& encoder = *encoders_.packed;
  while (!stream.empty()) {
    const Bytes part = stream.first(std::min<std::size_t>(stream.size(), kMaxBlockBytes));
    const std::size_t begin = blocks_.size();
    encoder.encode(part, next_number(), FrameKind::kBlock, {}, blocks_);
    add_entry(which, begin, static_cast<std::uint32_t>(part.size()), 0, {});
    stream = stream.subspan(part.size());
  }
}

/// With `quick`, blocks are stored raw.
void BlockAppender::append_coded(Bytes content) {
  if (encoders_.quick) return append_raw_block(content, next_number(), FrameKind::kBlock, blocks_);
  encoders_.strings.encode(content, next_number(), FrameKind::kBlock, {}, blocks_);
}

/// The block size for strings. Strings that hardly repeat anything, such as random ones, take no
/// more room in small blocks, which more threads can decode at once.
std::uint32_t BlockAppender::block_bytes_of(Bytes text) {
  if (encoders_.quick || text.size() <= encoders_.block_bytes) return encoders_.block_bytes;
  const Bytes sample = text.subspan(text.size() / 2, kTrialBytes);
  scratch_.clear();
  encoders_.strings.encode(sample, next_number(), FrameKind::kBlock, {}, scratch_);
  // The header tells how many bytes of the sample were matches.
  const auto header = parse_block_header(scratch_.data());
  if (!header.ok()) return encoders_.block_bytes;
  const bool is_raw = header->coding == Coding::kRaw;
  const std::uint32_t repeated = is_raw ? 0 : header->plain_bytes - header->literals;
  return repeated < sample.size() / kShareRepeated ? kTrialBytes : encoders_.block_bytes;
}

/// A string that is longer than a block begins one, and continues in blocks of 0 rows.
void BlockAppender::bytes(ColumnStream stream, const Byte* values,
                          std::span<const std::int64_t> offsets) {
  const std::size_t rows = offsets.empty() ? 0 : offsets.size() - 1;
  if (rows == 0) return;
  const auto all = static_cast<std::size_t>(offsets[rows] - offsets[0]);
  const std::uint32_t block_bytes = block_bytes_of({values + offsets[0], all});
  std::size_t row = 0;
  while (row < rows) {
    // Offsets need not begin with 0.
    const std::int64_t from = offsets[row];
    std::size_t end = row + 1;
    // As many whole strings as fit into a block, at least one.
    while (end < rows && static_cast<std::uint64_t>(offsets[end + 1] - from) <= block_bytes) ++end;
    Bytes rest(values + from, static_cast<std::size_t>(offsets[end] - from));
    auto begins = static_cast<std::uint32_t>(end - row);
    while (!rest.empty()) {
      const std::size_t count = std::min<std::size_t>(rest.size(), block_bytes);
      const std::size_t begin = blocks_.size();
      append_coded(rest.first(count));
      add_entry(stream, begin, static_cast<std::uint32_t>(count), begins, {});
      begins = 0;
      rest = rest.subspan(count);
    }
    row = end;
  }
}

}  // namespace presso
