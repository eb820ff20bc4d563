// SPDX-License-Identifier: MIT
#include "compress/parser.h"

#include <algorithm>

#include "compress/match.h"

namespace presso {

DictionaryIndex index_dictionary(Bytes content, const ParserParameters& parameters) {
  constexpr std::size_t kKeyBytes = 8;
  DictionaryIndex index;
  index.content = content;
  index.hash_bits = parameters.hash_bits;
  index.head.assign(std::size_t{1} << index.hash_bits, 0);
  if (parameters.chains) index.previous.assign(content.size(), 0);
  for (std::size_t at = 0; at + kKeyBytes <= content.size(); ++at) {
    const Byte* key = content.data() + at;
    const std::uint32_t hash =
        parameters.chains ? hash4(key, index.hash_bits) : hash6(key, index.hash_bits);
    if (parameters.chains) index.previous[at] = index.head[hash];
    index.head[hash] = static_cast<std::uint32_t>(at + 1);
  }
  return index;
}

std::unique_ptr<Parser> make_parser(const ParserParameters& parameters) {
  ParserParameters limited = parameters;
  limited.lookahead = std::min(limited.lookahead, kLongestLength);
  return parameters.chains ? make_chain_parser(limited) : make_fast_parser(limited);
}

}  // namespace presso
