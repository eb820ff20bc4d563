// SPDX-License-Identifier: MIT
#include "lab/programs/strings_gpu/string_rate.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace presso::gpu::bench {
namespace {

constexpr std::pair<const char*, Kind> kKinds[] = {{"equal", Kind::kEqual},
                                                   {"less", Kind::kLess},
                                                   {"like", Kind::kLike},
                                                   {"ilike", Kind::kIlike},
                                                   {"matches", Kind::kMatches}};

bool add_condition(const std::string& kind, const std::string& text, StringRateOptions& options) {
  for (const auto& [name, value] : kKinds) {
    if (kind != name) continue;
    options.conditions.emplace_back();
    options.conditions.back().kind = value;
    options.conditions.back().text = text;
    return true;
  }
  return false;
}

}  // namespace

bool StringRateOptions::wants(const std::string& way) const {
  return only.empty() || std::find(only.begin(), only.end(), way) != only.end();
}

const char* name_of(Kind kind) {
  for (const auto& [name, value] : kKinds) {
    if (value == kind) return name;
  }
  return "";
}

StringRateOptions parse_string_rate(harness::CommandLine& line, int count, char** arguments,
                                    const std::string& ways, std::uint64_t usual_bytes,
                                    std::span<const std::pair<Kind, const char*>> usual) {
  StringRateOptions options;
  options.bytes = usual_bytes;
  line.add("--bytes N", "bytes of all copies (" + std::to_string(usual_bytes) + ")", options.bytes);
  line.add("--runs N", "timed runs (15)", options.runs, 1);
  line.add("--only WAY", "only this way of " + ways + "; may be repeated", options.only);
  const std::vector<std::string> operands = line.parse(count, arguments, 2);
  options.path = operands[0];
  options.column = operands[1];
  for (std::size_t i = 2; i < operands.size(); i += 2) {
    if (i + 1 == operands.size() || !add_condition(operands[i], operands[i + 1], options)) {
      line.refuse("KIND is equal, less, like, ilike or matches, with a TEXT");
    }
  }
  if (!options.conditions.empty()) return options;
  for (const auto& [kind, text] : usual) add_condition(name_of(kind), text, options);
  return options;
}

Status FoundRows::make(harness::Gpu& gpu, std::uint64_t copies, std::uint64_t words,
                       std::size_t blocks) {
  gpu_ = &gpu;
  copies_ = copies;
  words_ = words;
  blocks_ = blocks;
  PRESSO_ASSIGN(bits_, gpu.allocate(words * 4));
  PRESSO_ASSIGN(statuses_, gpu.allocate(blocks * 4));
  PRESSO_ASSIGN(matches_, gpu.allocate(blocks * 4));
  return {};
}

void FoundRows::expect(std::vector<std::uint32_t> bits) {
  expected_ = std::move(bits);
  expected_matches_ = 0;
  for (const std::uint32_t word : expected_) {
    expected_matches_ += static_cast<std::uint64_t>(std::popcount(word));
  }
}

Status FoundRows::time(int runs, bool counts, const std::function<Status()>& find,
                       harness::Times& ms, bool& right) {
  PRESSO_TRY(gpu_->fill(bits_.get(), 0xA5, words_ * 4));
  PRESSO_TRY(find());
  PRESSO_ASSIGN(const bool before, is_right(counts));
  PRESSO_ASSIGN(ms, gpu_->time(runs, find));
  PRESSO_ASSIGN(const bool after, is_right(counts));
  right = before && after;
  return {};
}

Result<bool> FoundRows::is_right(bool counts) {
  PRESSO_ASSIGN(const auto found, gpu_->values<std::uint32_t>(bits(), words_));
  PRESSO_ASSIGN(const auto status, gpu_->values<std::uint32_t>(statuses(), blocks_));
  PRESSO_ASSIGN(const auto matched, gpu_->values<std::uint32_t>(matches(), blocks_));
  if (std::any_of(status.begin(), status.end(), [](auto one) { return one != 0; })) return false;
  for (std::uint64_t copy = 0; copy < copies_; ++copy) {
    const auto at = found.begin() + static_cast<std::ptrdiff_t>(copy * expected_.size());
    if (!std::equal(expected_.begin(), expected_.end(), at)) return false;
  }
  return !counts || std::accumulate(matched.begin(), matched.end(), std::uint64_t{0}) ==
                        copies_ * expected_matches_;
}

}  // namespace presso::gpu::bench
