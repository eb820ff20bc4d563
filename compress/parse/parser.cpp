// SPDX-License-Identifier: MIT
// Makes parsers and the indexes of dictionaries for them. An index serves only parsers with the
// parameters that it was made with: another kind of parser has other tables.
#include "compress/parse/parser.h"

#include <algorithm>
#include <atomic>

#include "compress/parse/match.h"
#include "compress/parse/match_tree.h"

namespace presso {

namespace {

bool has_tables(ParserKind kind) {
  return kind == ParserKind::kOneTable || kind == ParserKind::kTwoTables ||
         kind == ParserKind::kFourPlaces;
}

}  // namespace

/// The serial number lets parsers keep a copied dictionary from block to block (window.h).
DictionaryIndex index_dictionary(Bytes content, const ParserParameters& parameters) {
  constexpr std::size_t kKeyBytes = 8;  // hash6() loads eight bytes
  constexpr std::uint32_t kChainHashBits = 17;
  static std::atomic<std::uint64_t> serials{0};
  DictionaryIndex index;
  index.content = content;
  index.serial = ++serials;
  if (has_tables(parameters.kind)) {
    index_tables(parameters, index);
    return index;
  }
  if (parameters.kind == ParserKind::kRow) {
    index_rows(parameters, index);
    return index;
  }
  const bool is_fast = parameters.kind == ParserKind::kFast;
  index.hash_bits = is_fast ? kFastHashBits : kChainHashBits;
  if (parameters.kind == ParserKind::kOptimal) {
    MatchTree::index_content(content, parameters, index);
    return index;
  }
  index.head.assign(std::size_t{1} << index.hash_bits, 0);
  if (!is_fast) index.previous.assign(content.size(), 0);
  for (std::size_t at = 0; at + kKeyBytes <= content.size(); ++at) {
    const std::uint32_t hash = hash6(content.data() + at, index.hash_bits);
    if (!is_fast) index.previous[at] = index.head[hash];
    index.head[hash] = static_cast<std::uint32_t>(at + 1);
  }
  return index;
}

/// The longest match is limited to what a sequence of the Byte coding can hold.
std::unique_ptr<Parser> make_parser(const ParserParameters& parameters) {
  ParserParameters limited = parameters;
  limited.lookahead = std::min(limited.lookahead, kLongestLength);
  switch (parameters.kind) {
    case ParserKind::kFast:
      return make_fast_parser(limited);
    case ParserKind::kOneTable:
    case ParserKind::kTwoTables:
    case ParserKind::kFourPlaces:
      return make_table_parser(limited);
    case ParserKind::kRow:
      return make_row_parser(limited);
    case ParserKind::kOptimal:
      return make_optimal_parser(limited);
    case ParserKind::kChain:
      break;
  }
  return make_chain_parser(limited);
}

}  // namespace presso
