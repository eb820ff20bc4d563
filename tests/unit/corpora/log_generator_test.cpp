// SPDX-License-Identifier: MIT
// The generator feeds tests and published benchmarks, so its bytes are pinned: a change of them
// must be meant, and then changes these hashes and the samples that corpora/manifest.md lists.
#include "corpora/log_generator.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "presso/checksum.h"

namespace presso::corpora::log_generator_test {
namespace {

std::string generate(LogFormat format, std::uint64_t seed, std::size_t bytes) {
  LogGenerator generator(format, seed);
  std::string log;
  while (log.size() < bytes) generator.append_event(log);
  return log;
}

std::uint64_t hash(const std::string& text) {
  return checksum64({reinterpret_cast<const Byte*>(text.data()), text.size()});
}

template <class Visit>
void for_each_line(const std::string& text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ASSERT_NE(end, std::string::npos) << "the last line is not whole";
    visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

TEST(LogGenerator, GivesTheSameBytesOnEveryMachine) {
  EXPECT_EQ(hash(generate(LogFormat::kPlain, 1, 1u << 20)), 0x0bb30d56efc31e29u);
  EXPECT_EQ(hash(generate(LogFormat::kJson, 1, 1u << 20)), 0xacb6369c4fefcac1u);
  EXPECT_EQ(hash(generate(LogFormat::kMixed, 2, 1u << 20)), 0x2d73866397f6d2c7u);
}

TEST(LogGenerator, AnotherSeedGivesAnotherLog) {
  EXPECT_NE(generate(LogFormat::kPlain, 1, 4096), generate(LogFormat::kPlain, 2, 4096));
}

TEST(LogGenerator, ALongerLogBeginsWithTheShorterOne) {
  const std::string shorter = generate(LogFormat::kPlain, 3, 10000);
  const std::string longer = generate(LogFormat::kPlain, 3, 50000);
  EXPECT_EQ(longer.substr(0, shorter.size()), shorter);
}

TEST(LogGenerator, EveryJsonLineParsesAndTimeGoesForward) {
  std::string last_time;
  std::set<std::string> services;
  for_each_line(generate(LogFormat::kJson, 4, 2u << 20), [&](const std::string& line) {
    const nlohmann::json event = nlohmann::json::parse(line);
    const std::string time = event.at("ts");
    EXPECT_LT(last_time, time);
    last_time = time;
    services.insert(event.at("service"));
  });
  EXPECT_EQ(services.size(), 12u) << "eight applications, nginx, postgres, sshd and worker";
  EXPECT_EQ(last_time.substr(0, 11), "2026-03-01T");
}

TEST(LogGenerator, PlainFormatHasStackTracesButFewOfThem) {
  std::size_t lines = 0;
  std::size_t frames = 0;
  for_each_line(generate(LogFormat::kPlain, 5, 4u << 20), [&](const std::string& line) {
    ++lines;
    if (line.starts_with("\tat ")) ++frames;
  });
  EXPECT_GT(frames, 0u);
  EXPECT_LT(frames, lines / 10);
}

TEST(LogGenerator, MixedFormatHasBothKindsOfLine) {
  std::size_t json = 0;
  std::size_t plain = 0;
  for_each_line(generate(LogFormat::kMixed, 6, 1u << 20),
                [&](const std::string& line) { ++(line.starts_with("{") ? json : plain); });
  EXPECT_GT(json, 100u);
  EXPECT_GT(plain, 4 * json);
}

}  // namespace
}  // namespace presso::corpora::log_generator_test
