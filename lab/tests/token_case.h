// SPDX-License-Identifier: MIT
// Blocks of tokens as cases for the fixture of tests/simt/column_fixture.h, and who decodes them:
// the emulator (token_columns_in_emulator_test.cpp) or a GPU (token_columns_on_device_test.cpp).
#pragma once

#include "decompress/columns/cpu/token_decoder.h"
#include "lab/gpu/token_batch.h"
#include "tests/simt/column_fixture.h"

namespace presso::gpu::test {

struct TokenCase {
  const TokenDictionary* dictionary = nullptr;
  std::vector<std::uint32_t> counts;
  std::vector<Byte> payload;
  std::uint32_t codes = 0;
  std::uint32_t plain_bytes = 0;
  std::int64_t first_offset = 0;
  std::uint64_t checksum = checksum64(payload);
};

class TokenBackend {
 public:
  virtual ~TokenBackend() = default;
  virtual Result<std::vector<ColumnOutcome>> decode(const std::vector<TokenCase>& cases,
                                                    const ColumnRun& run) = 0;
};

TokenBackend& token_backend();

inline Result<std::vector<ColumnOutcome>> decode_cases(const std::vector<TokenCase>& cases,
                                                       const ColumnRun& run) {
  return token_backend().decode(cases, run);
}

/// Without its places in memory.
inline TokenBlock block_of(const TokenCase& one, std::uint32_t first_vector) {
  TokenBlock block;
  block.payload.size = static_cast<std::uint32_t>(one.payload.size());
  block.payload.checksum = one.checksum;
  block.tokens.size = one.dictionary->size();
  block.codes = one.codes;
  block.plain_bytes = one.plain_bytes;
  block.rows = static_cast<std::uint32_t>(one.counts.size());
  block.first_vector = first_vector;
  block.first_offset = one.first_offset;
  return block;
}

inline ColumnOutcome cpu_answer(const TokenCase& one) {
  ColumnOutcome answer;
  answer.bytes.resize(one.plain_bytes + kMaxTokenBytes);
  answer.offsets.resize(one.counts.size() + 1);
  answer.status = code_of(decode_tokens(*one.dictionary, one.payload, one.codes, one.counts,
                                        {answer.bytes.data(), one.plain_bytes},
                                        answer.offsets.data(), one.first_offset));
  answer.bytes.resize(one.plain_bytes);
  return answer;
}

inline std::string describe(const TokenCase& one) {
  return std::to_string(one.counts.size()) + " rows, " + std::to_string(one.codes) + " codes, " +
         std::to_string(one.plain_bytes) + " bytes";
}

}  // namespace presso::gpu::test
