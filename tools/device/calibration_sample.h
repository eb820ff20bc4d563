// SPDX-License-Identifier: MIT
// What the rates of CPU and GPU are measured on: made up in memory, the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/error.h"

namespace presso::cli {

/// One compressed member, as often as a measurement wants it: members that stand one after another
/// are a presso file.
class RepeatedMember final : public RandomAccess {
 public:
  /// `member` is kept by reference. `times`: at least 1.
  RepeatedMember(Bytes member, std::uint64_t times) : member_(member), times_(times) {}

  std::uint64_t size() const override { return member_.size() * times_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;

 private:
  Bytes member_;
  std::uint64_t times_;
};

struct CalibrationSample {
  std::vector<Byte> text;         ///< a member: lines like a log's, compressed to about a fifth
  std::vector<Byte> numbers;      ///< a member: random bytes, stored as they are
  std::uint64_t plain_bytes = 0;  ///< of each

  /// Takes about 0.1 s. Errors: kOutOfMemory.
  static Result<CalibrationSample> make();
};

/// A string in one of some thousand lines of the text.
constexpr const char* kCalibrationPattern = "connection refused";

}  // namespace presso::cli
