// SPDX-License-Identifier: MIT
// The source of kernels for typical shapes of questions: the text is compared with
// tests/golden/kernels, so that a review sees what changes, and compiled for each architecture with
// nothing but the headers that the program carries inside it, where NVRTC is installed. Run with
// PRESSO_WRITE_GOLDEN=1 in the environment the test writes the texts anew.
#include "query/gpu/code/kernel_source.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "query/gpu/code/nvrtc_library.h"
#include "query/gpu/kernels/column_forms.h"
#include "tests/support/places.h"

namespace presso::kernel_source_test {
namespace {

using gpu::ConditionStep;
using gpu::GroupPlace;
using gpu::KernelSource;
using gpu::Pipeline;
using gpu::PipelineCell;
using gpu::PipelineStep;
using gpu::QueryShape;
using gpu::RegisterPlace;

constexpr std::uint32_t kSharedBytes = 227 << 10;

RegisterPlace narrow(Byte number) {
  return {number};
}
RegisterPlace wide(Byte number) {
  return {static_cast<Byte>(number | RegisterPlace::kWide)};
}

/// A pipeline, part by part.
struct Made {
  Pipeline pipeline;
  QueryShape shape;

  Made() { shape.most_shared_bytes = kSharedBytes; }
  void add_column(Byte width, bool has_nulls = false) {
    shape.columns.push_back({width, has_nulls});
    pipeline.columns = static_cast<Byte>(shape.columns.size());
  }
  /// A range of the column's values, which must hold.
  void add_range(Byte column) {
    const auto leaf = static_cast<Byte>(shape.leaves.size());
    shape.leaves.push_back({});
    pipeline.conditions[pipeline.condition_steps++] = {ConditionStep::Kind::kValues, column, leaf};
    pipeline.conditions[pipeline.condition_steps++] = {ConditionStep::Kind::kKeep, 0, 0};
    pipeline.early_columns |= static_cast<std::uint16_t>(1u << column);
  }
  PipelineStep& add_step(PipelineStep::Kind kind, RegisterPlace to) {
    PipelineStep& step = pipeline.program[pipeline.steps++];
    step.kind = kind;
    step.to = to;
    return step;
  }
  void add_load(Byte column, RegisterPlace to,
                PipelineStep::Kind kind = PipelineStep::Kind::kLoad) {
    add_step(kind, to).column = column;
    pipeline.program_columns |= static_cast<std::uint16_t>(1u << column);
    pipeline.early_columns |= static_cast<std::uint16_t>(1u << column);
  }
  void add_binary(PipelineStep::Kind kind, RegisterPlace to, RegisterPlace a, RegisterPlace b) {
    PipelineStep& step = add_step(kind, to);
    step.a = a;
    step.b = b;
  }
  void add_cell(PipelineCell::Kind kind, RegisterPlace from = {}, Byte bits = 0) {
    PipelineCell& cell = pipeline.cell[pipeline.cells++];
    cell.kind = kind;
    cell.from = from;
    cell.bits = bits;
  }
  /// An array that gets a value of each row.
  void add_output(RegisterPlace from) {
    gpu::RowOutput& output = pipeline.output[pipeline.outputs++];
    output.from = from;
    output.to.is_wide = from.is_wide();
  }
  /// A step of a join, which reads `a`.
  PipelineStep& add_join(PipelineStep::Kind kind, Byte number, RegisterPlace to, RegisterPlace a) {
    PipelineStep& step = add_step(kind, to);
    step.column = number;
    step.a = a;
    return step;
  }
  std::string text() const {
    const Result<KernelSource> made = gpu::source_of(pipeline, shape);
    EXPECT_TRUE(made.ok()) << made.error().text();
    return made.ok() ? made->text : "";
  }
};

/// sum(a * b) where three columns are in ranges: TPC-H's Q6.
Made sum_of_products() {
  Made made;
  for (const int width : {12, 4, 6, 24}) made.add_column(static_cast<Byte>(width));
  for (const int column : {0, 1, 2}) made.add_range(static_cast<Byte>(column));
  made.add_load(3, narrow(0));
  made.add_load(1, narrow(1));
  made.add_binary(PipelineStep::Kind::kMultiply, wide(2), narrow(0), narrow(1));
  made.add_cell(PipelineCell::Kind::kSum, wide(2));
  made.pipeline.place = GroupPlace::kDevice;
  return made;
}

/// Sums by two dictionaries of few strings: TPC-H's Q1 with fewer of them.
Made sums_by_strings() {
  Made made;
  for (const int width : {12, 2, 1, 6, 24}) made.add_column(static_cast<Byte>(width));
  made.shape.columns[1].has_few_codes = true;
  made.shape.columns[2].codes_are_numbers = true;
  made.add_range(0);
  made.add_load(1, narrow(0), PipelineStep::Kind::kLoadCode);
  made.add_load(2, narrow(1), PipelineStep::Kind::kLoadCode);
  PipelineStep& times = made.add_step(PipelineStep::Kind::kMultiply, narrow(2));
  times.a = narrow(1);
  times.b_is_constant = true;
  times.constant = 3;
  made.add_binary(PipelineStep::Kind::kAdd, narrow(3), narrow(0), narrow(2));
  made.add_load(3, narrow(4));
  made.add_load(4, narrow(5));
  made.add_binary(PipelineStep::Kind::kMultiply, wide(6), narrow(4), narrow(5));
  made.pipeline.has_groups = true;
  made.pipeline.group_register = narrow(3);
  made.pipeline.groups = 6;
  made.pipeline.place = GroupPlace::kDevice;
  made.add_cell(PipelineCell::Kind::kCount);
  made.add_cell(PipelineCell::Kind::kSum, narrow(4), 6);
  made.add_cell(PipelineCell::Kind::kSum, narrow(5), 24);
  made.add_cell(PipelineCell::Kind::kSumLow, wide(6), 30);
  made.add_cell(PipelineCell::Kind::kSumHigh, wide(6), 30);
  made.add_cell(PipelineCell::Kind::kMax, narrow(5));
  return made;
}

/// The sum of a column that may be null, of rows that two ranges or a null select.
Made sum_of_column() {
  Made made;
  made.add_column(17, true);
  made.add_column(9, true);
  made.shape.leaves = {{2, false}};
  made.pipeline.conditions[0] = {ConditionStep::Kind::kValues, 0, 0};
  made.pipeline.conditions[1] = {ConditionStep::Kind::kNull, 0, 0};
  made.pipeline.conditions[2] = {ConditionStep::Kind::kOr, 0, 0};
  made.pipeline.conditions[3] = {ConditionStep::Kind::kKeep, 0, 0};
  made.pipeline.condition_steps = 4;
  made.pipeline.place = GroupPlace::kColumns;
  made.pipeline.program_columns = 2;
  made.pipeline.early_columns = 3;
  made.pipeline.nullable_columns = 2;
  made.add_cell(PipelineCell::Kind::kSum);
  made.pipeline.cell[0].column = 1;
  made.pipeline.cell[0].valid_columns = 2;
  return made;
}

/// The greatest number of 40 bits and the sum of a product with it, where it is in a range; all
/// vectors are usual.
Made numbers_of_40_bits() {
  Made made;
  made.add_column(40);
  made.add_column(7);
  made.add_range(0);
  made.add_load(0, wide(0));
  made.add_load(1, narrow(2));
  made.add_binary(PipelineStep::Kind::kMultiply, wide(3), wide(0), narrow(2));
  made.add_cell(PipelineCell::Kind::kMax, wide(0));
  made.add_cell(PipelineCell::Kind::kSum, wide(3));
  made.pipeline.place = GroupPlace::kDevice;
  made.shape.has_others = false;
  return made;
}

/// Sums by keys that are found in a table, of rows that a step of the program selects.
Made sums_by_keys() {
  Made made;
  for (const int width : {31, 12}) made.add_column(static_cast<Byte>(width));
  made.add_load(0, wide(0));
  made.add_load(1, narrow(2));
  PipelineStep& least = made.add_step(PipelineStep::Kind::kLess, narrow(3));
  least.a = narrow(2);
  least.b_is_constant = true;
  least.constant = 99;
  made.add_step(PipelineStep::Kind::kFilter, {}).a = narrow(3);
  made.add_step(PipelineStep::Kind::kGroup, narrow(4)).a = wide(0);
  made.pipeline.has_groups = true;
  made.pipeline.group_register = narrow(4);
  made.pipeline.place = GroupPlace::kTable;
  made.add_cell(PipelineCell::Kind::kCount);
  made.add_cell(PipelineCell::Kind::kSum, narrow(2), 12);
  return made;
}

/// Rows whose groups are made in parts: as before, but what they add is written, among it a sum in
/// two pieces.
Made rows_of_parts() {
  Made made = sums_by_keys();
  --made.pipeline.steps;
  made.pipeline.group_register = wide(0);
  made.pipeline.place = GroupPlace::kParts;
  for (const gpu::RealPart part : {gpu::RealPart::kIntegerBits, gpu::RealPart::kIntegerTop}) {
    made.add_cell(PipelineCell::Kind::kSum, wide(0));
    PipelineCell& cell = made.pipeline.cell[made.pipeline.cells - 1];
    cell.part = part;
    cell.column = part == gpu::RealPart::kIntegerTop ? 1 : 0;
  }
  made.pipeline.outputs = 5;
  for (const int wide_array : {0, 3, 4}) made.pipeline.output[wide_array].to.is_wide = true;
  return made;
}

/// Two values of each row, one of them null where its column is.
Made written_rows() {
  Made made;
  made.add_column(17, true);
  made.add_column(9);
  made.add_range(1);
  made.add_load(0, wide(0));
  made.add_load(1, narrow(2));
  made.pipeline.nullable_columns = 1;
  made.pipeline.place = GroupPlace::kRows;
  made.add_output(wide(0));
  made.add_output(narrow(2));
  return made;
}

/// Sums of a wide value of one table by a key of another, which the rows of both are joined with:
/// by an array, and by a table of keys.
Made joined_sums() {
  Made made;
  for (const int width : {20, 11, 24}) made.add_column(static_cast<Byte>(width));
  made.add_range(2);
  made.pipeline.lookups[0].form = gpu::LookupForm::kArray;
  made.pipeline.lookups[1].form = gpu::LookupForm::kTable;
  made.pipeline.arrays[1].is_wide = true;
  made.add_load(0, narrow(0));
  made.add_join(PipelineStep::Kind::kFind, 0, narrow(1), narrow(0));
  made.add_load(1, narrow(2));
  made.add_join(PipelineStep::Kind::kFindOrNone, 1, narrow(3), narrow(2));
  made.add_join(PipelineStep::Kind::kGather, 0, narrow(4), narrow(1)).constant = 7;
  made.add_join(PipelineStep::Kind::kGather, 1, wide(5), narrow(3));
  made.pipeline.has_groups = true;
  made.pipeline.group_register = narrow(4);
  made.pipeline.groups = 8;
  made.pipeline.place = GroupPlace::kDevice;
  made.add_cell(PipelineCell::Kind::kCount);
  made.add_cell(PipelineCell::Kind::kSum, wide(5));
  return made;
}

/// The same where both tables may have several rows of a key, whose pairs are checked, and groups
/// are in their order.
Made joined_pairs() {
  Made made = joined_sums();
  static std::uint32_t next[1];
  made.pipeline.lookups[0].next = made.pipeline.lookups[1].next = next;
  PipelineStep& check = made.add_join(PipelineStep::Kind::kCheckOrNone, 1, narrow(7), narrow(3));
  check.b = narrow(4);
  made.add_join(PipelineStep::Kind::kGather, 1, wide(5), narrow(7));
  made.add_join(PipelineStep::Kind::kGather, 2, wide(8), narrow(1));
  made.pipeline.order_bits = 9;
  made.pipeline.order_register = wide(8);
  return made;
}

/// Pairs whose groups have places in a table, and pairs whose values are written.
Made joined_keys() {
  Made made = joined_pairs();
  made.add_step(PipelineStep::Kind::kGroup, narrow(10)).a = wide(5);
  made.pipeline.group_register = narrow(10);
  made.pipeline.place = GroupPlace::kTable;
  return made;
}
Made written_pairs() {
  Made made = joined_pairs();
  PipelineStep& filter = made.add_step(PipelineStep::Kind::kFilter, {});
  filter.a = narrow(4);
  made.pipeline.has_groups = false;
  made.pipeline.order_bits = 0;
  made.pipeline.cells = 0;
  made.pipeline.place = GroupPlace::kRows;
  made.add_output(wide(8));
  made.add_output(narrow(4));
  return made;
}

/// Build rows that have found no partner: they are rows of a table without columns, in an order of
/// their own.
Made build_rows() {
  Made made;
  made.pipeline.conditions[0] = {ConditionStep::Kind::kNoRows, 0, 0};
  made.pipeline.conditions[1] = {ConditionStep::Kind::kKeep, 0, 0};
  made.pipeline.condition_steps = 2;
  made.add_step(PipelineStep::Kind::kRow, narrow(0));
  made.add_join(PipelineStep::Kind::kGather, 0, narrow(1), narrow(0));
  made.add_join(PipelineStep::Kind::kGather, 1, wide(2), narrow(0));
  made.pipeline.arrays[1].is_wide = true;
  made.pipeline.has_groups = true;
  made.pipeline.group_register = narrow(1);
  made.pipeline.groups = 8;
  made.pipeline.place = GroupPlace::kDevice;
  made.pipeline.order_bits = gpu::kWholeOrder;
  made.pipeline.order_register = wide(2);
  made.add_cell(PipelineCell::Kind::kCount);
  made.shape.has_others = false;
  return made;
}

/// A count where a column is in one of many intervals, or in others.
Made any_intervals() {
  Made made;
  made.add_column(12, true);
  made.add_range(0);
  made.shape.leaves[0].is_any = true;
  for (int i = 0; i < 7; ++i) {
    made.add_range(0);
    made.shape.leaves.back().intervals = 8;
  }
  return made;
}

/// Rows are searched among ascending keys, and mark what they find.
Made marked_rows() {
  Made made;
  made.add_column(30, true);
  made.pipeline.nullable_columns = 1;
  made.pipeline.lookups[0].form = gpu::LookupForm::kAscending;
  made.add_load(0, wide(0));
  made.add_join(PipelineStep::Kind::kFindNone, 0, {}, wide(0));
  made.add_join(PipelineStep::Kind::kFind, 1, narrow(2), wide(0));
  made.add_join(PipelineStep::Kind::kMarkOnly, 1, {}, narrow(2));
  made.pipeline.place = GroupPlace::kDevice;
  return made;
}

/// An exact sum of products of doubles where another one is in a range, and the least of floats;
/// doubles are stored in two parts or as decimal numbers, floats as they lie in memory.
Made sum_of_doubles() {
  Made made;
  made.add_column(12);
  made.add_column(52);
  made.shape.columns[1].real_form = gpu::RealForm::kAlpRd;
  made.shape.columns[1].width2 = 3;
  made.add_column(0);
  made.add_column(21);
  made.shape.columns[3].real_form = gpu::RealForm::kAlp;
  for (const int column : {1, 2, 3}) {
    made.shape.columns[column].real_bytes = column == 2 ? 4 : 8;
  }
  made.add_range(3);
  made.add_load(0, narrow(0));
  made.add_load(1, wide(1));
  made.add_load(2, narrow(3));
  const auto add_real = [&made](gpu::RealOperation operation, RegisterPlace to, RegisterPlace a,
                                RegisterPlace b) {
    made.add_binary(PipelineStep::Kind::kReal, to, a, b);
    made.pipeline.program[made.pipeline.steps - 1].column = static_cast<Byte>(operation);
  };
  PipelineStep& real = made.add_step(PipelineStep::Kind::kReal, wide(4));
  real.column = static_cast<Byte>(gpu::RealOperation::kOfInteger);
  real.b_is_constant = true;
  real.constant = std::bit_cast<std::int64_t>(100.0);
  add_real(gpu::RealOperation::kMultiply, wide(6), wide(1), wide(4));
  add_real(gpu::RealOperation::kOfFloat, wide(8), narrow(3), narrow(3));
  made.add_cell(PipelineCell::Kind::kSum, wide(6));
  made.pipeline.cell[0].part = gpu::RealPart::kSpecials;
  for (int limb = 0; limb < 3; ++limb) {
    made.add_cell(PipelineCell::Kind::kSum, wide(6));
    made.pipeline.cell[1 + limb].part = gpu::RealPart::kLimb;
    made.pipeline.cell[1 + limb].column = static_cast<Byte>(limb);
  }
  for (PipelineCell& cell : made.pipeline.cell) cell.unit = -60;
  made.pipeline.cell[0].column = 3;
  made.add_cell(PipelineCell::Kind::kMin, wide(8));
  made.pipeline.cell[4].part = gpu::RealPart::kOrder;
  made.pipeline.place = GroupPlace::kDevice;
  return made;
}

struct Named {
  const char* name;
  Made (*make)();
};

class Sources : public testing::TestWithParam<Named> {};

TEST_P(Sources, AreAsTheyWere) {
  const std::string text = GetParam().make().text();
  const auto path =
      tests::tests_folder() / "golden/kernels" / (std::string(GetParam().name) + ".txt");
  if (std::getenv("PRESSO_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(golden.str(), text) << path;
}

TEST_P(Sources, CompileWithoutAnyFile) {
  const auto nvrtc = gpu::NvrtcLibrary::open();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.error().text();
  const std::string text = GetParam().make().text();
  for (const char* const architecture : {"sm_80", "sm_90", "sm_100"}) {
    const auto made = nvrtc->compile(text, {architecture}, gpu::embedded_headers());
    EXPECT_TRUE(made.ok()) << architecture << ": " << made.error().text();
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Sources,
    testing::Values(Named{"sum_of_products", sum_of_products},
                    Named{"sums_by_strings", sums_by_strings},
                    Named{"sum_of_column", sum_of_column},
                    Named{"numbers_of_40_bits", numbers_of_40_bits},
                    Named{"sums_by_keys", sums_by_keys}, Named{"rows_of_parts", rows_of_parts},
                    Named{"sum_of_doubles", sum_of_doubles}, Named{"written_rows", written_rows},
                    Named{"joined_sums", joined_sums}, Named{"joined_pairs", joined_pairs},
                    Named{"joined_keys", joined_keys}, Named{"written_pairs", written_pairs},
                    Named{"marked_rows", marked_rows}, Named{"build_rows", build_rows},
                    Named{"any_intervals", any_intervals}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(KernelSource, IsTheSameForOtherConstants) {
  Made one = sums_by_strings();
  Made other = sums_by_strings();
  other.pipeline.program[2].constant = 7;
  EXPECT_EQ(one.text(), other.text());
  other.shape.columns[0].width = 13;
  EXPECT_NE(one.text(), other.text());
}

/// Forms of build sides are part of the code, their places and sizes are not.
TEST(KernelSource, IsTheSameForOtherBuildSides) {
  Made one = joined_sums();
  Made other = joined_sums();
  other.pipeline.lookups[0].last = 1000;
  other.pipeline.arrays[0].count = 1001;
  EXPECT_EQ(one.text(), other.text());
  other.pipeline.lookups[0].form = gpu::LookupForm::kTable;
  EXPECT_NE(one.text(), other.text());
  other = joined_sums();
  other.pipeline.arrays[1].is_wide = false;
  EXPECT_NE(one.text(), other.text());
  EXPECT_NE(one.text(), joined_pairs().text());
}

/// Those for which there is no room among the arguments are looked up in the leaf.
TEST(KernelSource, HasFewTests) {
  const Made made = any_intervals();
  const Result<KernelSource> source = gpu::source_of(made.pipeline, made.shape);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->tests.size(), gpu::kMostConditionTests);
  for (const char* const leaf : {"integer_leaf<0, 0>(c)", "integer_leaf<5, 0>(c)"}) {
    EXPECT_NE(source->text.find(leaf), std::string::npos) << leaf;
  }
  EXPECT_EQ(source->text.find("integer_leaf<4, 0>"), std::string::npos);
}

TEST(ColumnForms, TakesTheFormOfMostVectors) {
  gpu::ColumnForms forms;
  for (int i = 0; i < 3; ++i) forms.count(true, 12, 100);
  for (int i = 0; i < 2; ++i) forms.count(true, 11, 100);
  for (int i = 0; i < 9; ++i) forms.count(false, 40, 1);
  gpu::ColumnForms all = forms;
  all.add(forms);
  all.count_others(5);
  EXPECT_EQ(all.vectors(), 33u);
  EXPECT_EQ(all.most().width, 12);
  EXPECT_EQ(all.most().divisor, 100u);
  EXPECT_EQ(all.most().vectors, 6u);
  EXPECT_EQ(all.most_of(11).vectors, 4u);
  EXPECT_EQ(all.most_of(11).divisor, 100u);
  EXPECT_EQ(all.most_of(7).vectors, 0u);
  EXPECT_EQ(gpu::ColumnForms().most().vectors, 0u);
}

TEST(ColumnForms, HaveVectorsOfOneValueInEveryForm) {
  gpu::ColumnForms forms;
  forms.count(true, 0, 7);
  EXPECT_EQ(forms.most().width, 0);
  EXPECT_EQ(forms.most().vectors, 1u);
  forms.count(true, 12, 60);
  forms.count(true, 13, 90);
  forms.count(true, 13, 90);
  EXPECT_EQ(forms.most().width, 13);
  EXPECT_EQ(forms.most().vectors, 3u);
  EXPECT_EQ(forms.common_divisor(), 30u);
}

TEST(ColumnForms, TellsKindsOfDoublesApart) {
  gpu::ColumnForms forms;
  constexpr Byte kAlp = 5;
  constexpr Byte kAlpRd = 6;
  for (int i = 0; i < 2; ++i) forms.count_real(kAlpRd, 52, 2);
  for (int i = 0; i < 3; ++i) forms.count_real(kAlpRd, 52, 3);
  for (int i = 0; i < 2; ++i) forms.count_real(kAlp, 52, 3);
  EXPECT_EQ(forms.vectors(), 7u);
  EXPECT_EQ(forms.most().kind, kAlpRd);
  EXPECT_EQ(forms.most().width2, 3);
  EXPECT_EQ(forms.most().vectors, 3u);
}

/// A hostile file has more forms than are told apart, which then count as others.
TEST(ColumnForms, KeepsFewForms) {
  gpu::ColumnForms forms;
  for (std::uint64_t divisor = 1; divisor <= 100000; ++divisor) forms.count(true, 8, divisor);
  EXPECT_EQ(forms.vectors(), 100000u);
  EXPECT_EQ(forms.most().vectors, 1u);
}

}  // namespace
}  // namespace presso::kernel_source_test
