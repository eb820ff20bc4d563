// SPDX-License-Identifier: MIT
// Times of blocks: for any borders of blocks and members they cover the times of all lines of the
// block, and nothing else where all times are known; hostile sections are refused.
#include "format/time_facts.h"

#include <gtest/gtest.h>

#include <random>

namespace presso::time_facts_test {
namespace {

const TimeForm kForm{0, "", "%Y-%m-%d %H:%M:%S"};

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::string made_text(std::mt19937& random, std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    if (random() % 3 != 0) {
      char time[32];
      std::snprintf(time, sizeof time, "2026-11-%02u %02u:%02u:%02u",
                    static_cast<unsigned>(random() % 28 + 1), static_cast<unsigned>(random() % 24),
                    static_cast<unsigned>(random() % 60), static_cast<unsigned>(random() % 60));
      text += time;
    }
    text += std::string(random() % 20, 'x') + "\n";
  }
  if (random() % 2 == 0) text.pop_back();
  return text;
}

/// The times of the lines of the text's bytes [begin, end); nullopt: one has none, or has that of a
/// line that begins before `floor`.
std::optional<BlockTimes> times_of(const TimeReader& reader, const std::string& text,
                                   std::size_t begin, std::size_t end, std::size_t floor = 0) {
  BlockTimes times;
  bool is_known = true;
  bool has_last = false;
  std::int64_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
    const auto time = reader.time_of(bytes_of(text).subspan(at, next - at));
    has_last = at >= floor && (has_last || time);
    if (time) last = *time;
    if (at < end && next > begin) {
      is_known &= has_last;
      times.add(last);
    }
    at = next;
  }
  return is_known ? std::optional(times) : std::nullopt;
}

TEST(TimeFacts, AnyBordersOfBlocks) {
  std::mt19937 random(7);
  const auto reader = TimeReader::make(kForm, 0);
  ASSERT_TRUE(reader.ok());
  for (int round = 0; round < 300; ++round) {
    const std::string text = made_text(random, random() % 40 + 1);
    const std::size_t bytes = random() % 60 + 1;
    const std::size_t blocks_of_member = random() % 8 + 1;
    TimeFactsBuilder builder(*reader);
    std::vector<BlockTimes> told;
    std::size_t in_member = 0;
    for (std::size_t begin = 0; begin < text.size(); begin += bytes) {
      if (in_member++ == blocks_of_member) {
        const TimeFacts facts = builder.finish(true);
        told.insert(told.end(), facts.blocks.begin(), facts.blocks.end());
        in_member = 1;
      }
      builder.add(
          read_times(*reader, bytes_of(text).subspan(begin, std::min(bytes, text.size() - begin))));
    }
    const TimeFacts facts = builder.finish(false);
    told.insert(told.end(), facts.blocks.begin(), facts.blocks.end());
    ASSERT_EQ(told.size(), (text.size() - 1) / bytes + 1);
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (told[i] == BlockTimes::unknown()) {
        // What was before the member is not known, nor the line that reaches into the next one.
        const std::size_t member = i / blocks_of_member * blocks_of_member * bytes;
        const std::size_t end = member + blocks_of_member * bytes;
        const std::size_t last_line =
            end >= text.size() ? text.size() : text.rfind('\n', end - 1) + 1;
        const bool is_cut = (i + 1) * bytes > last_line;
        EXPECT_TRUE(is_cut || !times_of(*reader, text, i * bytes, (i + 1) * bytes, member))
            << text << " block " << i << " of " << bytes;
        continue;
      }
      const auto right = times_of(*reader, text, i * bytes, (i + 1) * bytes);
      ASSERT_TRUE(right) << text << " block " << i << " of " << bytes;
      EXPECT_EQ(told[i], *right) << text << " block " << i << " of " << bytes;
    }
  }
}

TEST(TimeFacts, LongLinesAreNotKnown) {
  const auto reader = TimeReader::make(kForm, 0);
  TimeFactsBuilder builder(*reader);
  const std::string begin = "2026-11-28 10:00:00 " + std::string(5000, 'x');
  builder.add(read_times(*reader, bytes_of(begin)));
  builder.add(read_times(*reader, bytes_of("\n2026-11-28 10:00:00\n")));
  const TimeFacts facts = builder.finish(false);
  EXPECT_EQ(facts.blocks[0], BlockTimes::unknown());
  EXPECT_EQ(facts.blocks[1], BlockTimes::unknown());
}

TEST(TimeFacts, TheSectionIsReadAsItWasWritten) {
  TimeFacts facts{{3, "", "%d/%b/%Y:%H:%M:%S %z"}, 5, 7, {{1, 2}, BlockTimes::unknown()}};
  const std::vector<Byte> payload = serialise_time_facts(facts);
  const auto read = parse_time_facts(payload, 2);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, facts);
  EXPECT_EQ(parse_time_facts(payload, 3).error().code, ErrorCode::kBadHeader);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(parse_time_facts(Bytes(payload).subspan(0, size), 2).ok()) << size;
  }
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Byte> damaged = payload;
    damaged[random() % damaged.size()] = static_cast<Byte>(random());
    const auto other = parse_time_facts(damaged, 2);
    if (!other.ok()) continue;
    const auto reader = TimeReader::make(other->form, other->latest);
    if (reader.ok()) reader->time_of(bytes_of("x y [10/Oct/2000:13:55:36 -0700]"));
  }
}

}  // namespace
}  // namespace presso::time_facts_test
