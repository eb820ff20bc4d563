// SPDX-License-Identifier: MIT
// Coding 5 (tokens) as FORMAT.md 17 defines it, one code after another: the fast decoder is
// tested against it.
#pragma once

#include <cstdint>
#include <span>

#include "format/columns/token_dictionary.h"
#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// Like decode_tokens(), but writes nothing after the end of `bytes_out`.
Status reference_decode_tokens(const TokenDictionary& dictionary, Bytes payload,
                               std::uint32_t codes, std::span<const std::uint32_t> counts,
                               MutableBytes bytes_out, std::int64_t* offsets_out,
                               std::int64_t first_offset = 0);

}  // namespace presso
