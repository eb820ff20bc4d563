// SPDX-License-Identifier: MIT
// decode_block: picks the decoder of the CPU level, verifies the checksum.
#include "decompress/cpu/byte_decoder.h"

#include <cstring>

#include "decompress/cpu/reference_decoder.h"
#include "decompress/payload.h"
#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso {
namespace {

bool decode_byte_block(CpuLevel level, const ByteBlockJob& job) {
#if defined(__x86_64__)
  if (level == CpuLevel::kAvx512) return decode_byte_block_avx512(job);
  if (level == CpuLevel::kAvx2) return decode_byte_block_avx2(job);
#endif
  (void)level;
  return decode_byte_block_portable(job);
}

ByteBlockJob make_job(const BlockHeader& header, const PayloadView& view, Bytes dictionary,
                      Byte* out) {
  ByteBlockJob job;
  job.offsets = view.offsets;
  job.tokens = view.tokens;
  job.far = view.far;
  job.literal_escapes = view.literal_escapes;
  job.match_escapes = view.match_escapes;
  job.long_lengths = view.long_lengths;
  job.literals = view.literals;
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

Status decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                      CpuLevel level, Byte* out) {
  if (header.coding == Coding::kBit) {
    return reference_decode_payload(header, payload, dictionary, false, out);
  }
  PRESSO_ASSIGN(const PayloadView view, view_payload(header, payload));
  if (decode_byte_block(level, make_job(header, view, dictionary, out))) return {};
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
  if (options.verify && content_checksum({out, header.plain_bytes}) != header.content_checksum) {
    return make_error(ErrorCode::kContentChecksum);
  }
  return {};
}

}  // namespace presso
