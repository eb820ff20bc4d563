// SPDX-License-Identifier: MIT
// Training a dictionary that many files share: the content for DictionaryChoice::Mode::kGiven in
// CompressOptions. Tested by tests/unit/compress/dictionary_test.cpp and trainer_memory_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// Returns a dictionary of the parts that `documents` have in common, at most `bytes` long (up to
/// kMaxDictionaryBytes), the most useful parts at its end; shorter where less is repeated, empty
/// where nothing is. A document is a unit that is decoded by itself: a small file, or a block of a
/// large one, of at most kMaxBlockBytes. About 100 documents of each kind are needed to tell what
/// they share, and 100 times the dictionary's size in bytes. Memory: up to 200 MiB. Errors:
/// kInvalidArgument, kOutOfMemory.
Result<std::vector<Byte>> train_dictionary(std::span<const Bytes> documents, std::uint32_t bytes);

}  // namespace presso
