// SPDX-License-Identifier: MIT
// Chooses a dictionary's content by what it gains: a segment is worth as much as the documents that
// repeat its strings and would each write them anew. Strings of 5 and of 32 bytes are counted once
// for each document (a block finds its own repetitions itself); segments are then taken greedily,
// by the strings that no segment before holds. Idea: COVER (Liao, Petri, Moffat, Wirth: Effective
// construction of relative Lempel-Ziv dictionaries, WWW 2016). Memory: up to 28 bytes for
// each string that is counted. Tested by tests/unit/compress/dictionary_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// A piece of a document, with what it gained when it was taken.
struct DictionarySegment {
  std::uint32_t document;
  std::uint32_t begin;
  std::uint32_t length;
  std::uint32_t gain;
};

struct TrainingEffort {
  std::uint64_t strings;   ///< that are counted, of all that there are
  std::uint32_t segments;  ///< whose gain is counted anew before one of them is taken
};

constexpr TrainingEffort kMostEffort{8u << 20, 1024};

/// Segments of `documents`, the most gainful first, at most `bytes` in all; fewer where nothing
/// else is repeated. The same for any number of threads, which look through documents. Error:
/// kOutOfMemory.
Result<std::vector<DictionarySegment>> select_segments(std::span<const Bytes> documents,
                                                       std::uint32_t bytes,
                                                       const TrainingEffort& effort,
                                                       unsigned threads);

/// The content that the first of `segments` give, as many as fit into `bytes`: the most gainful at
/// the end, next to the blocks.
std::vector<Byte> assemble_dictionary(std::span<const Bytes> documents,
                                      std::span<const DictionarySegment> segments,
                                      std::uint32_t bytes);

}  // namespace presso
