// SPDX-License-Identifier: MIT
// Finds out how the rows of a JSON text are spaced: the white space and the marks between keys and
// values that most rows have. Each of the texts of a JsonSpacing is decided by itself. A row costs
// six comparisons with the texts of the row before it. Tested through
// tests/unit/compress/table/json_inference_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "compress/table/text/json_tokenizer.h"
#include "presso/table_schema.h"

namespace presso {

/// Counts how often each text occurs. More than kMostTexts different ones are no rule, and a text
/// of more than kMaxJsonSpacing bytes is not counted; so the result does not depend on how a text
/// is cut into parts.
class TextVotes {
 public:
  void add(std::string_view text);
  void merge(const TextVotes& later);
  /// The most frequent text, the first of these in order; `otherwise` if there is no rule.
  std::string winner(const std::string& otherwise) const;

 private:
  static constexpr std::size_t kMostTexts = 64;
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;
  void add(std::string_view text, std::uint64_t votes);

  Counts counts_;
  std::string last_text_;
  std::uint64_t last_votes_ = 0;  ///< of last_text_, which are not in counts_ yet
};

/// The votes for each of the texts of a JsonSpacing.
class JsonSpacingVotes {
 public:
  /// Counts a row that has a member.
  void add(const JsonBatch& batch, Bytes text, std::size_t row);
  void merge(const JsonSpacingVotes& later);
  JsonSpacing winner() const;

 private:
  std::array<TextVotes, 6> parts_;  ///< in the order of JsonSpacing
};

}  // namespace presso
