// SPDX-License-Identifier: MIT
// A generator of its own keeps the data the same whatever the standard library does. Tested by
// tests/unit/tools/device_rates_test.cpp.
#include "tools/device/calibration_sample.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "presso/compress.h"

namespace presso::cli {
namespace {

constexpr std::size_t kPlainBytes = 8u << 20;
constexpr unsigned kRareLine = 4096;  ///< one line in this many holds the pattern

/// A fixed sequence of numbers (xorshift, Marsaglia 2003).
class Sequence {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15u;
};

/// A line like those of a server's log; every 4,096th on average holds the pattern.
std::string line_of(Sequence& sequence, std::uint64_t number) {
  static constexpr std::array<std::string_view, 8> kMessages = {
      "request served from cache", "request served",  "session opened", "session closed",
      "retry after timeout",       "query completed", "job queued",     "job finished"};
  const bool rare = sequence.below(kRareLine) == 0;
  const std::string_view message =
      rare ? std::string_view(kCalibrationPattern) : kMessages[sequence.below(kMessages.size())];
  std::string line = "2026-11-01 12:" + std::to_string(10 + number / 60000 % 50) + ":" +
                     std::to_string(10 + number / 1000 % 50) + "." +
                     std::to_string(100 + number % 900) + " INFO worker-";
  line += std::to_string(sequence.below(32)) + " ";
  line.append(message);
  return line + " user=" + std::to_string(sequence.below(5000)) +
         " bytes=" + std::to_string(sequence.below(100000)) + "\n";
}

/// 8 MiB of lines; the last one is cut and ended, so that every member ends a line.
std::vector<Byte> make_text() {
  Sequence sequence;
  std::vector<Byte> text;
  text.reserve(kPlainBytes);
  for (std::uint64_t number = 0; text.size() < kPlainBytes; ++number) {
    const std::string line = line_of(sequence, number);
    text.insert(text.end(), line.begin(), line.end());
  }
  text.resize(kPlainBytes);
  text.back() = '\n';
  return text;
}

/// 8 MiB that do not compress, so that decoding them is copying.
std::vector<Byte> make_numbers() {
  Sequence sequence;
  std::vector<Byte> bytes(kPlainBytes);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t number = sequence.next();
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }
  return bytes;
}

/// A member with blocks of 256 KiB, which GPUs decode at a usual rate, and without a dictionary.
Result<std::vector<Byte>> compressed(const std::vector<Byte>& plain) {
  CompressOptions options;
  options.level = 3;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  options.block_bytes = 256u << 10;
  return compress_buffer(plain, options);
}

}  // namespace

/// Copies from the one member, however often the range wraps around.
Status RepeatedMember::read_at(std::uint64_t offset, MutableBytes into) const {
  if (offset > size() || into.size() > size() - offset) return make_error(ErrorCode::kTruncated);
  while (!into.empty()) {
    const std::size_t at = static_cast<std::size_t>(offset % member_.size());
    const std::size_t count = std::min(into.size(), member_.size() - at);
    std::memcpy(into.data(), member_.data() + at, count);
    into = into.subspan(count);
    offset += count;
  }
  return {};
}

/// Error: kOutOfMemory.
Result<CalibrationSample> CalibrationSample::make() {
  return without_bad_alloc([]() -> Result<CalibrationSample> {
    CalibrationSample sample;
    sample.plain_bytes = kPlainBytes;
    PRESSO_ASSIGN(sample.text, compressed(make_text()));
    PRESSO_ASSIGN(sample.numbers, compressed(make_numbers()));
    return sample;
  });
}

}  // namespace presso::cli
