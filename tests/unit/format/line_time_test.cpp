// SPDX-License-Identifier: MIT
// Times of lines: which forms are found, what is read of them, the years of lines that tell none.
#include "presso/line_time.h"

#include <gtest/gtest.h>

namespace presso::line_time_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
/// 2026-11-30 02:00:00
constexpr std::int64_t kNow = 1'796'004'000 * kSecond;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::optional<std::int64_t> time_by(const TimeForm& form, const std::string& line,
                                    std::int64_t latest = kNow) {
  const auto reader = TimeReader::make(form, latest);
  return reader.ok() ? reader->time_of(bytes_of(line)) : std::nullopt;
}

std::string format_of(const std::string& text, const TimeHint& hint = {}) {
  const auto form = find_time_form(bytes_of(text), hint);
  if (!form) return "none";
  return std::to_string(form->words) + (form->key.empty() ? "" : " " + form->key) + " " +
         form->format;
}

TEST(LineTime, FindsTheFormsOfUsualLogs) {
  EXPECT_EQ(format_of("2015-10-18 18:01:47,978 INFO [main] x\n"), "0 %Y-%m-%d %H:%M:%S");
  EXPECT_EQ(format_of("x 2026-11-28T10:00:00.123456Z y\n"), "1 %Y-%m-%dT%H:%M:%S%z");
  EXPECT_EQ(format_of("<34>Oct 11 22:14:15 host su: x\n"), "0 %b %d %H:%M:%S");
  EXPECT_EQ(format_of("127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200\n"),
            "3 %d/%b/%Y:%H:%M:%S %z");
  EXPECT_EQ(format_of("[Sun Dec 04 04:47:44 2005] [notice] x\n"), "0 %a %b %d %H:%M:%S %Y");
  EXPECT_EQ(format_of("I0314 15:09:26.535897 1 main.go:1] x\n"), "0 %?%m%d %H:%M:%S");
  EXPECT_EQ(format_of("Jan 5, 2024 3:04:05 PM org.x.Main run\n"), "0 %b %d, %Y %I:%M:%S %p");
  EXPECT_EQ(format_of("20171223-22:15:29:606|Step|3\n"), "0 %Y%m%d-%H:%M:%S:%L");
  EXPECT_EQ(format_of("081109 203615 148 INFO x\n"), "0 %y%m%d %H%M%S");
  EXPECT_EQ(format_of("1700000000.5 x\n1700000001 y\n"), "0 %s");
  EXPECT_EQ(format_of("{\"a\":1,\"ts\": \"2026-11-28T10:00:00Z\"}\n"), "0 ts %Y-%m-%dT%H:%M:%S%z");
  EXPECT_EQ(format_of("level=info time=\"2026-11-28 10:00:00\" msg=x\n"),
            "0 time %Y-%m-%d %H:%M:%S");
  EXPECT_EQ(format_of("nothing here\n"), "none");
  EXPECT_EQ(format_of(""), "none");
}

TEST(LineTime, DayAndMonthNeedEvidence) {
  EXPECT_EQ(format_of("01/02/2024 10:00:00 x\n"), "none");
  EXPECT_EQ(format_of("01/02/2024 10:00:00 x\n13/02/2024 10:00:00 x\n"), "0 %d/%m/%Y %H:%M:%S");
  EXPECT_EQ(format_of("01/02/2024 10:00:00 x\n01/13/2024 10:00:00 x\n"), "0 %m/%d/%Y %H:%M:%S");
  EXPECT_EQ(format_of("01/02/2024 10:00:00 x\n", {"", "%d/%m/%Y %H:%M:%S"}), "0 %d/%m/%Y %H:%M:%S");
}

TEST(LineTime, ReadsTimes) {
  const TimeForm iso{0, "", "%Y-%m-%dT%H:%M:%S%z"};
  EXPECT_EQ(time_by(iso, "1970-01-02T00:00:01.5Z x"), kDay + kSecond + kSecond / 2);
  EXPECT_EQ(time_by(iso, "1970-01-02T00:00:01+01:00"), kDay + kSecond - 3600 * kSecond);
  EXPECT_EQ(time_by(iso, "1970-01-02T00:00:01-0130"), kDay + kSecond + 5400 * kSecond);
  EXPECT_EQ(time_by(iso, "1969-12-31T23:59:59Z"), -kSecond);
  EXPECT_FALSE(time_by(iso, "1970-02-30T00:00:01Z"));
  EXPECT_FALSE(time_by(iso, "1970-01-02T24:00:01Z"));
  EXPECT_FALSE(time_by(iso, "1970-01-02T00:00:01Z7"));
  EXPECT_FALSE(time_by(iso, "1677-01-02T00:00:01Z"));
  EXPECT_FALSE(time_by(iso, "2262-01-02T00:00:01Z"));
  const TimeForm short_parts{0, "", "%Y%m%d-%H:%M:%S:%L"};
  EXPECT_EQ(time_by(short_parts, "19700101-0:0:1:7|x"), kSecond + 7'000'000);
  EXPECT_FALSE(time_by(short_parts, "19700101-0:0:1:7000|x"));
  const TimeForm noon{0, "", "%Y-%m-%d %I:%M:%S %p"};
  EXPECT_EQ(time_by(noon, "1970-01-01 12:00:01 am"), kSecond);
  EXPECT_EQ(time_by(noon, "1970-01-01 12:00:00 PM"), kDay / 2);
  EXPECT_EQ(time_by({0, "", "%s"}, "1700000000 x"), 1'700'000'000 * kSecond);
  EXPECT_EQ(time_by({0, "", "%s"}, "1700000000123"), 1'700'000'000 * kSecond + 123'000'000);
  EXPECT_EQ(time_by({0, "t", "%s"}, "{ \"x\":\"t\", \"t\" : 1700000000.25}"),
            1'700'000'000 * kSecond + kSecond / 4);
  EXPECT_EQ(time_by({0, "t", "%s"}, "at=1 t=1700000000"), 1'700'000'000 * kSecond);
  EXPECT_FALSE(time_by({0, "t", "%s"}, "at=1700000000"));
}

TEST(LineTime, InfersYears) {
  const TimeForm syslog{0, "", "%b %d %H:%M:%S"};
  const auto year_of = [&](const std::string& line, std::int64_t latest) {
    const auto time = time_by(syslog, line, latest);
    return time ? 1970 + *time / (365 * kDay + kDay / 4) : 0;
  };
  EXPECT_EQ(year_of("Nov 30 01:00:00 x", kNow), 2026);
  EXPECT_EQ(year_of("Dec  1 23:59:59 x", kNow), 2026);  // a clock that goes ahead
  EXPECT_EQ(year_of("Dec  2 00:00:00 x", kNow), 2025);
  EXPECT_EQ(year_of("Dec 31 23:59:59 x", kNow + 40 * kDay), 2026);
  EXPECT_EQ(year_of("Feb 29 10:00:00 x", kNow), 2024);
  EXPECT_FALSE(time_by(syslog, "Feb 30 10:00:00 x"));
}

TEST(LineTime, AMemoChangesNothing) {
  const std::vector<std::string> lines = {"2026-11-28 10:00:00 a",
                                          "2026-11-28 10:00:00.5 b",
                                          "2026-11-28 9:00:00 c",
                                          "2026-11-28 10:aa 2026-11-30 10:00:00 the word after",
                                          "2026-11-28 10:00:02",
                                          "2026-11-28   10:00:03 two more blanks",
                                          "2026-11-28 99:00:00 d",
                                          "2026-11-29 10:00:61 e",
                                          "2026-11-29 10:00:60 f",
                                          "no time",
                                          "2026-11-29 10:00:0",
                                          "2026-11-29 ",
                                          "2026-11-29 23:59:59,9",
                                          "2026-12-01 00:00:00",
                                          ""};
  for (const std::string format : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %I:%M:%S"}) {
    const auto reader = TimeReader::make({0, "", format}, kNow);
    ASSERT_TRUE(reader.ok());
    TimeReader::Memo memo;
    for (int round = 0; round < 2; ++round) {
      for (const std::string& line : lines) {
        EXPECT_EQ(reader->time_of(bytes_of(line), memo), reader->time_of(bytes_of(line))) << line;
      }
    }
  }
}

TEST(LineTime, RefusesFormatsThatTellNoTime) {
  for (const std::string format : {"", "%Y-%m-%d", "%H:%M:%S", "%Q", "%Y%", "%Y %d %H"}) {
    EXPECT_EQ(TimeReader::make({0, "", format}, 0).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(TimeReader::make({0, "", "%d.%m. %T"}, 0).ok());
}

}  // namespace
}  // namespace presso::line_time_test
