// SPDX-License-Identifier: MIT
// Tells whether a file is binary, and what follows from that (BinaryRule, presso/lines.h).
//
// A NUL byte counts in two places: among the first 64 KiB of the plain text, and in a line that is
// about to be given to the callback. So nothing may be reported before the first 64 KiB are known;
// after that, only lines that are to be reported are looked at. This is the rule that ripgrep
// applies to files that it has in memory as a whole. It does not depend on the pieces in which the
// text comes, so CPU, GPU and searches across lines agree on it. Tested by
// tests/unit/scan/text/scan_binary_test.cpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "presso/lines.h"

namespace presso::scan_detail {

/// How many bytes at the beginning of the plain text are looked at.
constexpr std::uint64_t kBinaryProbeBytes = 64u << 10;

/// Where the first NUL is; by memchr.
inline std::optional<std::size_t> find_nul(Bytes text) {
  if (text.empty()) return std::nullopt;
  const void* found = std::memchr(text.data(), 0, text.size());
  if (found == nullptr) return std::nullopt;
  return static_cast<std::size_t>(static_cast<const Byte*>(found) - text.data());
}

/// The check of one scan; used by the thread that reports.
class BinaryCheck {
 public:
  /// Decides what there is to look for: nothing where files count as text.
  BinaryCheck(const ScanOptions& options, bool has_callback)
      : quits_(options.binary == BinaryRule::kQuit),
        looks_in_lines_(has_callback && options.binary != BinaryRule::kText),
        lines_after_nul_(options.lines_after_nul),
        probe_left_(looks_in_lines_ || quits_ ? kBinaryProbeBytes : 0) {}

  /// Takes the next piece of the text, which follows the one before.
  void probe(Bytes text) {
    if (probe_left_ == 0) return;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(probe_left_, text.size()));
    const auto nul = find_nul(text.first(wanted));
    if (nul) nul_ = kBinaryProbeBytes - probe_left_ + *nul;
    probe_left_ = nul ? 0 : probe_left_ - wanted;
  }
  /// Ends the text: no more of it will come.
  void end_probe() { probe_left_ = 0; }

  /// Whether not enough of the text is known yet to report anything.
  bool undecided() const { return probe_left_ > 0; }
  /// Whether a NUL among the first bytes ends the scan at once.
  bool ends_scan() const { return quits_ && nul_.has_value(); }
  /// Whether this line, which is about to be reported, ends the scan instead.
  bool ends_scan_at(Bytes line, std::uint64_t offset) {
    if (!looks_in_lines_) return false;
    if (!nul_) {
      if (const auto nul = find_nul(line)) nul_ = offset + *nul;
    }
    return nul_ && (quits_ || !lines_after_nul_);
  }
  /// Whether a matching line that ends the scan is counted.
  bool counts_last_line() const { return !quits_; }

  /// The offset in the plain text of the NUL that was found.
  const std::optional<std::uint64_t>& nul() const { return nul_; }

 private:
  bool quits_;
  bool looks_in_lines_;
  bool lines_after_nul_;
  std::uint64_t probe_left_;  ///< bytes of the beginning that are still to come
  std::optional<std::uint64_t> nul_;
};

}  // namespace presso::scan_detail
