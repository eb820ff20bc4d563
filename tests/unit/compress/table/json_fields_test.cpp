// SPDX-License-Identifier: MIT
// Typed fields within nested values of JSON lines.
#include "compress/table/text/json_fields.h"

#include "compress/table/text/json_inference.h"
#include "format/columns/schema.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::json_fields_test {
namespace {

using test::bytes_of;

JsonInference inference_of(std::string_view text) {
  TextForm form;
  form.kind = TextKind::kJsonLines;
  JsonInference inference{JsonText{form, JsonLayout::kLines}};
  inference.add(bytes_of(text), 1);
  return inference;
}

/// ".b int64, .c[*] date" of the first column.
std::string fields_of(const JsonInference& inference) {
  const auto schema = inference.finish();
  EXPECT_TRUE(schema.ok());
  if (!schema.ok()) return schema.error().what;
  std::string text;
  for (const NestedField& field : schema->columns[0].fields.all()) {
    text += (text.empty() ? "" : ", ") + field.path + " " + field_type_name(field);
  }
  return text;
}

/// The fields of a column that has these values.
std::string fields_of(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += "{\"a\":" + value + "}\n";
  return fields_of(inference_of(text));
}

TEST(JsonFields, HaveTheTypesThatColumnsHave) {
  EXPECT_EQ(fields_of({R"({"i":1,"u":18446744073709551615,"d":1.50,"x":1e5,"b":true,"s":"x"})",
                       R"({"i":-2,"u":0,"d":2.25,"x":2,"b":false,"s":"2024-01-01"})"}),
            ".b bool, .d decimal(18,2), .i int64, .u uint64, .x double");
  EXPECT_EQ(fields_of({R"({"d":"2024-12-31","t":"2024-12-31T23:59:59.500Z","v":"31.12.2024"})",
                       R"({"d":"2024-01-01","t":null,"n":null,"v":"30.12.2024"})"}),
            ".d date, .t timestamp(ms)");
}

TEST(JsonFields, OfSeveralKindsAreText) {
  EXPECT_EQ(fields_of({R"({"a":1,"b":1,"c":1,"d":true,"e":"2024-01-01","f":"5"})",
                       R"({"a":"x","b":[1],"c":{},"d":0,"e":5,"f":"6"})"}),
            ".b[*] int64");
}

TEST(JsonFields, ElementsOfArraysAreOneField) {
  EXPECT_EQ(fields_of({"[1, 2]", "[]", "[3.5, null]"}), "[*] double");
  EXPECT_EQ(fields_of({R"([{"k":1,"l":[[true]]}])", R"([ { "k" : 2 } , {"m" : {"n":3}} ])"}),
            "[*] json, [*].k int64, [*].l json, [*].l[*] json, [*].l[*][*] bool, [*].m json, "
            "[*].m.n int64");
}

TEST(JsonFields, MayBeArraysOrObjectsInAllRows) {
  EXPECT_EQ(fields_of({R"({"a":["x"],"b":{"k":"x"},"c":[],"d":{},"e":[]})",
                       R"({"a":null,"b":{"k":{}},"c":[[]],"e":"x"})"}),
            ".a json, .b json, .c json, .c[*] json, .d json");
}

TEST(JsonFields, KeysMayBeOfAnyCharacters) {
  EXPECT_EQ(
      fields_of({R"({"":1,"a b":1,"q\"\\":1,"\u0061":1,"x]}":{"y{\"":"}"},"z":1})",
                 R"({"a":2, "é.x" :1})"}),
      ".\"\" int64, .\"a b\" int64, .\"q\\\"\\\\\" int64, .\"x]}\" json, .\"\xC3\xA9.x\" int64, "
      ".a int64, .z int64");
}

TEST(JsonFields, DeepValuesAreText) {
  std::string value = "1";
  for (int i = 0; i < 10; ++i) value = "{\"k\":" + value + "}";
  EXPECT_TRUE(fields_of({value}).ends_with(".k json, .k.k.k.k.k.k.k.k.k.k int64"));
  EXPECT_TRUE(fields_of({"{\"k\":" + value + "}"}).ends_with(", .k.k.k.k.k.k.k.k.k.k json"));
}

TEST(JsonFields, PartsOfATextCanBeMerged) {
  const std::string first = "{\"a\":{\"i\":1,\"x\":1,\"t\":1,\"l\":[1]}}\n";
  const std::string second = "{\"b\":[1]}\n{\"a\":{\"n\":true,\"x\":2.5,\"t\":\"x\",\"l\":[-1]}}\n";
  JsonInference merged = inference_of(first);
  merged.merge(inference_of(second));
  EXPECT_EQ(fields_of(merged), ".i int64, .l json, .l[*] int64, .n bool, .x double");
  EXPECT_EQ(fields_of(merged), fields_of(inference_of(first + second)));
}

TEST(JsonFields, KeysThatAreDataAreNone) {
  std::string many;
  std::string few;
  for (std::size_t i = 0; i < kMostFields; ++i) {
    const std::string row =
        "{\"a\":{\"k" + std::to_string(i) + "\":1,\"text\":\"" + std::string(500, 'x') + "\"}}\n";
    many += row;
    if (i < 500) few += row;
  }
  EXPECT_EQ(fields_of(inference_of(many)), "");
  EXPECT_NE(fields_of(inference_of(few)), "");
  JsonInference merged = inference_of(few);
  merged.merge(inference_of(many));
  EXPECT_EQ(fields_of(merged), "");
  // Neither are they worth much more than the values.
  std::string short_rows;
  for (int i = 0; i < 500; ++i) short_rows += "{\"a\":{\"k" + std::to_string(i) + "\":1}}\n";
  EXPECT_EQ(fields_of(inference_of(short_rows)), "");
}

}  // namespace
}  // namespace presso::json_fields_test
