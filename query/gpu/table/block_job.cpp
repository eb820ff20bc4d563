// SPDX-License-Identifier: MIT
// Implements block_job.h: reads one block into pinned or host memory and checks what its directory
// entry and header say. Errors: those of reading; for damage, kBadLength and kBadRowGroup with the
// block's place; kUnsupported for strings in Bit blocks of sub-blocks, which leaves the query to
// the CPU.
#include "query/gpu/table/block_job.h"

#include <algorithm>
#include <cstring>

#include "decompress/columns/cpu/integer_decoder.h"
#include "format/columns/column_block.h"
#include "query/gpu/kernels/query_arguments.h"
#include "query/gpu/kernels/table_block.h"
#include "query/gpu/strings/string_choice.h"

namespace presso::gpu {
namespace {

/// Whether packed numbers of a vector stand for values of its type.
bool stays_in_type(const presso::IntegerParameters& block, const VectorEntry& entry) {
  const bool is_integer =
      !block.floating && block.width_bytes != 0 && block.width_bytes <= sizeof(std::uint64_t);
  if (!is_integer || entry.width > 64) return false;
  const std::uint64_t base = widened(entry.base, block.width_bytes, block.is_signed);
  return stays_within(block.width_bytes, block.is_signed, base, block.divisor, entry.width);
}

/// Whether a vector has doubles or floats in a form that compiled code reads as it lies.
bool has_usual_reals(const presso::IntegerParameters& block, const VectorEntry& entry) {
  if (!block.floating || entry.exceptions > kMostUsualExceptions) return false;
  const auto kind = static_cast<IntegerKind>(entry.kind);
  if (kind == IntegerKind::kAlpRd) {
    return entry.width >= kMinAlpRdBits && entry.width <= kMaxAlpRdBits;
  }
  return (kind == IntegerKind::kPacked || kind == IntegerKind::kAlp) && entry.width <= kLanes;
}

/// The forms of the block's vectors. Vectors with damaged entries may give anything, since the
/// check finds them.
ColumnForms vector_forms_of(const presso::IntegerBlock& block) {
  ColumnForms forms;
  const std::uint32_t vectors = vectors_of(block.parameters.rows);
  if (block.payload.size() < std::size_t{vectors} * kVectorEntryBytes) return forms;
  for (std::uint32_t i = 0; i < vectors; ++i) {
    const VectorEntry entry = load_vector_entry(block.payload.data() + i * kVectorEntryBytes);
    const auto kind = static_cast<IntegerKind>(entry.kind);
    const bool is_simple = kind == IntegerKind::kPacked && entry.exceptions == 0;
    if (block.parameters.width_bytes == 0) {
      if (kind != IntegerKind::kBitmap && !is_simple) forms.count_odd_validity(1);
    } else if (has_usual_reals(block.parameters, entry)) {
      forms.count_real(entry.kind, entry.width, entry.width2);
    } else {
      const bool is_usual = is_simple && stays_in_type(block.parameters, entry);
      forms.count(is_usual, entry.width, block.parameters.divisor);
    }
  }
  return forms;
}

Status read_plain(BlockJob& job, Bytes stored) {
  const BlockReader& blocks = job.reader->blocks();
  const ColumnBlock& known = job.reader->directory().blocks[job.block];
  Buffer with_slack;
  with_slack.append(stored);
  job.is_plain = true;
  job.bytes = known.plain_bytes;
  job.kept = std::make_unique<Buffer>();
  job.kept->grow(known.plain_bytes);
  PRESSO_TRY(blocks.decode_whole(job.block, job.width_bytes, with_slack, job.kept->data()));
  if (known.plain_bytes != integer_bytes(job.width_bytes, known.rows)) {
    return blocks.at_block(make_error(ErrorCode::kBadLength), job.block);
  }
  if (job.entries == 0) return {};
  for (std::uint32_t row = 0; row < known.rows; ++row) {
    if (load<std::uint32_t>(job.kept->data() + 4 * row) < job.entries) continue;
    return blocks.at_block(make_error(ErrorCode::kBadRowGroup, "a code beyond the dictionary"),
                           job.block);
  }
  return {};
}

Status read_integers(BlockJob& job, MutableBytes stored) {
  const BlockReader& blocks = job.reader->blocks();
  PRESSO_TRY(blocks.read(job.block, stored));
  if (BlockReader::is_whole(stored)) return read_plain(job, stored);
  PRESSO_ASSIGN(const BlockReader::StoredIntegers opened,
                blocks.parse_integers(job.block, job.width_bytes, stored));
  job.bytes = static_cast<std::uint32_t>(opened.block.payload.size());
  job.checksum = opened.checksum;
  job.parameters = opened.block.parameters;
  job.forms = vector_forms_of(opened.block);
  return {};
}

/// Keeps a sample of the counts: those of the first rows.
void sample_counts(BlockJob& job, const Byte* payload) {
  const std::uint32_t rows = job.reader->directory().blocks[job.block].rows;
  std::vector<std::uint32_t>& counts = job.sample;
  if (job.is_plain) {
    counts.resize(rows);
    std::memcpy(counts.data(), job.kept->data(), job.bytes);
  } else {
    counts.resize(std::size_t{rows} + Buffer::kSlack / 4);
    const Status decoded =
        decode_integers(job.parameters, {payload, job.bytes},
                        {reinterpret_cast<Byte*>(counts.data()), integer_bytes(4, rows)});
    if (!decoded.ok()) counts.clear();  // that is found out on the device
  }
  counts.resize(std::min<std::size_t>(counts.size(), std::min(rows, kSampleRows)));
}

Status read_counts(BlockJob& job, MutableBytes stored) {
  PRESSO_TRY(read_integers(job, stored));
  if (job.verifies && !job.is_plain) {
    PRESSO_TRY(job.reader->blocks().open_integers(job.block, job.width_bytes, stored));
  }
  if (job.is_sampled) sample_counts(job, stored.data() + kBlockHeaderBytes);
  return {};
}

Status read_codes(BlockJob& job, MutableBytes stored) {
  const BlockReader& blocks = job.reader->blocks();
  PRESSO_TRY(blocks.read(job.block, stored));
  PRESSO_ASSIGN(const BlockReader::StoredTokens opened, blocks.parse_tokens(job.block, stored));
  if (job.verifies) PRESSO_TRY(blocks.open_tokens(job.block, stored));
  job.bytes = static_cast<std::uint32_t>(opened.block.payload.size());
  job.checksum = opened.checksum;
  job.codes = opened.block.codes;
  if (!job.is_sampled) return {};
  job.kept = std::make_unique<Buffer>();
  job.kept->append(opened.block.payload);
  return {};
}

/// Reads a block of strings that are stored as bytes.
Status read_text(BlockJob& job, MutableBytes stored) {
  const BlockReader& blocks = job.reader->blocks();
  PRESSO_TRY(blocks.read(job.block, stored));
  PRESSO_ASSIGN(const BlockHeader header, blocks.parse_bytes(job.block, stored));
  job.bytes = header.plain_bytes;
  if (!header.has_sub_blocks()) return {};
  return blocks.at_block(make_error(ErrorCode::kUnsupported, "strings in blocks of sub-blocks"),
                         job.block);
}

}  // namespace

Status read_block(BlockJob& job, Byte* to) {
  const MutableBytes stored{to, job.stored_bytes()};
  switch (job.kind) {
    case BlockJob::Kind::kValues:
    case BlockJob::Kind::kValidity:
      return read_integers(job, stored);
    case BlockJob::Kind::kCounts:
      return read_counts(job, stored);
    case BlockJob::Kind::kCodes:
      return read_codes(job, stored);
    case BlockJob::Kind::kText:
      return read_text(job, stored);
  }
  return {};
}

}  // namespace presso::gpu
