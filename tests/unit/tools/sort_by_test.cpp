// SPDX-License-Identifier: MIT
// Values of --sort-by: names, orders and quotes.
#include "tools/compress/sort_by.h"

#include <gtest/gtest.h>

#include <string>

namespace presso::cli::sort_by_test {
namespace {

/// "a+b-": names with their orders; "error: ..." where there are none.
std::string parsed(std::string_view text) {
  const auto columns = parse_sort_by(text);
  if (!columns.ok()) return "error: " + columns.error().what;
  std::string all;
  for (const SortBy& column : *columns) all += column.column + (column.descending ? "-" : "+");
  return all;
}

TEST(SortByFlag, IsAListOfNamesWithOrders) {
  EXPECT_EQ(parsed("a"), "a+");
  EXPECT_EQ(parsed("a,b desc"), "a+b-");
  EXPECT_EQ(parsed("  a  asc ,b  DESC , c"), "a+b-c+");
  EXPECT_EQ(parsed("order date"), "order date+");
  EXPECT_EQ(parsed("order date desc"), "order date-");
  EXPECT_EQ(parsed("desc"), "desc+");
}

TEST(SortByFlag, TakesAnyNameInQuotes) {
  EXPECT_EQ(parsed("\"a, b\" desc,c"), "a, b-c+");
  EXPECT_EQ(parsed("\"x desc\""), "x desc+");
  EXPECT_EQ(parsed("\"say \"\"hi\"\"\" asc"), "say \"hi\"+");
  EXPECT_EQ(parsed("\"\""), "+");
}

TEST(SortByFlag, SaysWhatIsWrong) {
  EXPECT_EQ(parsed(""), "error: lacks the name of a column");
  EXPECT_EQ(parsed("a,"), "error: lacks the name of a column");
  EXPECT_EQ(parsed(",a"), "error: lacks the name of a column");
  EXPECT_EQ(parsed("\"a"), "error: has a quote that is never closed");
  EXPECT_EQ(parsed("\"a\" down"), "error: has 'down' after a name, which is neither asc nor desc");
}

}  // namespace
}  // namespace presso::cli::sort_by_test
