// SPDX-License-Identifier: MIT
// Copies on their way in the emulator: the source is kept at issue and compared when the copy
// lands.
#include "decompress/gpu/simt/emulator/async_copies.h"

#include <algorithm>
#include <cstring>

namespace presso::simt {
namespace {

/// What a target holds until the copy lands.
constexpr Byte kInFlight = 0xEF;

/// False if any source has changed.
bool land_all(std::vector<PendingCopy>& copies) {
  bool unchanged = true;
  for (const PendingCopy& copy : copies) unchanged &= copy.land();
  copies.clear();
  return unchanged;
}

}  // namespace

// Reading the whole source here is what lets a sanitizer find a bad address at its call.
PendingCopy::PendingCopy(Byte* to, const Byte* from, std::size_t bytes)
    : to_(to), from_(from), seen_(from, from + bytes) {
  std::memset(to, kInFlight, bytes);
}

bool PendingCopy::land() const {
  std::memcpy(to_, seen_.data(), seen_.size());
  return std::memcmp(from_, seen_.data(), seen_.size()) == 0;
}

void LaneCopies::commit() {
  committed_.push_back(std::move(open_));
  open_.clear();
}

bool LaneCopies::reach(const Byte* at, std::size_t bytes) const {
  const auto any = [&](const std::vector<PendingCopy>& copies) {
    return std::any_of(copies.begin(), copies.end(),
                       [&](const PendingCopy& copy) { return copy.reaches(at, bytes); });
  };
  return any(open_) || std::any_of(committed_.begin(), committed_.end(), any);
}

bool LaneCopies::wait(std::size_t keep) {
  bool unchanged = true;
  while (committed_.size() > keep) {
    unchanged &= land_all(committed_.front());
    committed_.pop_front();
  }
  return unchanged;
}

void LaneCopies::clear() {
  open_.clear();
  committed_.clear();
}

// The counts are those of the next phase from here on.
bool Mbarrier::complete() {
  ++phase;
  arrived = 0;
  expected = issued = 0;
  return land_all(copies);
}

}  // namespace presso::simt
