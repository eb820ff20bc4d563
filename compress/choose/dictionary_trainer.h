// SPDX-License-Identifier: MIT
// Chooses a dictionary's content from sample documents (blocks or small files) by its gain. A
// segment, up to 2 KiB of a document, gains as much as there are other documents that repeat its
// strings and would each have to write them anew. Strings are substrings of 5 and of 32 bytes; they
// are counted once for each document (a block finds its own repetitions itself). Then segments are
// taken greedily, by the strings that no segment before them holds. The idea is COVER (Liao, Petri,
// Moffat and Wirth, "Effective construction of relative Lempel-Ziv dictionaries", WWW 2016).
// Memory: up to 28 bytes for each counted string. Tested by tests/unit/compress/dictionary_test.cpp
// and trainer_memory_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// A piece of a document, with its gain when it was taken.
struct DictionarySegment {
  std::uint32_t document;
  std::uint32_t begin;
  std::uint32_t length;
  std::uint32_t gain;
};

/// How much time training may take.
struct TrainingEffort {
  std::uint64_t strings;   ///< about how many strings are counted at most
  std::uint32_t segments;  ///< how many segments are recounted at most before one is taken
};

constexpr TrainingEffort kMostEffort{8u << 20, 1024};

/// Chooses segments of `documents`, the most gainful first, at most `bytes` in all; fewer where
/// nothing else is repeated. `threads` look through documents; the result does not depend on their
/// number. Error: kOutOfMemory.
Result<std::vector<DictionarySegment>> select_segments(std::span<const Bytes> documents,
                                                       std::uint32_t bytes,
                                                       const TrainingEffort& effort,
                                                       unsigned threads);

/// The content of the first `segments`, as many as fit into `bytes`; the most gainful ones
/// stand at the end, next to the blocks.
std::vector<Byte> assemble_dictionary(std::span<const Bytes> documents,
                                      std::span<const DictionarySegment> segments,
                                      std::uint32_t bytes);

}  // namespace presso
