// SPDX-License-Identifier: MIT
// Schemas as bytes: round trips, every limit, every field out of range, mutations.
#include "tests/support/largest_allocation.h"
#include "tests/unit/format/columns/table_parts.h"

namespace presso::tables::schema_test {
namespace {

void expect_round_trip(const TableSchema& schema) {
  ASSERT_TRUE(check_schema(schema).ok()) << check_schema(schema).error().message();
  const auto parsed = parse_schema(serialise_schema(schema));
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  EXPECT_EQ(*parsed, schema);
}

/// Both by check_schema() and as bytes.
void expect_refused(const TableSchema& schema, const char* what) {
  EXPECT_EQ(code_of(check_schema(schema)), ErrorCode::kInvalidArgument) << what;
  EXPECT_EQ(code_of(parse_schema(serialise_schema(schema))), ErrorCode::kBadSchema) << what;
}

template <class Change>
TableSchema changed(Change change) {
  TableSchema schema = small_schema();
  change(schema);
  return schema;
}

TEST(Schema, RoundTripsWithEveryTypeAndField) {
  expect_round_trip(small_schema());
  TableSchema schema;
  for (int type = 1; type <= 17; ++type) {
    ColumnSchema column = column_of(std::to_string(type), static_cast<ColumnType>(type));
    if (column.type == ColumnType::kDecimal64) column.precision = 18;
    if (column.type == ColumnType::kDecimal128) column.precision = 38;
    column.scale = column.precision / 2;
    column.nullable = type % 2 == 0;
    column.valid_utf8 = type % 3 == 0;
    column.quoting = type % 2 == 0 ? Quoting::kAlways : Quoting::kNeeded;
    column.text = static_cast<ValueText>(type + 1);
    if (type % 2 == 0) column.null_text = std::string(static_cast<std::size_t>(type - 2), 'n');
    if (type % 3 == 0) column.spelling = std::string("n\0=", 3);
    column.spelled = type % 5 == 0;
    schema.columns.push_back(column);
  }
  schema.text.kind = TextKind::kJsonLines;
  schema.exact = true;
  expect_round_trip(schema);
  schema.text.encoding = TextEncoding::kUtf16Be;
  expect_round_trip(schema);
  schema.text.encoding = TextEncoding::kUtf16;
  expect_refused(schema, "an encoding of options");
}

ColumnSchema type_of(const char* name) {
  ColumnSchema type = *parse_type(name);
  type.text = ValueText::kPlain;
  return type;
}

std::string key_of(std::size_t bytes) {
  return std::string(1, '.').append(bytes, 'k');
}

/// A schema whose first column has these fields.
TableSchema with_fields(std::vector<NestedField> fields) {
  return changed([&](TableSchema& s) {
    s.columns[0] = column_of("id", ColumnType::kUtf8);
    s.columns[0].text = ValueText::kRawJson;
    s.columns[0].fields = NestedFields(std::move(fields));
  });
}

TEST(Schema, RoundTripsWithFields) {
  expect_round_trip(with_fields({{".\"\"", type_of("bool")},
                                 {".\"a\\\"\\\\b\"", type_of("int64")},
                                 {".a", type_of("decimal(18,2)")},
                                 {".a.b[*]", type_of("timestamp(us)")},
                                 {".a.b[*].c_1", type_of("date")},
                                 {"[*][*]", type_of("double")}}));
  ColumnSchema zoned = type_of("timestamp(ns)");
  zoned.zone = "UTC";
  expect_round_trip(with_fields({{key_of(65534), zoned}}));
  expect_round_trip(with_fields({{".*", type_of("int64")}, {".a.*[*]", type_of("bool")}}));
  std::vector<NestedField> most;
  for (std::size_t i = 0; i < kMostFields; ++i) {
    most.push_back({key_of(1 + i), type_of("uint64")});
  }
  expect_round_trip(with_fields(most));
  most.push_back({".z", type_of("uint64")});
  expect_refused(with_fields(most), "more than 1,000");
  most.clear();
  for (std::size_t i = 0; i < 100; ++i) most.push_back({key_of(60000 + i), type_of("bool")});
  expect_refused(with_fields(most), "paths of more than 4 MiB");
}

TEST(Schema, FieldsOutsideTheirLimitsAreRefused) {
  for (const char* path : {"", "a", ".", ".a b", ".\"a\"", "[0]", "[-1]", ".a[", ".a.", "[*]x",
                           ".\"a", ".\"\\a\"", ".**", "$.a"}) {
    expect_refused(with_fields({{path, type_of("int64")}}), path);
  }
  expect_refused(with_fields({{key_of(65535), type_of("int64")}}), "long");
  expect_refused(with_fields({{".b", type_of("bool")}, {".a", type_of("bool")}}), "order");
  expect_refused(with_fields({{".a", type_of("bool")}, {".a", type_of("bool")}}), "twice");
  expect_refused(with_fields({{".a", type_of("binary")}}), "bytes");
  ColumnSchema wide = type_of("decimal(18,2)");
  wide.scale = 19;
  expect_refused(with_fields({{".a", wide}}), "scale");
  TableSchema plain = with_fields({{".a", type_of("bool")}});
  plain.columns[0].text = ValueText::kPlain;
  expect_refused(plain, "no JSON");
}

TEST(Schema, CommonFieldsAreThoseThatBothHave) {
  const NestedFields a({{".a", type_of("int64")},
                        {".b", type_of("int64")},
                        {".c", type_of("date")},
                        {".d", type_of("bool")},
                        {".f", json_field_type()},
                        {".g", json_field_type()}});
  const NestedFields b({{".a", type_of("int64")},
                        {".b", type_of("decimal(18,2)")},
                        {".c", type_of("int64")},
                        {".e", type_of("bool")},
                        {".f", type_of("int64")},
                        {".g", json_field_type()}});
  const NestedFields both(
      {{".a", type_of("int64")}, {".b", type_of("double")}, {".g", json_field_type()}});
  EXPECT_EQ(common_fields(a, b), both);
  EXPECT_EQ(common_fields(b, a), both);
  EXPECT_EQ(common_fields(a, a), a);
  EXPECT_TRUE(common_fields(a, {}).empty());
}

TEST(Schema, RoundTripsAtItsLimits) {
  expect_round_trip(changed([](TableSchema& s) { s.columns[0].name.assign(kMaxNameBytes, 'n'); }));
  expect_round_trip(changed([](TableSchema& s) { s.columns[2].zone.assign(kMaxNameBytes, 'z'); }));
  expect_round_trip(changed([](TableSchema& s) { s.text.null_text.assign(255, 'n'); }));
  expect_round_trip(changed([](TableSchema& s) { s.columns[0].null_text = std::string(255, 0); }));
  expect_round_trip(changed([](TableSchema& s) { s.columns[0].spelling.assign(255, 'n'); }));
  expect_round_trip(changed([](TableSchema& s) { s.text.head.assign(kMaxHeadBytes, '\n'); }));
  expect_round_trip(changed([](TableSchema& s) { s.columns[0].name = std::string("\0,\n", 3); }));
  expect_round_trip(changed([](TableSchema& s) {
    s.columns.clear();
    for (std::size_t i = 0; i < kMaxColumns; ++i) {
      s.columns.push_back(column_of(std::to_string(i), ColumnType::kInt8));
    }
  }));
}

TEST(Schema, OutsideItsLimitsIsRefused) {
  expect_refused(changed([](TableSchema& s) { s.columns.clear(); }), "no column");
  expect_refused(changed([](TableSchema& s) { s.columns[1].name = "id"; }), "one name twice");
  expect_refused(changed([](TableSchema& s) { s.columns[0].name.assign(65536, 'n'); }), "name");
  expect_refused(changed([](TableSchema& s) { s.columns[0].zone.assign(65536, 'n'); }), "zone");
  expect_refused(changed([](TableSchema& s) { s.text.null_text.assign(256, 'n'); }), "null");
  expect_refused(changed([](TableSchema& s) { s.text.head.assign(kMaxHeadBytes + 1, 'n'); }),
                 "head");
  expect_refused(changed([](TableSchema& s) { s.text.quote = s.text.delimiter; }), "quote");
  expect_refused(changed([](TableSchema& s) { s.text.delimiter = '\n'; }), "delimiter");
  expect_refused(changed([](TableSchema& s) { s.text.quote = '\r'; }), "quote");
  expect_refused(changed([](TableSchema& s) { s.text.kind = TextKind::kNone; }), "exact");
  expect_refused(changed([](TableSchema& s) { s.text.kind = static_cast<TextKind>(3); }), "kind");
  expect_refused(changed([](TableSchema& s) {
                   for (std::size_t i = 0; s.columns.size() <= kMaxColumns; ++i) {
                     s.columns.push_back(column_of(std::to_string(i), ColumnType::kInt8));
                   }
                 }),
                 "columns");
}

TEST(Schema, FieldsOfAColumnOutOfRangeAreRefused) {
  const auto with = [](auto change) {
    return changed([&](TableSchema& s) { change(s.columns[0]); });
  };
  for (const int type : {0, 18, 255}) {
    expect_refused(with([&](ColumnSchema& c) { c.type = static_cast<ColumnType>(type); }), "type");
  }
  expect_refused(with([](ColumnSchema& c) { c.scale = 1; }), "scale of an integer");
  expect_refused(with([](ColumnSchema& c) { c.precision = 1; }), "precision of an integer");
  expect_refused(with([](ColumnSchema& c) { c.type = ColumnType::kDecimal64; }), "no precision");
  expect_refused(with([](ColumnSchema& c) {
                   c.type = ColumnType::kDecimal64;
                   c.precision = 19;
                 }),
                 "precision");
  expect_refused(with([](ColumnSchema& c) {
                   c.type = ColumnType::kDecimal128;
                   c.precision = 38;
                   c.scale = 39;
                 }),
                 "scale");
  expect_refused(with([](ColumnSchema& c) { c.unit = static_cast<TimeUnit>(4); }), "unit");
  expect_refused(with([](ColumnSchema& c) { c.text = static_cast<ValueText>(19); }), "text");
  expect_refused(with([](ColumnSchema& c) { c.quoting = static_cast<Quoting>(2); }), "quoting");
  expect_refused(with([](ColumnSchema& c) { c.null_text = std::string(256, 'n'); }), "null text");
  expect_refused(with([](ColumnSchema& c) { c.spelling.assign(256, 'n'); }), "spelling");
}

TEST(Schema, OnlyExactTablesHaveSpellingsOfRows) {
  const auto not_exact = [](bool spelled) {
    return changed([spelled](TableSchema& s) {
      s.exact = false;
      s.columns[0].null_text = "NA";
      s.columns[0].spelling = "nf";
      s.columns[0].spelled = spelled;
    });
  };
  expect_round_trip(not_exact(false));
  expect_refused(not_exact(true), "spellings");
}

TEST(Schema, ReservedBitsAndOtherSizesAreABadSchema) {
  const std::vector<Byte> sound = serialise_schema(small_schema());
  std::vector<Byte> longer = sound;
  longer.push_back(0);
  EXPECT_EQ(code_of(parse_schema(longer)), ErrorCode::kBadSchema);
  for (std::size_t size = 0; size < sound.size(); ++size) {
    EXPECT_EQ(code_of(parse_schema(Bytes(sound).first(size))), ErrorCode::kBadSchema);
  }
  for (const std::size_t flags : {1u, 5u}) {  // of the table, of its text
    for (int bit = flags == 1 ? 1 : 6; bit < 8; ++bit) {
      std::vector<Byte> changed_bit = sound;
      changed_bit[flags] |= static_cast<Byte>(1u << bit);
      EXPECT_EQ(code_of(parse_schema(changed_bit)), ErrorCode::kBadSchema);
    }
  }
  // The last column's flags, before its details, the place of its name, and its zone; a null text
  // or a spelling that is announced must follow, and a spelling is not empty.
  const std::size_t flags = sound.size() - 1 - 5 - 2 - (1 + 13);
  ASSERT_EQ(sound[flags], 1 | 32 | 64 | 128);
  for (int bit = 2; bit < 7; ++bit) {
    std::vector<Byte> changed_bit = sound;
    changed_bit[flags] ^= static_cast<Byte>(1u << bit);
    EXPECT_EQ(parse_schema(changed_bit).ok(), bit == 4) << bit;
    changed_bit.resize(sound.size() + 1);
    EXPECT_EQ(parse_schema(changed_bit).ok(), bit == 2) << bit;
  }
}

TEST(Schema, ThatClaimsManyColumnsTakesNoMemory) {
  std::vector<Byte> payload(8u << 20);
  std::fill_n(payload.data(), 4, Byte{0xFF});
  test::reset_largest_allocation();
  EXPECT_EQ(code_of(parse_schema(payload)), ErrorCode::kBadSchema);
  EXPECT_LT(test::largest_allocation(), 1u << 20);
}

TEST(Schema, MutationsAreParsedToWhatTheySayOrABadSchema) {
  const std::vector<Byte> sound = serialise_schema(changed([](TableSchema& s) {
    s.columns[0].null_text = "NA";
    s.columns[2].spelling = "t";
    s.columns[2].spelled = true;
    s.columns[1] = column_of("j", ColumnType::kUtf8);
    s.columns[1].text = ValueText::kRawJson;
    s.columns[1].fields = NestedFields(
        {{".a", type_of("decimal(18,2)")}, {".ab[*]", type_of("date")}, {"[*]", type_of("bool")}});
  }));
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<Byte> mutated = sound;
    for (auto flips = random() % 4 + 1; flips > 0; --flips) {
      mutated[random() % mutated.size()] = static_cast<Byte>(random());
    }
    if (random() % 8 == 0) mutated.resize(random() % (mutated.size() + 40));
    const auto parsed = parse_schema(mutated);
    if (parsed.ok()) {
      EXPECT_EQ(serialise_schema(*parsed), mutated);
    } else {
      EXPECT_EQ(parsed.error().code, ErrorCode::kBadSchema);
    }
  }
}

TEST(Schema, ColumnsAreTheSameWhateverTheirText) {
  const TableSchema first = small_schema();
  EXPECT_TRUE(check_same_columns(first, changed([](TableSchema& s) {
                                   s.text = TextForm{};
                                   s.exact = false;
                                   s.columns[0].nullable = false;
                                   s.columns[0].quoting = Quoting::kAlways;
                                 }))
                  .ok());
  const auto differs = [&](auto change) {
    const Status status = check_same_columns(first, changed(change));
    EXPECT_EQ(code_of(status), ErrorCode::kBadSchema);
  };
  differs([](TableSchema& s) { s.columns.pop_back(); });
  differs([](TableSchema& s) { s.columns[0].name = "key"; });
  differs([](TableSchema& s) { s.columns[0].type = ColumnType::kInt64; });
  differs([](TableSchema& s) { s.columns[2].unit = TimeUnit::kNano; });
  differs([](TableSchema& s) { s.columns[2].zone = ""; });
  differs([](TableSchema& s) { s.columns[2].scale = 1; });
}

}  // namespace
}  // namespace presso::tables::schema_test
