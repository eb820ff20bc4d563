// SPDX-License-Identifier: MIT
// decode_batch() of presso/gpu_batch.h by the CPU, for devices whose memory is the host's.
#pragma once

#include <cstring>
#include <memory>

#include "presso/byte_stream.h"
#include "presso/decompress.h"
#include "presso/gpu_batch.h"

namespace presso::test {

/// A block of a batch; the status that it gets.
inline ErrorCode decode_span(const gpu::BatchArguments& arguments, const gpu::BlockSpan& span,
                             const gpu::BatchOptions& options) {
  Byte* const out = arguments.d_plain + span.plain_offset;
  const Byte* const stored = arguments.d_stored + span.stored_offset;
  std::memset(out, 0xEE, span.plain_bytes);  // what a damaged block leaves
  const auto header = parse_block_header(stored);
  if (!header.ok()) return header.error().code;
  if (header->plain_bytes != span.plain_bytes || header->stored_bytes() > span.stored_bytes) {
    return ErrorCode::kBadHeader;
  }
  if (header->coding == Coding::kBit && !options.bit_blocks) return ErrorCode::kInvalidArgument;
  if (header->has_sub_blocks()) return ErrorCode::kUnsupported;
  Buffer payload, plain;  // with slack
  payload.append({stored + kBlockHeaderBytes, header->payload_bytes});
  plain.resize_discarding(header->plain_bytes);
  std::shared_ptr<const Dictionary> dictionary;
  if (header->dictionary_id != 0 && header->dictionary_id <= kMaxDictionaries) {
    const gpu::DictionarySpan& of = arguments.d_dictionaries[header->dictionary_id];
    if (of.d_content != nullptr) dictionary = Dictionary::from_plain({of.d_content, of.bytes});
  }
  const Status status = decode_block(*header, payload.data(), dictionary.get(),
                                     {.verify = options.verify}, plain.data());
  if (!status.ok()) return status.error().code;
  std::memcpy(out, plain.data(), header->plain_bytes);
  return ErrorCode::kOk;
}

/// All of its blocks.
inline void decode_spans(const gpu::BatchArguments& arguments, const gpu::BatchOptions& options) {
  for (std::uint32_t block = 0; block < arguments.blocks; ++block) {
    const gpu::BlockSpan& span = arguments.d_spans[block];
    arguments.d_status[block] = static_cast<std::uint32_t>(decode_span(arguments, span, options));
  }
}

}  // namespace presso::test
