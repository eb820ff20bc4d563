// SPDX-License-Identifier: MIT
// The days of 1992 to 1998, one a row, with all that a query may want to know of a day.
#include <algorithm>
#include <array>
#include <string>

#include "corpora/ssb_tables.h"
#include "corpora/tpch_rules.h"

namespace presso::corpora::ssb {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 12> kSeasons = {
    "Winter", "Winter", "Winter", "Spring", "Summer",    "Summer",
    "Summer", "Summer", "Fall",   "Fall",   "Christmas", "Christmas"};
/// Month * 100 + day.
constexpr std::array<unsigned, 10> kHolidays = {101, 220, 420,  520,  720,
                                                820, 920, 1020, 1120, 1224};

/// A day in its calendar; numbers count from 1, a week begins on Sunday.
struct Day {
  std::chrono::year_month_day date;
  unsigned of_week;
  unsigned of_year;

  explicit Day(std::chrono::sys_days day)
      : date(day),
        of_week(std::chrono::weekday(day).c_encoding() + 1),
        of_year(static_cast<unsigned>((day - std::chrono::sys_days{date.year() / 1 / 1}).count()) +
                1) {}

  unsigned month() const { return static_cast<unsigned>(date.month()); }
  unsigned of_month() const { return static_cast<unsigned>(date.day()); }
  std::uint64_t year() const { return static_cast<std::uint64_t>(static_cast<int>(date.year())); }
  bool ends_month() const {
    return date == std::chrono::year_month_day_last{date.year() / date.month() / std::chrono::last};
  }
  bool is_holiday() const {
    return std::find(kHolidays.begin(), kHolidays.end(), month() * 100 + of_month()) !=
           kHolidays.end();
  }
};

class Date final : public TableGenerator {
 public:
  std::uint64_t rows() const override { return tpch::kEndDate - tpch::kStartDate + 1; }
  std::string_view columns() const override {
    return "d_datekey,d_date,d_dayofweek,d_month,d_year,d_yearmonthnum,d_yearmonth,"
           "d_daynuminweek,d_daynuminmonth,d_daynuminyear,d_monthnuminyear,d_weeknuminyear,"
           "d_sellingseason,d_lastdayinweekfl,d_lastdayinmonthfl,d_holidayfl,d_weekdayfl";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    const auto days = std::chrono::days{tpch::kStartDate + static_cast<int>(row)};
    const Day day{std::chrono::sys_days{days}};
    to.begin_row();
    append_names(day, to);
    append_numbers(day, to);
    to.word(kSeasons[day.month() - 1]);
    to.number(day.of_week == 7);
    to.number(day.ends_month());
    to.number(day.is_holiday());
    to.number(day.of_week != 1 && day.of_week != 7);
    to.end_row();
  }

 private:
  static void append_names(const Day& day, RowWriter& to) {
    const std::string_view month = kMonths[day.month() - 1];
    to.number(date_key(day.date));
    to.text_field(std::string(month)
                      .append(" ")
                      .append(std::to_string(day.of_month()))
                      .append(", ")
                      .append(std::to_string(day.year())));
    to.word(kDays[day.of_week - 1]);
    to.word(month);
    to.number(day.year());
    to.number(100 * day.year() + day.month());
    to.append(month.substr(0, 3));
    to.number(day.year());
  }

  static void append_numbers(const Day& day, RowWriter& to) {
    to.number(day.of_week);
    to.number(day.of_month());
    to.number(day.of_year);
    to.number(day.month());
    to.number((day.of_year - 1) / 7 + 1);
  }
};

}  // namespace

std::unique_ptr<TableGenerator> make_date() {
  return std::make_unique<Date>();
}

}  // namespace presso::corpora::ssb
