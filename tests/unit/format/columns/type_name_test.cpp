// SPDX-License-Identifier: MIT
// Names of column types, there and back.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "presso/table_schema.h"

namespace presso::type_name_test {
namespace {

TEST(TypeName, EveryTypeIsReadBackFromItsName) {
  for (const char* name :
       {"bool",           "int8",          "int16",         "int32",          "int64",
        "uint8",          "uint16",        "uint32",        "uint64",         "float",
        "double",         "date",          "timestamp(s)",  "timestamp(ms)",  "timestamp(us)",
        "timestamp(ns)",  "decimal(18,0)", "decimal(18,2)", "decimal(18,18)", "decimal(38,3)",
        "decimal(38,38)", "utf8",          "binary"}) {
    const Result<ColumnSchema> column = parse_type(name);
    ASSERT_TRUE(column.ok()) << name;
    EXPECT_EQ(type_name(*column), name);
  }
}

TEST(TypeName, StringIsUtf8AndDecimalsHaveTwoWidths) {
  EXPECT_EQ(type_name(*parse_type("string")), "utf8");
  EXPECT_EQ(type_name(*parse_type("decimal(12,2)")), "decimal(18,2)");
  EXPECT_EQ(type_name(*parse_type("decimal(19, 2)")), "decimal(38,2)");
  EXPECT_EQ(type_name(*parse_type("decimal(10)")), "decimal(18,0)");
  EXPECT_EQ(parse_type("decimal(18,2)")->type, ColumnType::kDecimal64);
  EXPECT_EQ(parse_type("decimal(19,2)")->type, ColumnType::kDecimal128);
  EXPECT_EQ(parse_type("timestamp(us)")->unit, TimeUnit::kMicro);
}

TEST(TypeName, NamesOfSqlAreTypes) {
  for (const auto& [sql, own] :
       std::vector<std::pair<const char*, const char*>>{{"int", "int32"},
                                                        {"BigInt", "int64"},
                                                        {"VARCHAR(10)", "utf8"},
                                                        {"text", "utf8"},
                                                        {"double precision", "double"},
                                                        {"Decimal(10, 2)", "decimal(18,2)"},
                                                        {"numeric", "decimal(18,3)"},
                                                        {"hugeint", "decimal(38,0)"},
                                                        {"boolean", "bool"},
                                                        {"timestamp", "timestamp(us)"},
                                                        {"timestamp_ms", "timestamp(ms)"},
                                                        {"int64", "int64"}}) {
    const Result<ColumnSchema> column = parse_sql_type(sql);
    ASSERT_TRUE(column.ok()) << sql;
    EXPECT_EQ(type_name(*column), own);
  }
  EXPECT_NE(parse_sql_type("Strange").error().what.find("'Strange'"), std::string::npos);
}

TEST(TypeName, OthersAreRefusedWithTheListOfTypes) {
  for (const char* name :
       {"", "int", "Int64", " int64", "int64 ", "timestamp", "timestamp()", "timestamp(m)",
        "decimal", "decimal()", "decimal(0,0)", "decimal(39,2)", "decimal(5,6)", "decimal(5,)",
        "decimal(,2)", "decimal(5,2", "decimal(5;2)", "decimal(-5,2)", "decimal(5,2,1)"}) {
    const Result<ColumnSchema> column = parse_type(name);
    ASSERT_FALSE(column.ok()) << name;
    EXPECT_EQ(column.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(column.error().what.find(name), std::string::npos);
    EXPECT_NE(column.error().what.find("timestamp(ns)"), std::string::npos);
  }
}

TEST(TypeName, NumbersThatNoTypeHasAreNamedAsSuch) {
  ColumnSchema column;
  column.type = static_cast<ColumnType>(99);
  EXPECT_EQ(type_name(column), "type 99");
}

}  // namespace
}  // namespace presso::type_name_test
