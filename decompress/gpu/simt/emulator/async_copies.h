// SPDX-License-Identifier: MIT
// Asynchronous copies (copy_async and bulk copies of simt.h) as the emulator models them: at issue
// the target is filled with 0xEF and the source is looked at (so that a sanitizer sees a bad
// address there); the bytes land at the wait. A source that has changed meanwhile is reported,
// since the GPU may read it at any time between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "presso/bytes.h"

namespace presso::simt {

/// One copy on its way.
class PendingCopy {
 public:
  PendingCopy(Byte* to, const Byte* from, std::size_t bytes);
  /// Delivers; false if the source has changed since the issue.
  bool land() const;
  std::size_t bytes() const { return seen_.size(); }
  bool reaches(const Byte* at, std::size_t bytes) const {
    return at < to_ + seen_.size() && to_ < at + bytes;
  }

 private:
  Byte* to_;
  const Byte* from_;
  std::vector<Byte> seen_;
};

/// What one lane has issued with copy_async: groups in order, the last of which is open.
class LaneCopies {
 public:
  void issue(Byte* to, const Byte* from, std::size_t bytes) { open_.emplace_back(to, from, bytes); }
  void commit();
  /// Whether a copy that has not landed goes to that place; a second one there would be an error,
  /// as it is unknown which lands last.
  bool reach(const Byte* at, std::size_t bytes) const;
  /// Delivers all copies except the youngest `keep` committed groups; false if a source has
  /// changed.
  bool wait(std::size_t keep);
  void clear();

 private:
  std::vector<PendingCopy> open_;
  std::deque<std::vector<PendingCopy>> committed_;
};

/// An mbarrier: a phase ends when all have arrived, all bytes that it expects were issued, and
/// somebody waits or the next phase begins.
struct Mbarrier {
  std::uint32_t arrivals = 0;  ///< how many arrivals complete a phase
  std::uint32_t phase = 0;     ///< how many phases are complete
  std::uint32_t arrived = 0;   ///< arrivals in this phase; the members below are of this phase, too
  std::uint64_t expected = 0;  ///< bytes
  std::uint64_t issued = 0;
  std::vector<PendingCopy> copies;
  std::vector<std::uint32_t> waiting;  ///< threads

  bool can_complete() const { return arrived == arrivals && issued == expected; }
  bool is_done(std::uint32_t parity) const { return (phase & 1) != (parity & 1); }
  /// Lands the copies and begins the next phase; false if a source has changed.
  bool complete();
};

using Mbarriers = std::unordered_map<const std::uint64_t*, Mbarrier>;

}  // namespace presso::simt
