// SPDX-License-Identifier: MIT
// Lines that end at NUL bytes (PatternOptions::null_data) without a second version of the search:
// NUL bytes and line feeds are exchanged in each chunk when it is read and exchanged back in each
// line that is reported. All code between these two places (kernels, engines, line numbers) knows
// '\n' only. Patterns are exchanged in the same way when they are compiled. Costs one pass over
// each chunk, with --null-data only.
#pragma once

#include "presso/bytes.h"

namespace presso::scan_detail {

/// Exchanges both bytes in place; doing it twice restores the text.
inline void exchange_nul_and_line_feed(MutableBytes text) {
  for (Byte& byte : text) {
    const bool either = byte == '\n' || byte == 0;
    byte = static_cast<Byte>(either ? byte ^ '\n' : byte);
  }
}

}  // namespace presso::scan_detail
