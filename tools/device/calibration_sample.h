// SPDX-License-Identifier: MIT
// Makes the data on which the rates of CPU and GPU are measured: in memory, and the same on every
// machine, so that rates can be compared. Tested by tests/unit/tools/device_rates_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/error.h"

namespace presso::cli {

/// A compressed member repeated as often as a measurement wants it, without the memory for that:
/// members that stand one after another are a presso file.
class RepeatedMember final : public RandomAccess {
 public:
  /// Keeps `member` by reference; `times` must be at least 1.
  RepeatedMember(Bytes member, std::uint64_t times) : member_(member), times_(times) {}

  std::uint64_t size() const override { return member_.size() * times_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;

 private:
  Bytes member_;
  std::uint64_t times_;
};

/// The two members that are measured, each of 8 MiB plain.
struct CalibrationSample {
  std::vector<Byte> text;         ///< a member: lines like a log's, compressed to about a fifth
  std::vector<Byte> numbers;      ///< a member: random bytes, stored as they are
  std::uint64_t plain_bytes = 0;  ///< of each

  /// Makes the sample, which takes about 0.1 s. Error: kOutOfMemory.
  static Result<CalibrationSample> make();
};

/// A string that one in some thousand lines of the text holds, so that a search for it is bound by
/// decoding.
constexpr const char* kCalibrationPattern = "connection refused";

}  // namespace presso::cli
