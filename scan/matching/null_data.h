// SPDX-License-Identifier: MIT
// Lines that end at NUL bytes (PatternOptions::null_data) without a second version of the search:
// NUL bytes and line feeds are exchanged in each chunk when it is read and exchanged back in each
// line that is reported. All between (kernels, engines, line numbers) knows '\n' only. Patterns are
// exchanged in the same way when they are compiled.
#pragma once

#include "presso/bytes.h"

namespace presso::scan_detail {

inline void exchange_nul_and_line_feed(MutableBytes text) {
  for (Byte& byte : text) {
    const bool either = byte == '\n' || byte == 0;
    byte = static_cast<Byte>(either ? byte ^ '\n' : byte);
  }
}

}  // namespace presso::scan_detail
