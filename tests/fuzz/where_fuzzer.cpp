// SPDX-License-Identifier: MIT
// A condition on fields, up to the first line feed, and lines that it is tested on. An error must
// lie within the condition and be one line without the names of columns. A line that passes must
// hold a string of each set that lines are said to need, as other lines are never read; and lines
// must pass alone as they do together.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "presso/field_condition.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {
namespace {

void check_error(std::string_view text, const Error& error) {
  PRESSO_FUZZ_CHECK(error.byte_offset <= text.size() || error.byte_offset == Error::kNone);
  PRESSO_FUZZ_CHECK(!error.what.empty() && error.what.find("##") == error.what.npos);
}

bool holds_each(std::string_view line, const std::vector<std::vector<std::string>>& required) {
  return std::all_of(required.begin(), required.end(), [&](const auto& set) {
    return std::any_of(set.begin(), set.end(), [&](const std::string& string) {
      return !string.empty() && line.find(string) != line.npos;
    });
  });
}

void fuzz_where(std::string_view input) {
  const std::string_view text = input.substr(0, input.find('\n'));
  const Result<FieldCondition> made = compile_field_condition(text);
  if (!made.ok()) return check_error(text, made.error());
  const auto required = made->condition->required();
  std::vector<std::string_view> texts;
  std::vector<Bytes> lines;
  for (std::size_t at = text.size() + 1; at < input.size() && lines.size() < 64;) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    texts.push_back(input.substr(at, end - at));
    lines.emplace_back(reinterpret_cast<const Byte*>(texts.back().data()), texts.back().size());
    at = end + 1;
  }
  bool together[64] = {};
  const auto tester = made->condition->tester();
  tester->test(lines, {together, lines.size()});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool alone = false;
    tester->test({&lines[i], 1}, {&alone, 1});
    PRESSO_FUZZ_CHECK(alone == together[i]);
    PRESSO_FUZZ_CHECK(!alone || holds_each(texts[i], required));
  }
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_where(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
