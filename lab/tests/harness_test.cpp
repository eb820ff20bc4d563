// SPDX-License-Identifier: MIT
// What the programs of the laboratory share: options, tables of results, times, files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"

namespace presso::harness::harness_test {
namespace {

struct Values {
  int runs = 9;
  std::uint8_t small = 0;
  double share = 0;
  bool is_fast = false;
  std::string name;
  std::vector<std::string> only;
  std::vector<std::size_t> places;
};

constexpr const char* kNames[] = {"one", "two"};

/// Parses words as the command line of a program with each kind of option.
std::vector<std::string> parse(std::vector<std::string> words, Values& values) {
  CommandLine line("FILE...", "A program.");
  line.add("--runs N", "runs", values.runs, 1);
  line.add("--small N", "a byte", values.small);
  line.add("--share F", "a share", values.share);
  line.add("--fast", "a switch", values.is_fast);
  line.add("-n NAME", "a name", values.name);
  line.add("--only TEXT", "texts", values.only);
  line.add("--names LIST", "names",
           names_among(kNames, [&](std::size_t place) { values.places.push_back(place); }));
  words.insert(words.begin(), "program");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return line.parse(static_cast<int>(words.size()), arguments.data(), 1, 2);
}

TEST(CommandLine, TakesOptionsAndOperandsInAnyOrder) {
  Values values;
  const std::vector<std::string> operands =
      parse({"--runs", "3", "a", "--fast", "--share=1.5e-1", "-n", "me", "--only", "x", "[0-9]{4}",
             "--only=y", "--names", "two,one"},
            values);
  EXPECT_EQ(operands, (std::vector<std::string>{"a", "[0-9]{4}"}));
  EXPECT_EQ(values.runs, 3);
  EXPECT_TRUE(values.is_fast);
  EXPECT_EQ(values.share, 0.15);
  EXPECT_EQ(values.name, "me");
  EXPECT_EQ(values.only, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(values.places, (std::vector<std::size_t>{1, 0}));
}

TEST(CommandLine, RefusesMistakesWithItsHelp) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"a", "--unknown"},   {"a", "--runs", "0"},     {"a", "--runs", "many"}, {"a", "--runs"},
      {"a", "--small=256"}, {"a", "--names", "four"}, {"a", "--runs=3x"},      {},
      {"a", "b", "c"}};
  for (const auto& words : mistakes) {
    Values values;
    EXPECT_EXIT(parse(words, values), testing::ExitedWithCode(2), "OPTION.*FILE(.|\n)*--runs N");
  }
  Values values;
  EXPECT_EXIT(parse({"--help"}, values), testing::ExitedWithCode(0), "");
}

TEST(CommandLine, NumbersHaveUnitsAndExponents) {
  EXPECT_EQ(number_of("12"), 12);
  EXPECT_EQ(number_of("1.5e6"), 1.5e6);
  EXPECT_EQ(number_of("64K"), 65536);
  EXPECT_EQ(number_of("2G"), 2147483648.0);
  for (const char* const text : {"", "x", "1T", "1KB", "1 2"})
    EXPECT_FALSE(number_of(text)) << text;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Report, WritesAlignedRowsAndAppendsCsv) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("harness_test." + std::to_string(getpid()) + ".csv");
  testing::internal::CaptureStdout();
  for (const int run : {1, 2}) {
    Report report(Report::Form::kAligned, "name:-6,rate:5,bytes");
    ASSERT_TRUE(report.also_to(path, {{"device", "a, b"}}).ok());
    report.add({"say \"x\"", fixed(run / 3.0, 2), 7});
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "name    rate\nsay \"x\"  0.33\nname    rate\nsay \"x\"  0.67\n");
  EXPECT_EQ(text_of(path),
            "device,name,rate,bytes\n"
            "\"a, b\",\"say \"\"x\"\"\",0.33,7\n\"a, b\",\"say \"\"x\"\"\",0.67,7\n");
  const auto start = read_file(path, 6);
  ASSERT_TRUE(start.ok());
  EXPECT_EQ(std::string(start->begin(), start->end()), "device");
  std::filesystem::remove(path);
  EXPECT_FALSE(read_file(path).ok());
  EXPECT_FALSE(Report(Report::Form::kCsv, "a").also_to("/no/such/folder/file").ok());
}

TEST(Report, NumbersHaveTheDigitsThatAreAskedFor) {
  EXPECT_EQ(fixed(2.0 / 3, 3).text, "0.667");
  EXPECT_EQ(fixed(1e300, 0).text.size(), 301u);
  EXPECT_EQ(significant(1.25e-7, 2).text, "1.2e-07");
  EXPECT_EQ(significant(0.25, 2).text, "0.25");
  EXPECT_EQ(verdict(true).text, "yes");
  EXPECT_EQ(verdict(false).text, "WRONG");
}

TEST(Times, RepeatDropsRunsThatWarmUp) {
  double next = 9;
  const auto times = repeat(3, 2, [&]() -> Result<double> { return next--; });
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->median, 6);
  EXPECT_EQ(times->best, 5);
  EXPECT_EQ(times->worst, 7);
  int calls = 0;
  const auto failed = measure(3, 1, [&]() -> Status {
    if (++calls == 2) return make_error(ErrorCode::kIo, "stop");
    return {};
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace presso::harness::harness_test
