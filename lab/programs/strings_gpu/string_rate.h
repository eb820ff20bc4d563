// SPDX-License-Identifier: MIT
// What programs that time conditions on the strings of a column share: their command line, and the
// bits that a condition finds on the GPU for several copies of the column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/harness/command_line.h"
#include "lab/harness/gpu.h"
#include "query/strings/string_test.h"

namespace presso::gpu::bench {

using Kind = query::StringCondition::Kind;

struct StringRateOptions {
  std::uint64_t bytes = 0;  ///< how much text there is to be, in copies
  int runs = 15;
  std::vector<std::string> only;  ///< names of ways; none: all
  std::string path, column;
  std::vector<query::StringCondition> conditions;

  bool wants(const std::string& way) const;
};

/// As conditions are named on the command line; "": they are not.
const char* name_of(Kind kind);

/// Reads [OPTION]... FILE.presso COLUMN [KIND TEXT]... after adding options to those of `line`.
/// `ways`: the names that --only takes. `usual`: the conditions where none are given.
StringRateOptions parse_string_rate(harness::CommandLine& line, int count, char** arguments,
                                    const std::string& ways, std::uint64_t usual_bytes,
                                    std::span<const std::pair<Kind, const char*>> usual);

/// A bit for each row of all copies, and a status and a number of matches for each block.
class FoundRows {
 public:
  Status make(harness::Gpu& gpu, std::uint64_t copies, std::uint64_t words, std::size_t blocks);

  std::uint32_t* bits() const { return harness::as<std::uint32_t>(bits_); }
  std::uint32_t* statuses() const { return harness::as<std::uint32_t>(statuses_); }
  std::uint32_t* matches() const { return harness::as<std::uint32_t>(matches_); }

  /// The bits of one copy, by the CPU.
  void expect(std::vector<std::uint32_t> bits);
  /// Rows of one copy that match, by the CPU.
  std::uint64_t expected_matches() const { return expected_matches_; }

  /// Times `find`, which must find what the CPU does, in poisoned memory before it is timed and
  /// again afterwards. `counts`: whether it counts matches, too.
  Status time(int runs, bool counts, const std::function<Status()>& find, harness::Times& ms,
              bool& right);

 private:
  Result<bool> is_right(bool counts);

  harness::Gpu* gpu_ = nullptr;
  std::uint64_t copies_ = 0, words_ = 0;
  std::size_t blocks_ = 0;
  DeviceMemory bits_, statuses_, matches_;
  std::vector<std::uint32_t> expected_;
  std::uint64_t expected_matches_ = 0;
};

}  // namespace presso::gpu::bench
