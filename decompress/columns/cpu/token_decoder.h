// SPDX-License-Identifier: MIT
// Decodes blocks of coding 5 (tokens, FORMAT.md 17). 1,024 codes are unpacked by loops that
// compilers vectorise; then each code costs a copy of 16 bytes from its token's slot and a move by
// its length, without a branch. Bounds are checked once for 32 codes, which are 512 bytes at most;
// the last bytes of a block are written code by code with checks. Any input is safe.
// 1.1 to 1.5 ns a code (Zen 4): 4 to 6 GB/s of text where a code stands for 7 bytes, 6 to 9 where
// it stands for 9. The limit seems to be unaligned stores: lengths fixed at 8 take 0.9 ns, at
// 7 1.4; reading tokens from 16 slots only changes nothing, two stores of 8 bytes are slower by a
// sixth, a build for AVX2 gains a tenth. Tested by
// tests/unit/decompress/columns/token_decoder_test.cpp against the reference decoder.
#pragma once

#include <cstdint>
#include <span>

#include "format/columns/token_dictionary.h"
#include "presso/bytes.h"
#include "presso/cpu.h"
#include "presso/error.h"

namespace presso {

/// Decodes `codes` codes into `bytes_out`, which has exactly the strings' size; up to 16 bytes
/// behind it are overwritten. `counts`: the number of codes of each row. offsets_out[0 .. rows]
/// become the rows' ends in bytes_out, the first 0, each plus `first_offset`. After an error bytes
/// and offsets are undefined. Errors: kBadPayloadSize where the payload is not that of so many
/// codes, kBadLength where counts do not add up to `codes`, kBadOffset where a code names no token,
/// else kBadLength where tokens do not add up to the strings' size.
Status decode_tokens(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                     std::span<const std::uint32_t> counts, MutableBytes bytes_out,
                     std::int64_t* offsets_out, std::int64_t first_offset = 0);

/// The same of some rows only: those whose codes are [first_code, first_code + the sum of `counts`)
/// of the block's `codes`. `bytes_out` is what their strings may take at most; returns what they
/// do. Only vectors with these codes are looked at.
Result<std::size_t> decode_token_rows(const TokenDictionary& dictionary, Bytes payload,
                                      std::uint32_t codes, std::uint32_t first_code,
                                      std::span<const std::uint32_t> counts, MutableBytes bytes_out,
                                      std::int64_t* offsets_out, std::int64_t first_offset = 0);

/// A block's codes as numbers, without their strings: exactly so many. Errors: kBadPayloadSize and
/// kBadOffset as above.
Status unpack_tokens(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                     std::uint16_t* to, CpuLevel level = cpu_level());

/// The same of codes [first, first + count) only, in the vectors of 1,024 that have some of them:
/// `to`, which has room for count + 2,046, begins with the first code of the first such vector, so
/// that code `first` comes to first % 1,024. Vectors without these codes are not looked at.
/// kBadLength where the block has fewer codes.
Status unpack_token_part(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                         std::uint32_t first, std::uint32_t count, std::uint16_t* to,
                         CpuLevel level = cpu_level());

}  // namespace presso
