// SPDX-License-Identifier: MIT
// Strings for tests and benchmarks of string engines: the worst cases of search algorithms, and
// columns of which length, failure point and selectivity are chosen. Sources: S5.3, S5.6, S6.8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/random.h"

namespace presso::corpora {

/// `unit` again and again, cut off at `length`.
std::string repeated(const std::string& unit, std::size_t length);

/// A pattern of `size` >= 1 bytes and a text that makes a search for it slow, without an
/// occurrence.
struct Adversary {
  std::string pattern;
  std::string text;
};
/// a^m in (a^(m-1) b)*: every run fails at its last byte, then walks all borders back.
Adversary kmp_adversary(std::size_t size, std::size_t length);
/// Its mirror: a^m in (b a^(m-1))*, where comparing from the right fails at the leftmost byte.
Adversary boyer_moore_adversary(std::size_t size, std::size_t length);
/// For lanes side by side: `lane`'s text lets 4 (lane + 1) bytes match before it fails. `size` must
/// be larger than that.
Adversary divergent_adversary(std::size_t size, std::size_t length, std::uint32_t lane);

/// Words as in TPC-H's comment columns, cut off at `length`. `sequence` is put in, each string
/// after the one before it; it must fit. Words of `sequence` do not come otherwise.
std::string comment(Random& random, std::size_t length, const std::vector<std::string>& sequence);

/// A URL that url_pattern() matches, of exactly `length` >= 24 bytes.
std::string url(Random& random, std::size_t length);
/// The same with a blank at `place` < length, where a matcher gives up.
std::string broken_url(Random& random, std::size_t length, std::size_t place);
/// For the whole string; its minimal automaton has 90 states besides the reject sink.
std::string url_pattern();

/// Different lower-case words of 5 to 10 letters.
std::vector<std::string> words(Random& random, std::size_t count);

}  // namespace presso::corpora
