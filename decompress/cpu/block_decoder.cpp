// SPDX-License-Identifier: MIT
// decode_block(): picks the decoder for coding and CPU level, and verifies the checksum. A fast
// decoder only says "not sound"; then the reference decoder runs once more to name the error,
// so that all levels report the same. Tested by tests/differential/round_trip_test.cpp and
// tests/golden/bad.
#include <cstring>
#include <memory>

#include "decompress/bit_payload.h"
#include "decompress/cpu/bit_decoder.h"
#include "decompress/cpu/bit_tables.h"
#include "decompress/cpu/byte_decoder.h"
#include "decompress/cpu/reference_decoder.h"
#include "decompress/payload.h"
#include "format/cpu_loops.h"
#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso {
namespace {

/// Plain numbers and pointers, which is all that code for a higher CPU level may see.
ByteBlockJob make_job(const BlockHeader& header, const PayloadView& view, Bytes dictionary,
                      Byte* out) {
  ByteBlockJob job;
  job.streams = view;
  // Literals are the last stream of a payload.
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

/// Tables and results of a Bit block's first stage. Keeping it from block to block would not be
/// faster (NOTES.md).
struct BitScratch {
  explicit BitScratch(const BlockHeader& header)
      : literals(std::make_unique_for_overwrite<Byte[]>(header.literals + Buffer::kSlack)),
        values(std::make_unique_for_overwrite<BitValues[]>(header.sequences)) {}

  BitTables tables;
  std::unique_ptr<Byte[]> literals;
  std::unique_ptr<BitValues[]> values;
};

static_assert(kReadBehind <= Buffer::kSlack);

/// False if the block is not sound in any way.
bool decode_bit(const BlockHeader& header, const Byte* payload, Bytes dictionary, CpuLevel level,
                Byte* out) {
  // Sizes of sub-streams, then tables, then the loops.
  const auto streams = find_sub_streams(header, payload);
  if (!streams.ok()) return false;
  // Its size follows from the header, which was checked against the limits.
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
  // Sequences of each sub-stream: derived for lanes, a power of two for sub-blocks.
  job.run = header.bit.layout == kLaneLayout
                ? bit::run_length(header.sequences, header.bit.lanes_log2)
                : 1u << header.bit.lanes_log2;
  return loops_for<BitBlockLoops>(level).decode(job);
}

/// False if the block is not sound in any way.
bool decode_byte(const BlockHeader& header, const Byte* payload, Bytes dictionary, CpuLevel level,
                 Byte* out) {
  const auto view = view_payload(header, payload);
  if (!view.ok()) return false;
  return loops_for<ByteBlockLoops>(level).decode(make_job(header, *view, dictionary, out));
}

/// Where a fast decoder refuses what the reference accepts, one of them is wrong: kBadLength
/// rather than bytes that nobody has checked.
Status decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                      CpuLevel level, Byte* out) {
  const bool sound = header.coding == Coding::kBit
                         ? decode_bit(header, payload, dictionary, level, out)
                         : decode_byte(header, payload, dictionary, level, out);
  if (sound) return {};
  // Names the error. Dependency rules do not matter for one thread.
  PRESSO_TRY(reference_decode_payload(header, payload, dictionary, false, out));
  return make_error(ErrorCode::kBadLength, "decoders disagree");
}

}  // namespace

/// `payload` must have Buffer::kSlack readable bytes after it, and `out` as many writable ones.
Status decode_block(const BlockHeader& header, const Byte* payload, const Dictionary* dictionary,
                    const DecodeOptions& options, Byte* out) {
  if (header.coding == Coding::kRaw) {
    std::memcpy(out, payload, header.plain_bytes);
  } else {
    // Only coded blocks need their dictionary.
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
