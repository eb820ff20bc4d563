// SPDX-License-Identifier: MIT
// Training a dictionary for many files: what CompressOptions' DictionaryChoice::kGiven takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// What `documents` repeat among each other, at most `bytes` (up to kMaxDictionaryBytes), the most
/// useful at the end; less where they repeat less, empty where nothing. A document is what is
/// decoded by itself: a small file, or a block of a large one, of at most kMaxBlockBytes. Some 100
/// documents of each kind are needed to tell what they share, and 100 times as many bytes as the
/// dictionary has. Memory: up to 200 MiB. Errors: kInvalidArgument, kOutOfMemory.
Result<std::vector<Byte>> train_dictionary(std::span<const Bytes> documents, std::uint32_t bytes);

}  // namespace presso
