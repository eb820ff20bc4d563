// SPDX-License-Identifier: MIT
// Decodes blocks of coding 5 (tokens, FORMAT.md 17). 1,024 codes are unpacked by loops that
// compilers vectorise; then each code costs a copy of 16 bytes from its token's slot and a move
// by its length, without a branch. Bounds are checked once for 32 codes, which are at most 512
// bytes; the last bytes of a block are written code by code with checks. Any input is safe.
// Cost: 1.1 to 1.5 ns a code (Zen 4), which is 4 to 6 GB/s of text where a code stands for 7
// bytes, and 6 to 9 GB/s where it stands for 9. The limit seems to be unaligned stores: lengths
// fixed at 8 take 0.9 ns, at 7 1.4 ns. What lost: reading tokens from only 16 slots changes
// nothing, two stores of 8 bytes are slower by a sixth; a build for AVX2 would gain a tenth.
// Tested by tests/unit/decompress/columns/token_decoder_test.cpp against the reference decoder.
#pragma once

#include <cstdint>
#include <span>

#include "format/columns/token_dictionary.h"
#include "presso/bytes.h"
#include "presso/cpu.h"
#include "presso/error.h"

namespace presso {

/// Decodes `codes` codes into `bytes_out`, which has exactly the strings' size; up to 16 bytes
/// after it are overwritten. `counts`: the number of codes of each row. offsets_out[0 .. rows]
/// become the rows' ends in bytes_out, beginning with 0, each plus `first_offset`. After an
/// error, bytes and offsets are undefined. Errors: kBadPayloadSize if the payload has not the
/// size of as many codes; kBadLength if counts do not add up to `codes`; kBadOffset if a code
/// names no token; otherwise kBadLength if the tokens do not add up to the strings' size.
Status decode_tokens(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                     std::span<const std::uint32_t> counts, MutableBytes bytes_out,
                     std::int64_t* offsets_out, std::int64_t first_offset = 0);

/// Decodes only some rows: those with the codes [first_code, first_code + sum of `counts`) of
/// the block's `codes`. `bytes_out` is as large as their strings can be; returns their real
/// size. Only vectors with these codes are looked at.
Result<std::size_t> decode_token_rows(const TokenDictionary& dictionary, Bytes payload,
                                      std::uint32_t codes, std::uint32_t first_code,
                                      std::span<const std::uint32_t> counts, MutableBytes bytes_out,
                                      std::int64_t* offsets_out, std::int64_t first_offset = 0);

/// Unpacks a block's codes as numbers, without their strings; `to` has room for `codes` of
/// them. Errors: kBadPayloadSize and kBadOffset as above.
Status unpack_tokens(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                     std::uint16_t* to, CpuLevel level = cpu_level());

/// Unpacks only codes [first, first + count), in the vectors of 1,024 that hold some of them.
/// `to`, which has room for count + 2,046 codes, begins with the first code of the first such
/// vector, so code `first` comes to index first % 1,024. kBadLength if the block has fewer
/// codes.
Status unpack_token_part(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                         std::uint32_t first, std::uint32_t count, std::uint16_t* to,
                         CpuLevel level = cpu_level());

}  // namespace presso
