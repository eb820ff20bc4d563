// SPDX-License-Identifier: MIT
// A dictionary and the block that follows it, side by side in memory: positions of both are numbers
// of one row, so that one table finds matches in both and a match is compared without asking where
// it lies. The dictionary is copied once, each block once.
#pragma once

#include "compress/parse/parser.h"
#include "presso/byte_stream.h"

namespace presso {

class Window {
 public:
  /// The first byte of `dictionary` (may be nullptr), or of `plain` without one. Valid until the
  /// next call; without a dictionary nothing is copied.
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
  std::uint64_t held_ = 0;  ///< DictionaryIndex::serial of what bytes_ begin with; 0: none
};

}  // namespace presso
