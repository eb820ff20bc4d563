// SPDX-License-Identifier: MIT
// Designs of the filter section (FORMAT.md 7.4) against each other: size, and of the blocks that do
// not hold a string how many are left out, for strings that begin with a word of the file.
//
//   filter_trials FILE BLOCK_KIB [PERCENT]
//
// plain    one bit vector a block, a bit for each n-gram
// common   the same without the n-grams that more than half or 30 % of the blocks hold
// xor      a fingerprint of one bit for each n-gram that is not common: 1.2 bits each
// chosen   what FilterBuilder makes: per group of blocks the best of common by trial
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "compress/filter/filter_builder.h"

namespace presso {
namespace {

constexpr std::array<std::size_t, 5> kLengths = {5, 6, 8, 12, 20};
constexpr std::size_t kStrings = 20;  ///< of each length and class

struct Sought {
  std::string text;
  std::set<std::size_t> blocks;  ///< in which it begins
};

struct Corpus {
  std::string text;
  std::size_t block_bytes = 0;
  std::vector<BlockGrams> blocks;
  std::array<std::vector<Sought>, 3> classes;  ///< absent, in 2 % of the blocks, in 25 %
  double percent = 1;

  std::uint64_t bits() const {
    return static_cast<std::uint64_t>(static_cast<double>(text.size()) * 8 * percent / 100);
  }
};

std::set<std::size_t> blocks_with(const Corpus& corpus, const std::string& text) {
  std::set<std::size_t> found;
  for (std::size_t at = 0; (at = corpus.text.find(text, at)) != std::string::npos;) {
    found.insert(at / corpus.block_bytes);
    at = (at / corpus.block_bytes + 1) * corpus.block_bytes;
    if (found.size() * 4 > corpus.blocks.size()) break;
  }
  return found;
}

bool in_class(std::size_t blocks, std::size_t which, std::size_t of) {
  const std::size_t rare = std::max<std::size_t>(1, of / 50);
  if (which == 0) return blocks == 0;
  return which == 1 ? blocks > 0 && blocks <= rare : blocks > rare && blocks <= of / 4;
}

void collect_strings(Corpus& corpus, std::size_t length, std::size_t which) {
  std::mt19937_64 random(length * 3 + which);
  std::size_t found = 0;
  for (int tries = 0; found < kStrings && tries < 1500; ++tries) {
    const std::size_t at = 1 + random() % (corpus.text.size() - length - 1);
    std::string text = corpus.text.substr(at, length);
    const bool word = std::isalnum(static_cast<Byte>(text[0])) != 0 &&
                      std::isalnum(static_cast<Byte>(corpus.text[at - 1])) == 0;
    if (!word || text.find('\n') != std::string::npos) continue;
    if (which == 0) text[random() % length] = static_cast<char>('a' + random() % 26);
    std::set<std::size_t> blocks = blocks_with(corpus, text);
    if (!in_class(blocks.size(), which, corpus.blocks.size())) continue;
    corpus.classes[which].push_back({std::move(text), std::move(blocks)});
    ++found;
  }
}

std::vector<std::uint32_t> cells_of(const std::string& text, std::uint32_t gram_bytes) {
  std::vector<std::uint32_t> cells;
  for (std::size_t at = 0; at + gram_bytes <= text.size(); ++at) {
    std::uint64_t gram = 0;
    for (std::size_t i = gram_bytes; i-- > 0;) {
      gram = gram << 8 | fold_ascii(static_cast<Byte>(text[at + i]));
    }
    cells.push_back(gram_cell(gram));
  }
  return cells;
}

/// `may(string, block)`; prints the share of blocks without the string that are left out.
template <class May>
void report(const Corpus& corpus, const std::string& name, std::uint64_t size_bits, May may) {
  std::printf("%-28s %5.2f %%", name.c_str(),
              100.0 * static_cast<double>(size_bits) / 8 / static_cast<double>(corpus.text.size()));
  for (const std::vector<Sought>& strings : corpus.classes) {
    double sum = 0;
    for (const Sought& sought : strings) {
      std::size_t skipped = 0;
      for (std::size_t block = 0; block < corpus.blocks.size(); ++block) {
        const bool holds = sought.blocks.contains(block);
        const bool read = may(sought.text, block);
        if (holds && !read) std::printf(" WRONG %s\n", sought.text.c_str());
        skipped += read ? 0 : 1;
      }
      sum += static_cast<double>(skipped) /
             static_cast<double>(corpus.blocks.size() - sought.blocks.size());
    }
    std::printf("  %5.1f",
                100 * sum / static_cast<double>(std::max<std::size_t>(strings.size(), 1)));
  }
  std::printf("\n");
}

/// Cells in more than `percent` of the blocks; above 100 none.
std::vector<bool> common_cells(const Corpus& corpus, std::size_t choice, unsigned percent,
                               std::uint64_t& bits) {
  std::vector<std::uint32_t> counts(kCells);
  for (const BlockGrams& block : corpus.blocks) {
    for (const std::uint32_t cell : block.cells[choice]) ++counts[cell];
  }
  std::vector<bool> common(kCells);
  std::vector<std::uint32_t> listed;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    common[cell] = counts[cell] * 100 > percent * corpus.blocks.size();
    if (common[cell]) listed.push_back(cell);
  }
  bits = 8 * common_cells_bytes(listed);
  return common;
}

void try_vectors(const Corpus& corpus, std::size_t choice, unsigned percent) {
  std::uint64_t common_bits = 0;
  const std::vector<bool> common = common_cells(corpus, choice, percent, common_bits);
  if (common_bits >= corpus.bits()) return;
  const std::uint64_t rows = (corpus.bits() - common_bits) / corpus.blocks.size();
  const auto row = [&](std::uint32_t cell) { return (std::uint64_t{cell} * rows) >> kCellBits; };
  std::vector<std::vector<bool>> bits(corpus.blocks.size(), std::vector<bool>(rows));
  for (std::size_t block = 0; block < bits.size(); ++block) {
    for (const std::uint32_t cell : corpus.blocks[block].cells[choice]) {
      if (!common[cell]) bits[block][row(cell)] = true;
    }
  }
  const std::string name = std::to_string(kGramChoices[choice]) + "-grams, " +
                           (percent > 100 ? "plain" : "common " + std::to_string(percent));
  report(corpus, name, corpus.bits(), [&](const std::string& text, std::size_t block) {
    const auto cells = cells_of(text, kGramChoices[choice]);
    return std::all_of(cells.begin(), cells.end(),
                       [&](std::uint32_t cell) { return common[cell] || bits[block][row(cell)]; });
  });
}

void try_xor(const Corpus& corpus, std::size_t choice, unsigned percent) {
  std::uint64_t size = 0;
  const std::vector<bool> common = common_cells(corpus, choice, percent, size);
  std::vector<std::vector<bool>> held(corpus.blocks.size(), std::vector<bool>(kCells));
  for (std::size_t block = 0; block < held.size(); ++block) {
    for (const std::uint32_t cell : corpus.blocks[block].cells[choice]) {
      held[block][cell] = true;
      if (!common[cell]) size += 6;  // fifths of a bit
    }
  }
  report(corpus, std::to_string(kGramChoices[choice]) + "-grams, xor " + std::to_string(percent),
         size / 5, [&](const std::string& text, std::size_t block) {
           const auto cells = cells_of(text, kGramChoices[choice]);
           return std::all_of(cells.begin(), cells.end(), [&](std::uint32_t cell) {
             const bool by_chance = (gram_cell(cell + block * kCells) & 1) != 0;
             return common[cell] || held[block][cell] || by_chance;
           });
         });
}

void try_chosen(const Corpus& corpus) {
  FilterBuilder builder(static_cast<std::uint32_t>(corpus.block_bytes),
                        1000);  // of what it is told below
  for (std::size_t block = 0; block < corpus.blocks.size(); ++block) {
    const std::size_t left = corpus.text.size() - block * corpus.block_bytes;
    const auto bytes = static_cast<double>(std::min(left, corpus.block_bytes));
    builder.add(corpus.blocks[block], static_cast<std::size_t>(bytes * corpus.percent / 100));
  }
  const auto filter = parse_filter(builder.finish(), corpus.blocks.size());
  if (!filter.ok()) return;
  for (const FilterGroup& group : filter->groups) {
    std::printf("%u/%u/%zu ", group.gram_bytes, group.keep, group.common.size());
  }
  std::printf("n/keep/common\n");
  report(corpus, "chosen", 8 * filter->payload.size(),
         [&](const std::string& text, std::size_t block) {
           const FilterGroup& group = filter->groups[block / filter->group_blocks];
           const auto cells = cells_of(text, group.gram_bytes);
           return std::all_of(cells.begin(), cells.end(), [&](std::uint32_t cell) {
             const auto row = group.row_of(cell);
             return !row ||
                    group.bit(*row, static_cast<std::uint32_t>(block % filter->group_blocks));
           });
         });
}

Corpus read_corpus(char** arguments) {
  Corpus corpus;
  std::ifstream file(arguments[1], std::ios::binary);
  corpus.text.assign(std::istreambuf_iterator<char>(file), {});
  corpus.block_bytes = std::strtoul(arguments[2], nullptr, 10) * 1024;
  if (arguments[3] != nullptr) corpus.percent = std::strtod(arguments[3], nullptr);
  GramCollector collector;
  const Bytes plain(reinterpret_cast<const Byte*>(corpus.text.data()), corpus.text.size());
  for (std::size_t at = 0; at < plain.size(); at += corpus.block_bytes) {
    BlockGrams grams =
        collector.collect(plain.subspan(at, std::min(corpus.block_bytes, plain.size() - at)));
    if (!corpus.blocks.empty()) add_border_cells(corpus.blocks.back(), grams);
    corpus.blocks.push_back(std::move(grams));
  }
  for (std::size_t which = 0; which < corpus.classes.size(); ++which) {
    for (const std::size_t length : kLengths) collect_strings(corpus, length, which);
  }
  return corpus;
}

int run(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: filter_trials FILE BLOCK_KIB [PERCENT]\n", stderr);
    return 2;
  }
  const Corpus corpus = read_corpus(arguments);
  std::printf(
      "%s, %zu blocks of %s KiB: skipped %% of blocks without a string that is absent, in "
      "2 %%, in 25 %% of the blocks\n",
      arguments[1], corpus.blocks.size(), arguments[2]);
  for (const std::size_t choice : {0u, 1u}) {
    for (const unsigned percent : {101u, 50u, 30u}) try_vectors(corpus, choice, percent);
    try_xor(corpus, choice, 30);
  }
  try_chosen(corpus);
  return 0;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run(count, arguments);
}
