// SPDX-License-Identifier: MIT
// decode_block: picks the decoder of the coding and CPU level, verifies the checksum.
#include <cstring>
#include <memory>

#include "decompress/bit_payload.h"
#include "decompress/cpu/bit_decoder.h"
#include "decompress/cpu/bit_tables.h"
#include "decompress/cpu/byte_decoder.h"
#include "decompress/cpu/reference_decoder.h"
#include "decompress/payload.h"
#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso {
namespace {

bool decode_byte_block(CpuLevel level, const ByteBlockJob& job) {
#if defined(__x86_64__)
  if (level >= CpuLevel::kAvx512Vbmi2) return decode_byte_block_avx512(job);
  if (level >= CpuLevel::kAvx2) return decode_byte_block_avx2(job);
#endif
  (void)level;
  return decode_byte_block_portable(job);
}

ByteBlockJob make_job(const BlockHeader& header, const PayloadView& view, Bytes dictionary,
                      Byte* out) {
  ByteBlockJob job;
  job.streams = view;
  job.payload_end = view.literals + header.literals;
  job.dictionary_end = dictionary.data() + dictionary.size();
  job.out = out;
  job.dictionary_bytes = static_cast<std::uint32_t>(dictionary.size());
  job.plain_bytes = header.plain_bytes;
  job.sequences = header.sequences;
  job.literal_bits = header.layout.literal_bits;
  job.min_match = header.layout.min_match;
  job.has_far = header.layout.far;
  return job;
}

bool decode_bit_block(CpuLevel level, const BitBlockJob& job) {
#if defined(__x86_64__)
  if (level >= CpuLevel::kAvx2) return decode_bit_block_avx2(job);
#endif
  (void)level;
  return decode_bit_block_portable(job);
}

/// What a Bit block's first stage leaves for the second, and the tables of the first. Kept from
/// block to block it is no faster (NOTES.md).
struct BitScratch {
  explicit BitScratch(const BlockHeader& header)
      : literals(std::make_unique_for_overwrite<Byte[]>(header.literals + Buffer::kSlack)),
        values(std::make_unique_for_overwrite<BitValues[]>(header.sequences)) {}

  BitTables tables;
  std::unique_ptr<Byte[]> literals;
  std::unique_ptr<BitValues[]> values;
};

static_assert(kReadBehind <= Buffer::kSlack);

/// False where the block is not sound in any way.
bool decode_bit(const BlockHeader& header, const Byte* payload, Bytes dictionary, CpuLevel level,
                Byte* out) {
  const auto streams = find_sub_streams(header, payload);
  if (!streams.ok()) return false;
  BitScratch scratch(header);
  if (!scratch.tables.read(header, payload).ok()) return false;
  BitBlockJob job;
  scratch.tables.use(job);
  job.payload = payload;
  job.streams = streams->data();
  job.stream_count = static_cast<std::uint32_t>(streams->size() - 1);
  job.literal_out = scratch.literals.get();
  job.values_out = scratch.values.get();
  job.out = out;
  job.dictionary_end = dictionary.data() + dictionary.size();
  job.payload_bytes = header.payload_bytes;
  job.dictionary_bytes = static_cast<std::uint32_t>(dictionary.size());
  job.plain_bytes = header.plain_bytes;
  job.sequences = header.sequences;
  job.literals = header.literals;
  job.min_match = header.layout.min_match;
  job.lanes_log2 = header.bit.lanes_log2;
  job.run = header.bit.layout == kLaneLayout
                ? bit::run_length(header.sequences, header.bit.lanes_log2)
                : 1u << header.bit.lanes_log2;
  return decode_bit_block(level, job);
}

bool decode_byte(const BlockHeader& header, const Byte* payload, Bytes dictionary, CpuLevel level,
                 Byte* out) {
  const auto view = view_payload(header, payload);
  return view.ok() && decode_byte_block(level, make_job(header, *view, dictionary, out));
}

Status decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                      CpuLevel level, Byte* out) {
  const bool sound = header.coding == Coding::kBit
                         ? decode_bit(header, payload, dictionary, level, out)
                         : decode_byte(header, payload, dictionary, level, out);
  if (sound) return {};
  PRESSO_TRY(reference_decode_payload(header, payload, dictionary, false, out));
  return make_error(ErrorCode::kBadLength, "decoders disagree");
}

}  // namespace

Status decode_block(const BlockHeader& header, const Byte* payload, const Dictionary* dictionary,
                    const DecodeOptions& options, Byte* out) {
  if (header.coding == Coding::kRaw) {
    std::memcpy(out, payload, header.plain_bytes);
  } else {
    if (header.dictionary_id != 0 && dictionary == nullptr) {
      return make_error(ErrorCode::kMissingDictionary, std::to_string(header.dictionary_id));
    }
    const Bytes content = header.dictionary_id != 0 ? dictionary->content() : Bytes{};
    PRESSO_TRY(decode_payload(header, payload, content, options.level, out));
  }
  if (options.verify &&
      content_checksum({out, header.plain_bytes}, options.level) != header.content_checksum) {
    return make_error(ErrorCode::kContentChecksum);
  }
  return {};
}

}  // namespace presso
