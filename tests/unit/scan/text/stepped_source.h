// SPDX-License-Identifier: MIT
// A source that cuts text into chunks of a chosen size, for tests of what happens at their borders.
#pragma once

#include <algorithm>
#include <string_view>

#include "presso/byte_stream.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::scan_test {

/// Gives at most `step` bytes a read: each read becomes a chunk.
class SteppedSource final : public ByteSource {
 public:
  SteppedSource(std::string_view text, std::size_t step) : rest_(as_bytes(text)), step_(step) {}

  Result<std::size_t> read(MutableBytes into) override {
    const std::size_t count = std::min({into.size(), rest_.size(), step_});
    std::copy_n(rest_.begin(), count, into.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  Bytes rest_;
  std::size_t step_;
};

}  // namespace presso::scan_test
