// SPDX-License-Identifier: MIT
// A dictionary and, directly after it, the block, in one piece of memory. Positions of both count
// from the dictionary's first byte, so that one table finds matches in both and comparing need not
// ask where a match lies. The dictionary is copied once for a parser, each block once.
#pragma once

#include "compress/parse/parser.h"
#include "presso/byte_stream.h"

namespace presso {

/// The memory of one parser's dictionary and block.
class BlockWindow {
 public:
  /// Returns the first byte of `dictionary`, after which `plain` follows; without a dictionary
  /// (nullptr or empty) that of `plain`, and nothing is copied. Valid until the next call.
  const Byte* place(Bytes plain, const DictionaryIndex* dictionary) {
    if (dictionary == nullptr || dictionary->content.empty()) return plain.data();
    const Bytes content = dictionary->content;
    if (held_ != dictionary->serial) {
      held_ = dictionary->serial;
      bytes_.clear();
      bytes_.append(content);
    }
    bytes_.grow(content.size());
    bytes_.append(plain);
    return bytes_.data();
  }

 private:
  Buffer bytes_;
  std::uint64_t held_ = 0;  ///< DictionaryIndex::serial of the content in bytes_; 0: no content
};

}  // namespace presso
