// SPDX-License-Identifier: MIT
// The engines for literals in the emulator, and what they must find: matching lines counted and
// marked, with an unfinished last line that counts and with one that does not.
#pragma once

#include <gtest/gtest.h>

#include "scan/gpu/literals/hit_lines.cuh"
#include "tests/simt/scan_texts.h"

namespace presso::test {

/// Where matching lines end, in the text's order; the end of the text too, if `ends_line`.
inline std::vector<std::uint64_t> ends_with(const std::string& text, const Words& words,
                                            bool ignore_case, bool ends_line) {
  std::vector<std::uint64_t> ends;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const bool counts = end < text.size() || ends_line;
    if (counts && lines_with(text.substr(at, end - at), words, ignore_case) > 0) {
      ends.push_back(end);
    }
  }
  return ends;
}

/// `launch(arguments, seed)` runs an engine's kernels on complete arguments.
template <class Arguments, class View, class Launch>
void expect_hits(const std::string& text, const View& table, const Words& words, bool ignore_case,
                 const Launch& launch) {
  constexpr std::size_t kBits = 8 * sizeof(simt::u32);
  const AlignedText copy(text);
  for (const bool ends_line : {true, false}) {
    const auto expected = ends_with(text, words, ignore_case, ends_line);
    for (const bool marks : {false, true}) {
      simt::u64 found = 0;
      std::vector<simt::u32> bits(text.size() / kBits + 1);
      Arguments scan;
      scan.d_text = copy.get();
      scan.bytes = text.size();
      scan.ends_line = ends_line;
      scan.table = table;
      scan.d_lines = &found;
      if (marks) scan.d_marks = bits.data();
      std::vector<Byte> tiles(scan.tiles(), 0xA5);
      scan.d_tiles = tiles.data();
      launch(scan, static_cast<simt::u32>(text.size() % 7));
      EXPECT_EQ(found, expected.size()) << text.size() << ' ' << words[0] << ' ' << ends_line;
      if (!marks) continue;
      std::vector<simt::u64> ends;
      for (std::size_t at = 0; at < bits.size() * kBits; ++at) {
        if ((bits[at / kBits] >> at % kBits & 1) != 0) ends.push_back(at);
      }
      EXPECT_EQ(ends, expected) << text.size() << ' ' << words[0] << ' ' << ends_line;
    }
  }
}

}  // namespace presso::test
