// SPDX-License-Identifier: MIT
// Puts possibly damaged bytes through every way to read a compressed file.
#pragma once

#include <vector>

#include "presso/decompress.h"

namespace presso::test {

/// What the bytes may still decode to.
struct Expectation {
  const std::vector<Byte>* plain = nullptr;  ///< what the undamaged file holds
  /// False where checksums were made right again, so that other content is not an error.
  bool content_is_sealed = true;
};

/// Reads `file` as a stream with and without salvage and by its index, decodes each of its blocks
/// by every CPU level and by the reference decoder. Fails the test where a reader returns wrong
/// bytes, an error without a code or place, where decoders disagree, or where one allocation is
/// larger than the format's limits allow.
void expect_every_reader_is_safe(const std::vector<Byte>& file, const Expectation& expectation);

/// The largest allocation that any input may cause: the sequences of a Bit block, of 12 bytes each,
/// which is more than a block or dictionary with its slack.
constexpr std::size_t kAllocationLimit = 12 * kMaxBitSequences + 4096;
static_assert(kAllocationLimit > kMaxDictionaryStoredBytes + 4096);

/// The code that the reference decoder, without its check of the dependency rule, finds.
ErrorCode reference_code(const BlockHeader& header, const Byte* payload,
                         const Dictionary* dictionary, bool verify, std::vector<Byte>& out);

}  // namespace presso::test
