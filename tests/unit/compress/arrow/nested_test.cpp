// SPDX-License-Identifier: MIT
// Nested arrays as JSON text, and arrays that contradict themselves or their type. What is written
// is read back by python/tests/test_nested.py, too, for random types.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "compress/arrow/arrow_column.h"

namespace presso::nested_arrow_test {
namespace {

template <class T>
std::vector<Byte> bytes_of(std::initializer_list<T> values) {
  std::vector<Byte> bytes;
  for (const T value : values) append_value(bytes, value);
  return bytes;
}
std::vector<Byte> offsets(std::initializer_list<std::int32_t> values) {
  return bytes_of<std::int32_t>(values);
}
std::vector<Byte> text(std::string_view letters) {
  return {letters.begin(), letters.end()};
}

/// An array with its type, as another library might make them.
struct Node {
  std::string format;
  std::int64_t rows = 0;
  std::vector<std::vector<Byte>> bytes = {};  ///< of buffers; those without bytes are null pointers
  std::deque<Node> inner = {};
  std::deque<Node> dictionary = {};
  std::string name = {};

  ArrowSchema schema = {};
  ArrowArray array = {};
  std::vector<const void*> buffers = {};
  std::vector<ArrowSchema*> schemas = {};
  std::vector<ArrowArray*> arrays = {};

  /// Must be called when the node lies where it stays.
  Node& done() {
    for (const auto& one : bytes) buffers.push_back(one.empty() ? nullptr : one.data());
    for (Node& one : inner) {
      schemas.push_back(&one.done().schema);
      arrays.push_back(&one.array);
    }
    const auto count = static_cast<std::int64_t>(inner.size());
    Node* const values = dictionary.empty() ? nullptr : &dictionary[0].done();
    schema = {format.c_str(),
              name.c_str(),
              nullptr,
              ARROW_FLAG_NULLABLE,
              count,
              schemas.data(),
              values == nullptr ? nullptr : &values->schema,
              nullptr,
              nullptr};
    array = {rows,
             -1,
             0,
             static_cast<std::int64_t>(buffers.size()),
             count,
             buffers.data(),
             arrays.data(),
             values == nullptr ? nullptr : &values->array,
             nullptr,
             nullptr};
    return *this;
  }
};

/// The texts of all rows, "-" for null, or what is wrong.
std::string texts_of(Node& node) {
  node.schema.name = "c";
  auto column = ArrowColumn::make(node.schema);
  if (!column.ok()) return column.error().what;
  const Status begun = column->begin(node.array, 0);
  if (!begun.ok()) return begun.error().what;
  const auto rows = static_cast<std::uint64_t>(node.array.length);
  const auto view = column->view(node.array, static_cast<std::uint64_t>(node.array.offset), rows,
                                 std::uint64_t{1} << 30);
  if (!view.ok()) return view.error().what;
  std::string all;
  for (std::uint64_t row = 0; row < view->rows; ++row) {
    if (row > 0) all += ' ';
    if (view->is_null(row)) {
      all += '-';
      continue;
    }
    const Bytes one = view->string(row);
    all.append(one.begin(), one.end());
  }
  return all;
}

Node numbers(std::initializer_list<std::int64_t> values) {
  return {"l", static_cast<std::int64_t>(values.size()), {{}, bytes_of<std::int64_t>(values)}};
}
Node list(std::string format, std::int64_t rows, std::vector<std::vector<Byte>> bytes, Node child) {
  Node node{std::move(format), rows, std::move(bytes)};
  node.inner.push_back(std::move(child));
  return node;
}
Node words() {
  return {"u", 3, {{}, offsets({0, 1, 1, 4}), text("ab\"c")}, {}, {}, "w"};
}

TEST(NestedArrow, ListsStructsAndMapsAreJson) {
  Node lists = list("+l", 3, {{0b101}, offsets({0, 2, 2, 3})}, numbers({1, -2, 3}));
  EXPECT_EQ(texts_of(lists.done()), "[1,-2] - [3]");
  Node pair{"+s", 3, {{0b011}}};
  pair.inner.push_back(words());
  pair.inner.push_back(numbers({7, 8, 9}));
  pair.inner[1].name = "a b";
  EXPECT_EQ(texts_of(pair.done()), R"({"w":"a","a b":7} {"w":"","a b":8} -)");
  Node entries{"+s", 3, {{}}};
  entries.inner.push_back(numbers({1, 2, 3}));
  entries.inner.push_back(words());
  Node map = list("+m", 2, {{}, offsets({0, 2, 3})}, std::move(entries));
  EXPECT_EQ(texts_of(map.done()), R"({"1":"a","2":""} {"3":"b\"c"})");
  Node fixed = list("+w:2", 2, {{}}, numbers({1, 2, 3, 4}));
  EXPECT_EQ(texts_of(fixed.done()), "[1,2] [3,4]");
  Node view = list("+vl", 2, {{}, offsets({1, 0}), offsets({2, 1})}, numbers({1, 2, 3}));
  EXPECT_EQ(texts_of(view.done()), "[2,3] [1]");
}

TEST(NestedArrow, ValuesHaveOneTextEach) {
  Node reals = list("+l", 1, {{}, offsets({0, 4})},
                    {"g", 4, {{}, bytes_of<double>({1, -0.0, 1.0 / 0.0, 0.0 / 0.0})}});
  EXPECT_EQ(texts_of(reals.done()), "[1.0,-0.0,Infinity,NaN]");
  Node dates = list("+l", 1, {{}, offsets({0, 3})},
                    {"tdD", 3, {{}, bytes_of<std::int32_t>({19753, -719163, 2932897})}});
  EXPECT_EQ(texts_of(dates.done()), R"(["2024-01-31",-719163,2932897])");
  Node times = list("+l", 1, {{}, offsets({0, 1})},
                    {"tsm:UTC", 1, {{}, bytes_of<std::int64_t>({1706745599123})}});
  EXPECT_EQ(texts_of(times.done()), R"(["2024-01-31T23:59:59.123Z"])");
  Node money = list("+l", 1, {{}, offsets({0, 2})},
                    {"d:5,2,32", 2, {{}, bytes_of<std::int32_t>({150, -7})}});
  EXPECT_EQ(texts_of(money.done()), "[1.50,-0.07]");
  Node raw = list("+l", 1, {{}, offsets({0, 1})}, {"z", 1, {{}, offsets({0, 2}), {0x0F, 0xA0}}});
  EXPECT_EQ(texts_of(raw.done()), R"(["0fa0"])");
}

TEST(NestedArrow, DictionariesAndRunsWithinAreTheirValues) {
  Node coded{"c", 3, {{0b011}, bytes_of<std::int8_t>({2, 0, 9})}};
  coded.dictionary.push_back(words());
  Node lists = list("+l", 1, {{}, offsets({0, 3})}, std::move(coded));
  EXPECT_EQ(texts_of(lists.done()), R"(["b\"c","a",null])");
  Node runs{"+r", 5};
  runs.inner.push_back({"i", 2, {{}, offsets({2, 5})}});
  runs.inner.push_back({"l", 2, {{0b01}, bytes_of<std::int64_t>({4, 0})}});
  Node inside = list("+l", 1, {{}, offsets({0, 5})}, std::move(runs));
  EXPECT_EQ(texts_of(inside.done()), "[4,4,null,null,null]");
}

/// What is said of a list of numbers after a change.
std::string said_of_list(const std::function<void(Node&)>& change) {
  Node node = list("+l", 2, {{}, offsets({0, 1, 2})}, numbers({1, 2}));
  node.done();
  change(node);
  return texts_of(node);
}

void expect_said(const std::string& said, const char* part) {
  EXPECT_NE(said.find("column 'c'"), std::string::npos) << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(NestedArrow, ArraysThatContradictThemselvesAreRefused) {
  expect_said(said_of_list([](Node& node) { node.array.n_children = 0; }), "number of children");
  expect_said(said_of_list([](Node& node) { node.array.children = nullptr; }), "no children");
  expect_said(said_of_list([](Node& node) { node.arrays[0] = nullptr; }), "no children");
  expect_said(said_of_list([](Node& node) { node.array.n_buffers = 1; }), "number of buffers");
  expect_said(said_of_list([](Node& node) { node.array.buffers = nullptr; }), "number of buffers");
  expect_said(said_of_list([](Node& node) { node.buffers[1] = nullptr; }), "has no values");
  expect_said(said_of_list([](Node& node) { node.array.null_count = 1; }), "has nulls");
  expect_said(said_of_list([](Node& node) { node.inner[0].array.length = 1; }), "row 2: offsets");
  expect_said(said_of_list([](Node& node) { node.inner[0].array.length = -1; }), "length");
  expect_said(said_of_list([](Node& node) { node.inner[0].buffers[1] = nullptr; }), "no values");
  expect_said(said_of_list([](Node& node) { node.inner[0].array.dictionary = &node.array; }),
              "dictionary");
  const auto falls = [](Node& node) { store<std::int32_t>(node.bytes[1].data() + 8, -1); };
  expect_said(said_of_list(falls), "row 2: offsets");
  Node fixed = list("+w:3", 2, {{}}, numbers({1, 2, 3, 4, 5}));
  expect_said(texts_of(fixed.done()), "fewer rows");
  Node pair{"+s", 2, {{}}};
  pair.inner.push_back(numbers({1}));
  expect_said(texts_of(pair.done()), "fewer rows");
  Node view = list("+vl", 1, {{}, offsets({1}), offsets({2})}, numbers({1, 2}));
  expect_said(texts_of(view.done()), "offsets beyond the child");
  Node coded{"c", 1, {{}, bytes_of<std::int8_t>({-1})}};
  coded.dictionary.push_back(words());
  Node codes = list("+l", 1, {{}, offsets({0, 1})}, std::move(coded));
  expect_said(texts_of(codes.done()), "a code beyond the dictionary");
  Node letters = list("+l", 1, {{}, offsets({0, 1})}, {"u", 1, {{}, offsets({0, 1}), {0xFF}}});
  expect_said(texts_of(letters.done()), "not UTF-8");
  Node wide = list("+l", 1, {{}, offsets({0, 1})},
                   {"d:76,0,256", 1, {{}, bytes_of<std::int64_t>({0, 0, 1, 0})}});
  expect_said(texts_of(wide.done()), "row 1: a decimal has more than 38 digits");
  Node late =
      list("+l", 1, {{}, offsets({0, 1})}, {"tdm", 1, {{}, bytes_of<std::int64_t>({86'400'001})}});
  expect_said(texts_of(late.done()), "no whole day");
}

/// Every kind of array within another.
Node everything() {
  Node entries{"+s", 3, {{}}};
  entries.inner.push_back(words());
  Node coded{"c", 3, {{0b011}, bytes_of<std::int8_t>({2, 0, 9})}};
  coded.dictionary.push_back(words());
  entries.inner.push_back(std::move(coded));
  Node runs{"+r", 2};
  runs.inner.push_back({"i", 2, {{}, offsets({1, 2})}});
  runs.inner.push_back({"l", 2, {{0b01}, bytes_of<std::int64_t>({4, 0})}});
  Node all{"+s", 2, {{0b11}}};
  all.inner.push_back(list("+m", 2, {{}, offsets({0, 2, 3})}, std::move(entries)));
  all.inner.push_back(list("+w:2", 2, {{}}, numbers({1, 2, 3, 4})));
  all.inner.push_back(list("+vl", 2, {{}, offsets({1, 0}), offsets({2, 1})}, numbers({1, 2, 3})));
  all.inner.push_back(std::move(runs));
  return all;
}

/// All nodes within one, itself among them.
void collect(Node& node, std::vector<Node*>& to) {
  to.push_back(&node);
  for (Node& one : node.inner) collect(one, to);
  for (Node& one : node.dictionary) collect(one, to);
}

/// Changes one thing of an array which does not make its buffers longer than they are.
void spoil(Node& node, std::mt19937& random) {
  ArrowArray& array = node.array;
  switch (random() % 8) {
    case 0:
      array.length -= static_cast<std::int64_t>(random() % 4);
      return;
    case 1:
      array.n_children -= 1;
      return;
    case 2:
      array.n_buffers -= 1;
      return;
    case 3:
      if (!node.buffers.empty()) node.buffers[random() % node.buffers.size()] = nullptr;
      return;
    case 4:
      if (!node.arrays.empty()) node.arrays[random() % node.arrays.size()] = nullptr;
      return;
    case 5:
      array.dictionary = nullptr;
      return;
    case 6:
      array.null_count = static_cast<std::int64_t>(random() % 3) - 1;
      return;
    default:
      // How many bytes of strings there are is not told.
      if (node.bytes.size() < 2 || node.bytes[1].empty() || node.format == "u") return;
      node.bytes[1][random() % node.bytes[1].size()] = static_cast<Byte>(random());
  }
}

TEST(NestedArrow, SpoiltArraysAreReadOrRefused) {
  std::mt19937 random(3);
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    Node all = everything();
    std::vector<Node*> nodes;
    collect(all.done(), nodes);
    spoil(*nodes[random() % nodes.size()], random);
    refused += texts_of(all).starts_with("column 'c'") ? 1 : 0;
  }
  Node sound = everything();
  EXPECT_TRUE(texts_of(sound.done()).starts_with(R"({"":{"a":)"));
  EXPECT_GT(refused, 1000u);
}

TEST(NestedArrow, RunsMustReachTheLastRow) {
  for (const std::int32_t last : {4, 5}) {
    Node runs{"+r", 5};
    runs.inner.push_back({"i", 2, {{}, offsets({2, last})}});
    runs.inner.push_back({"U", 2, {{}, bytes_of<std::int64_t>({0, 1, 3}), text("abc")}});
    const std::string said = texts_of(runs.done());
    if (last == 5) {
      EXPECT_EQ(said, "a a bc bc bc");
    } else {
      expect_said(said, "runs end before the rows");
    }
  }
}

TEST(NestedArrow, TypesThatCannotBeStoredAreNamedWithTheColumn) {
  Node inside = list("+l", 0, {{}, {}}, {"tDs", 0, {{}, {}}});
  expect_said(texts_of(inside.done()), "the Arrow type `tDs` cannot be stored");
  Node none{"+l", 0, {{}, {}}};
  expect_said(texts_of(none.done()), "the Arrow type `+l`");
  Node map = list("+m", 0, {{}, {}}, numbers({}));
  expect_said(texts_of(map.done()), "the Arrow type `+m`");
  Node both{"+us:0", 0, {{}}};
  both.inner.push_back(numbers({}));
  expect_said(texts_of(both.done()), "the Arrow type `+us:0`");
  std::deque<Node> deep(1, numbers({}));
  for (int i = 0; i < 70; ++i) deep.push_back(list("+l", 0, {{}, {}}, std::move(deep.back())));
  expect_said(texts_of(deep.back().done()), "the Arrow type `+l`");
}

}  // namespace
}  // namespace presso::nested_arrow_test
