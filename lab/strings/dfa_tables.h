// SPDX-License-Identifier: MIT
// Tables for reading a string per lane: indexed by state and byte without a multiplication, with
// sinks that lead to themselves, so that a lane may go on reading in one without a test. Sources:
// S6.1, S6.3, S6.5, S6.7. Flat views, trivially copyable, for CPU and GPU.
//
// Sinks are S's states -1 (reject) and -2 (accept); the states that can still change are numbered
// from 0, the rejecting ones first. Two widths:
//   Table32View: 4-byte entries, each a state times 256. The sinks' rows stand before row 0.
//   Table8View: 1-byte entries, -1 and -2 being 255 and 254, so at most 254 other states: a quarter
//   of the cache, one more operation a byte. Readers load 4 bytes at any entry.
// Tested by lab/tests/regex_scan_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/host_device.h"
#include "presso/error.h"
#include "scan/automaton/dfa.h"

namespace presso::strings {

using scan_detail::Dfa;

struct Table32View {
  using Entry = std::int32_t;
  static constexpr std::int32_t kRejectSink = -256;
  static constexpr std::int32_t kAcceptSink = -512;

  const std::int32_t* rows = nullptr;  ///< [state * 256 + byte], from -512
  std::int32_t start = 0;
  std::int32_t rejecting_end = 0;  ///< states times 256: from here they accept
  std::int32_t pad = -1;           ///< the byte that ends strings; -1: none

  PRESSO_HD std::int32_t step(std::int32_t state, Byte byte) const { return rows[state + byte]; }
  PRESSO_HD bool is_sink(std::int32_t state) const { return state < 0; }
  PRESSO_HD bool accepts(std::int32_t state) const {
    return static_cast<std::uint32_t>(state + 256) > static_cast<std::uint32_t>(rejecting_end);
  }
};

struct Table8View {
  using Entry = Byte;
  static constexpr std::int32_t kRejectSink = 255;
  static constexpr std::int32_t kAcceptSink = 254;
  static constexpr std::size_t kBytes = 65'536 + 3;

  const Byte* rows = nullptr;  ///< [state * 256 + byte]; kBytes readable
  std::int32_t start = 0;
  std::int32_t rejecting_end = 0;  ///< in states: from here they accept
  std::int32_t pad = -1;

  PRESSO_HD std::int32_t step(std::int32_t state, Byte byte) const {
    return rows[state << 8 | byte];
  }
  PRESSO_HD bool is_sink(std::int32_t state) const { return state >= kAcceptSink; }
  PRESSO_HD bool accepts(std::int32_t state) const { return ((state + 1) & 0xFF) > rejecting_end; }
};

/// One string, a byte at a time (S6.3): what the vector engines are compared with and fall back to.
template <class View>
PRESSO_HD inline bool matches(const View& table, const Byte* text, std::uint64_t length) {
  std::int32_t state = table.start;
  for (std::uint64_t i = 0; i < length; ++i) {
    state = table.step(state, text[i]);
    if (table.is_sink(state)) break;
  }
  return table.accepts(state);
}

class DfaTable32 {
 public:
  using View = Table32View;
  /// `pad`: sends accepting states to the accept sink and others to the reject sink, which ends the
  /// strings of a PaddedColumn. kInvalidArgument: more than 4 million states.
  static Result<DfaTable32> make(const Dfa& dfa, std::optional<Byte> pad = std::nullopt);
  Table32View view() const;
  std::size_t size_bytes() const { return entries_.size() * sizeof entries_[0]; }

 private:
  std::vector<std::int32_t> entries_;
  Table32View view_;
};

class DfaTable8 {
 public:
  using View = Table8View;
  /// As above; kInvalidArgument: more than 254 states besides the sinks.
  static Result<DfaTable8> make(const Dfa& dfa, std::optional<Byte> pad = std::nullopt);
  Table8View view() const;

 private:
  std::vector<Byte> entries_;
  Table8View view_;
};

}  // namespace presso::strings
