// SPDX-License-Identifier: MIT
// Window functions over random rows, compared with their definitions (window_model.h): all
// functions, frames, filters and orders, with one thread and two, in memory and by way of files.
#include "query/window/window.h"

#include <gtest/gtest.h>

#include <limits>

#include "corpora/random.h"
#include "tests/unit/query/window/window_model.h"

namespace presso::query::window_test {
namespace {

using window_model::is_null;
using window_model::Model;
using window_model::ModelTable;
using window_model::Value;
using window_model::Values;

enum Columns : std::size_t {
  kGroup,
  kKey,
  kReal,
  kWhole,
  kDecimal,
  kWide,
  kText,
  kBool,
  kDate,
  kTime,
  kFilter,
  kOffset,
  kShare,
  kSeparator,
  kSteps,
  kTiles,
};
constexpr const char* kTypes[] = {"int32",         "int32",         "double", "int64",
                                  "decimal(18,2)", "decimal(38,3)", "string", "bool",
                                  "date",          "timestamp(ms)", "bool",   "int32",
                                  "double",        "string",        "int32",  "int32"};

Value random_value(std::size_t column, corpora::Random& random) {
  const auto whole = [&](std::uint32_t limit, int from) {
    return Value(Int128{random.below(limit)} + from);
  };
  switch (column) {
    case kGroup:
      return whole(4, 0);
    case kKey:
      return whole(9, -3);
    case kReal:
      return (static_cast<double>(random.below(41)) - 20) / 4;
    case kWhole:
    case kDecimal:
      return whole(200, -100);
    case kWide:
      return Value((Int128{random.below(20)} - 10) * 1'000'000'000'000 * 1'000'000'000'000);
    case kText:
      return std::string(random.below(3), static_cast<char>('a' + random.below(3)));
    case kBool:
    case kFilter:
      return whole(2, 0);
    case kDate:
      return whole(10, 18'000);
    case kTime:
      return Value((Int128{random.below(10)}) * 3'600'000);
    case kOffset:
      return whole(4, 0);
    case kSteps:
      return whole(6, -2);
    default:
      return whole(5, 1);
  }
}

ModelTable random_table(std::size_t rows, corpora::Random& random) {
  ModelTable table;
  const double share = (static_cast<double>(random.below(201)) - 100) / 100;
  for (std::size_t column = 0; column < std::size(kTypes); ++column) {
    ColumnSchema schema = *parse_type(kTypes[column]);
    schema.name = "c" + std::to_string(column);
    Values values;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool never_null = column == kOffset || column == kShare || column == kSeparator;
      if (column == kShare) {
        values.emplace_back(share);
      } else if (column == kSeparator) {
        values.emplace_back(std::string("; "));
      } else if (!never_null && random.one_in(8)) {
        values.emplace_back();
      } else {
        values.push_back(random_value(column, random));
      }
    }
    table.schema.columns.push_back(schema);
    table.columns.push_back(std::move(values));
  }
  return table;
}

ColumnData stored_column(const ColumnSchema& schema, const Values& values) {
  ColumnData column;
  column.type = schema.type;
  column.rows = values.size();
  column.validity.resize((values.size() + 7) / 8);
  column.values.resize_discarding(0);
  if (is_string(schema.type)) column.offsets.push_back(0);
  std::vector<Byte> bits((values.size() + 7) / 8);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const bool null = is_null(values[row]);
    if (!null) column.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
    Byte bytes[16] = {};
    if (const double* real = std::get_if<double>(&values[row])) store(bytes, *real);
    if (const Int128* whole = std::get_if<Int128>(&values[row])) store(bytes, *whole);
    if (is_string(schema.type)) {
      const std::string text = null ? "" : std::get<std::string>(values[row]);
      column.values.append({reinterpret_cast<const Byte*>(text.data()), text.size()});
      column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
    } else if (schema.type == ColumnType::kBool) {
      if (bytes[0] != 0) bits[row / 8] |= static_cast<Byte>(1u << (row % 8));
    } else {
      column.values.append({bytes, value_bytes(schema.type)});
    }
  }
  if (schema.type == ColumnType::kBool) column.values.append(bits);
  return column;
}

KeptRows kept(const ModelTable& table) {
  KeepingSink sink({});
  EXPECT_TRUE(sink.begin(table.schema).ok());
  std::vector<ColumnData> columns;
  std::vector<ColumnView> views;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    columns.push_back(stored_column(table.schema.columns[i], table.columns[i]));
  }
  for (const ColumnData& column : columns) views.push_back(column.view());
  EXPECT_TRUE(sink.add(views).ok());
  return *sink.finish();
}

Value stored_value(const ColumnData& column, std::uint64_t row) {
  const ColumnView view = column.view();
  if (view.is_null(row)) return {};
  if (is_string(column.type)) {
    const Bytes text = view.string(row);
    return std::string(reinterpret_cast<const char*>(text.data()), text.size());
  }
  const Byte* const at = view.values + row * value_bytes(column.type);
  switch (column.type) {
    case ColumnType::kBool:
      return Int128{view.values[row / 8] >> (row % 8) & 1};
    case ColumnType::kDouble:
      return load<double>(at);
    case ColumnType::kInt32:
    case ColumnType::kDate32:
      return Int128{load<std::int32_t>(at)};
    case ColumnType::kDecimal128:
      return load<Int128>(at);
    default:
      return Int128{load<std::int64_t>(at)};
  }
}

Values column_of(const Table& table, std::size_t column) {
  Values values;
  for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
    const auto read = table.read(group, std::span(&column, 1), 0, table.row_group(group).rows);
    EXPECT_TRUE(read.ok());
    for (std::uint64_t row = 0; read.ok() && row < (*read)[0].rows; ++row) {
      values.push_back(stored_value((*read)[0], row));
    }
  }
  return values;
}

std::string text_of(const Value& value) {
  if (is_null(value)) return "null";
  if (const double* real = std::get_if<double>(&value)) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", *real);
    return text;
  }
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  return std::to_string(static_cast<long long>(std::get<Int128>(value)));
}

/// Moments are equal to nine digits; all else is equal.
bool agree(const Value& a, const Value& b, WindowKind kind) {
  const double* left = std::get_if<double>(&a);
  const double* right = std::get_if<double>(&b);
  if (left == nullptr || right == nullptr) return a == b;
  if (std::isnan(*left) || std::isnan(*right)) return std::isnan(*left) == std::isnan(*right);
  if (*left == *right) return true;
  const bool rough = kind >= WindowKind::kProduct || kind == WindowKind::kAvg;
  return rough && std::fabs(*left - *right) <= 1e-9 * std::max(1.0, std::fabs(*left));
}

QueryOptions options_of(unsigned threads, std::uint64_t memory = 0) {
  QueryOptions options;
  options.threads = threads;
  options.memory_bytes = memory;
  return options;
}

FrameBound random_bound(WindowFrame::Unit unit, ColumnType key, bool is_end,
                        corpora::Random& random) {
  using Kind = FrameBound::Kind;
  FrameBound bound;
  bound.kind = static_cast<Kind>(random.below(4) + (is_end ? 1 : 0));
  bound.offset.number = random.below(4);
  bound.offset.real = static_cast<double>(random.below(8)) / 4;
  if (unit != WindowFrame::Unit::kRange || !is_date_or_time(key)) {
    if (random.one_in(3)) bound.offset.column = kOffset;
  } else {
    bound.offset.is_interval = true;
    if (key == ColumnType::kDate32) bound.offset.days = random.below(4);
    if (key == ColumnType::kTimestamp)
      bound.offset.nanos = random.below(4) * std::int64_t{3'600'000'000'000};
  }
  return bound;
}

std::vector<std::size_t> random_arguments(WindowKind kind, corpora::Random& random) {
  const std::size_t all[] = {kReal, kWhole, kDecimal, kWide, kKey, kText, kBool, kDate, kTime};
  const auto any = [&] { return all[random.below(9)]; };
  const auto number = [&] { return all[random.below(5)]; };
  switch (kind) {
    case WindowKind::kRowNumber:
    case WindowKind::kRank:
    case WindowKind::kDenseRank:
    case WindowKind::kPercentRank:
    case WindowKind::kCumeDist:
    case WindowKind::kCountRows:
      return {};
    case WindowKind::kNtile:
      return {kTiles};
    case WindowKind::kLag:
    case WindowKind::kLead:
      return random.one_in(3)   ? std::vector<std::size_t>{any()}
             : random.one_in(2) ? std::vector<std::size_t>{any(), kSteps}
                                : std::vector<std::size_t>{kKey, kSteps, kGroup};
    case WindowKind::kNthValue:
      return {any(), kSteps};
    case WindowKind::kArgMin:
    case WindowKind::kArgMax:
      return {any(), any()};
    case WindowKind::kQuantileCont: {
      const std::size_t column = all[random.below(7)];
      return {column == kText ? std::size_t{kDate} : column, kShare};
    }
    case WindowKind::kQuantileDisc:
      return {any(), kShare};
    case WindowKind::kStringAgg:
      return random.one_in(2) ? std::vector<std::size_t>{kText}
                              : std::vector<std::size_t>{kKey, kSeparator};
    case WindowKind::kList:
      return {random.one_in(2) ? std::size_t{kText} : std::size_t{kKey}};
    case WindowKind::kBoolAnd:
    case WindowKind::kBoolOr:
      return {kBool};
    case WindowKind::kSum:
    case WindowKind::kAvg:
    case WindowKind::kMad:
      return {number()};
    case WindowKind::kProduct:
      return {kReal};
    case WindowKind::kCovarSamp:
    case WindowKind::kCovarPop:
    case WindowKind::kCorr:
    case WindowKind::kRegrSlope:
    case WindowKind::kRegrIntercept:
      return {all[random.below(3)], all[random.below(3)]};
    default:
      if (kind >= WindowKind::kVarSamp && kind <= WindowKind::kKurtosis) {
        return {all[random.below(3)]};
      }
      return {any()};
  }
}

WindowCall random_call(WindowKind kind, corpora::Random& random) {
  WindowCall call;
  call.kind = kind;
  call.name = "result";
  call.arguments = random_arguments(kind, random);
  const bool is_aggregate = kind >= WindowKind::kCountRows;
  if (random.one_in(2)) call.partition.push_back(kGroup);
  if (random.one_in(4)) call.partition.push_back(kBool);
  const std::size_t keys[] = {kKey, kReal, kDecimal, kDate, kTime, kText, kWide};
  for (std::uint32_t i = random.below(3); i > 0; --i) {
    call.order.push_back({keys[random.below(7)], random.one_in(2), random.one_in(2)});
  }
  call.ignore_nulls = !is_aggregate && random.one_in(3);
  if (is_aggregate && random.one_in(3)) call.filter = kFilter;
  call.distinct = is_aggregate && !call.arguments.empty() && random.one_in(4);
  call.once = is_aggregate && random.one_in(5);
  if (call.once || random.one_in(4)) return call;
  WindowFrame frame;
  frame.unit = static_cast<WindowFrame::Unit>(random.below(3));
  frame.exclude = static_cast<WindowFrame::Exclude>(random.one_in(2) ? random.below(4) : 0);
  ColumnType key = ColumnType::kUtf8;
  if (!call.order.empty()) key = parse_type(kTypes[call.order[0].column])->type;
  frame.begin = random_bound(frame.unit, key, false, random);
  frame.end = random_bound(frame.unit, key, true, random);
  call.frame = frame;
  return call;
}

std::string described(const WindowCall& call) {
  std::string text = "kind " + std::to_string(static_cast<int>(call.kind)) + " of";
  for (const std::size_t column : call.arguments) text += " c" + std::to_string(column);
  text += ", by";
  for (const std::size_t column : call.partition) text += " c" + std::to_string(column);
  text += ", order";
  for (const WindowOrder& key : call.order) {
    text += " c" + std::to_string(key.column) + (key.descending ? " desc" : "") +
            (key.nulls_first ? " first" : "");
  }
  if (call.frame) {
    text += ", unit " + std::to_string(static_cast<int>(call.frame->unit)) + ", exclude " +
            std::to_string(static_cast<int>(call.frame->exclude));
    for (const FrameBound* bound : {&call.frame->begin, &call.frame->end}) {
      text += ", bound " + std::to_string(static_cast<int>(bound->kind)) + " " +
              (bound->offset.column ? "column" : std::to_string(bound->offset.real));
    }
  }
  return text + (call.filter ? ", filter" : "") + (call.distinct ? ", distinct" : "") +
         (call.ignore_nulls ? ", ignore nulls" : "") + (call.once ? ", once" : "");
}

void expect_model(const ModelTable& table, std::vector<WindowCall> calls, unsigned threads) {
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].name = "result" + std::to_string(i);
  const auto done = with_windows(kept(table), calls, options_of(threads));
  ASSERT_TRUE(done.ok()) << done.error().message();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Values results = column_of(done->table, table.columns.size() + i);
    const Values expected = Model(table, calls[i]).run();
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
      ASSERT_TRUE(agree(results[row], expected[row], calls[i].kind))
          << described(calls[i]) << "\nrow " << row << ": " << text_of(results[row]) << ", not "
          << text_of(expected[row]);
    }
  }
}

TEST(Window, GivesWhatItsDefinitionSays) {
  corpora::Random random(48);
  const int kinds = static_cast<int>(WindowKind::kApproxCountDistinct) + 1;
  for (int round = 0; round < 25; ++round) {
    const ModelTable table = random_table(1 + random.below(round % 5 == 0 ? 150 : 40), random);
    std::vector<WindowCall> calls;
    for (int kind = 0; kind < kinds; ++kind) {
      // Frames that end before they begin, and ranges that have no key, are refused.
      WindowCall call = random_call(static_cast<WindowKind>(kind), random);
      while (!window_type(call, table.schema).ok()) {
        call = random_call(static_cast<WindowKind>(kind), random);
      }
      calls.push_back(std::move(call));
    }
    expect_model(table, std::move(calls), round % 2 + 1);
    if (HasFatalFailure()) return;
  }
}

/// Frames of many rows go through the trees.
TEST(Window, MovesLongFrames) {
  corpora::Random random(5);
  const ModelTable table = random_table(500, random);
  std::vector<WindowCall> calls;
  for (const WindowKind kind :
       {WindowKind::kMin, WindowKind::kMax, WindowKind::kArgMax, WindowKind::kVarSamp,
        WindowKind::kKurtosis, WindowKind::kCorr, WindowKind::kMedian, WindowKind::kMode,
        WindowKind::kSum, WindowKind::kNthValue, WindowKind::kStringAgg}) {
    for (const WindowFrame::Exclude exclude :
         {WindowFrame::Exclude::kNothing, WindowFrame::Exclude::kTies}) {
      WindowCall call;
      call.kind = kind;
      call.arguments = random_arguments(kind, random);
      call.order = {{kKey, false, false}, {kDecimal, true, false}};
      call.frame.emplace();
      call.frame->unit = WindowFrame::Unit::kRows;
      call.frame->exclude = exclude;
      call.frame->begin = {FrameBound::Kind::kPreceding, {}};
      call.frame->begin.offset.number = 200;
      call.frame->end = {FrameBound::Kind::kFollowing, {}};
      call.frame->end.offset.number = 7;
      calls.push_back(call);
    }
  }
  expect_model(table, calls, 2);
}

/// The results of calls over the same rows with other options.
std::vector<Values> results_of(const ModelTable& table, std::span<const WindowCall> calls,
                               const QueryOptions& options) {
  const auto done = with_windows(kept(table), calls, options);
  EXPECT_TRUE(done.ok()) << done.error().message();
  std::vector<Values> results;
  for (std::size_t i = 0; done.ok() && i < calls.size(); ++i) {
    results.push_back(column_of(done->table, table.columns.size() + i));
  }
  return results;
}

WindowCall call_of(WindowKind kind, std::vector<std::size_t> arguments, const char* name) {
  WindowCall call;
  call.kind = kind;
  call.arguments = std::move(arguments);
  call.name = name;
  return call;
}

TEST(Window, GivesTheSameByWayOfFiles) {
  corpora::Random random(3);
  const ModelTable table = random_table(60'000, random);
  std::vector<WindowCall> calls = {call_of(WindowKind::kSum, {kWide}, "a"),
                                   call_of(WindowKind::kLag, {kText}, "b"),
                                   call_of(WindowKind::kRank, {}, "c")};
  for (WindowCall& call : calls) {
    call.partition = {kGroup, kKey, kReal, kBool};
    call.order = {{kWhole, false, false}};
  }
  const auto whole = results_of(table, calls, options_of(2));
  EXPECT_EQ(results_of(table, calls, options_of(1, 3u << 20)), whole);
  EXPECT_EQ(results_of(table, calls, options_of(2, 5u << 20)), whole);
  // A single partition does not fit.
  calls.resize(1);
  calls[0].partition.clear();
  const auto failed = with_windows(kept(table), calls, options_of(2, 3u << 20));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kOutOfMemory);
}

TEST(Window, RefusesTextsThatMemoryDoesNotHold) {
  corpora::Random random(3);
  const ModelTable table = random_table(3000, random);
  WindowCall call = call_of(WindowKind::kList, {kText}, "a");
  call.order = {{kWhole, false, false}, {kReal, false, false}, {kDecimal, false, false}};
  const auto failed = with_windows(kept(table), std::span(&call, 1), options_of(1, 8u << 20));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(failed.error().what,
            "the texts of window functions take more than a quarter of the memory; "
            "--memory permits more");
}

TEST(Window, AddsDoublesExactly) {
  ModelTable table;
  table.schema.columns.push_back(*parse_type("double"));
  table.schema.columns[0].name = "x";
  table.columns.push_back({1e300, 1.0, -1e300, 1e-300, 0.1, 0.2, -0.0});
  WindowCall call = call_of(WindowKind::kSum, {0}, "sum");
  call.frame.emplace();
  call.frame->unit = WindowFrame::Unit::kRows;
  call.frame->begin = {FrameBound::Kind::kPreceding, {}};
  call.frame->begin.offset.number = 2;
  const Values sums = results_of(table, std::span(&call, 1), options_of(1))[0];
  EXPECT_EQ(sums[2], Value(1.0));
  EXPECT_EQ(sums[3], Value(-1e300));
  EXPECT_EQ(sums[5], Value(0.30000000000000004));
  EXPECT_EQ(sums[6], Value(0.30000000000000004));
}

TEST(Window, KeepsTheVarianceOfLargeValues) {
  ModelTable table;
  table.schema.columns.push_back(*parse_type("double"));
  table.schema.columns[0].name = "x";
  table.columns.push_back({1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 4});
  const WindowCall call = call_of(WindowKind::kVarPop, {0}, "v");
  const Values results = results_of(table, std::span(&call, 1), options_of(1))[0];
  EXPECT_EQ(results[0], Value(1.25));
}

TEST(Window, KnowsNanAndInfinity) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  ModelTable table;
  table.schema.columns.push_back(*parse_type("double"));
  table.schema.columns[0].name = "x";
  table.columns.push_back({std::nan(""), 1.0, kInfinite, -0.0, 0.0});
  WindowCall call = call_of(WindowKind::kMax, {0}, "most");
  WindowCall rank = call_of(WindowKind::kRank, {}, "rank");
  rank.order = {{0, false, false}};
  WindowCall sum = call_of(WindowKind::kSum, {0}, "sum");
  sum.order = rank.order;
  const WindowCall calls[] = {call, rank, sum};
  const auto results = results_of(table, calls, options_of(1));
  EXPECT_TRUE(std::isnan(std::get<double>(results[0][0])));
  EXPECT_EQ(results[1], (Values{Int128{5}, Int128{3}, Int128{4}, Int128{1}, Int128{1}}));
  EXPECT_TRUE(std::isnan(std::get<double>(results[2][0])));
  EXPECT_EQ(results[2][2], Value(kInfinite));
  EXPECT_EQ(results[2][3], Value(0.0));
}

TEST(Window, RefusesWhatDoesNotSuitTheFunction) {
  corpora::Random random(1);
  const ModelTable table = random_table(10, random);
  const auto what = [&](const WindowCall& call) {
    const auto type = window_type(call, table.schema);
    return type.ok() ? std::string() : type.error().what;
  };
  EXPECT_EQ(what(call_of(WindowKind::kSum, {kText}, "a")), "sum() takes numbers; this is utf8");
  EXPECT_EQ(what(call_of(WindowKind::kLag, {}, "a")), "lag() takes 1 to 3 arguments, not 0");
  EXPECT_EQ(what(call_of(WindowKind::kLag, {kText, kSteps, kKey}, "a")),
            "lag() needs a default of the type of its first argument; this is int32");
  EXPECT_EQ(what(call_of(WindowKind::kBoolOr, {kKey}, "a")),
            "bool_or() takes truth values; this is int32");
  WindowCall call = call_of(WindowKind::kRank, {}, "a");
  call.filter = kFilter;
  EXPECT_EQ(what(call), "rank() takes no FILTER");
  call = call_of(WindowKind::kSum, {kKey}, "a");
  call.order = {{kText, false, false}};
  call.frame.emplace();
  call.frame->begin = {FrameBound::Kind::kPreceding, {}};
  EXPECT_EQ(what(call),
            "sum() has a frame of a range over utf8; with an offset, a range needs numbers, dates "
            "or timestamps");
}

TEST(Window, NamesValuesThatAFunctionRefuses) {
  ModelTable table;
  for (const char* name : {"x", "n"}) {
    table.schema.columns.push_back(*parse_type("int32"));
    table.schema.columns.back().name = name;
  }
  table.columns = {{Int128{1}, Int128{2}}, {Int128{1}, Int128{-1}}};
  const auto error = [&](const WindowCall& call) {
    const auto done = with_windows(kept(table), std::span(&call, 1), options_of(1));
    return done.ok() ? std::string() : done.error().what;
  };
  EXPECT_EQ(error(call_of(WindowKind::kNtile, {1}, "a")), "ntile() needs a number above 0");
  WindowCall call = call_of(WindowKind::kSum, {0}, "a");
  call.frame.emplace();
  call.frame->unit = WindowFrame::Unit::kRows;
  call.frame->begin = {FrameBound::Kind::kPreceding, {}};
  call.frame->begin.offset.column = 1;
  EXPECT_EQ(error(call), "sum(): an offset of the frame is negative");
}

TEST(Window, TakesNoRows) {
  corpora::Random random(1);
  const ModelTable table = random_table(0, random);
  const WindowCall call = call_of(WindowKind::kRowNumber, {}, "a");
  const auto done = with_windows(kept(table), std::span(&call, 1), options_of(1));
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->table.rows(), 0u);
  EXPECT_EQ(done->table.schema().columns.size(), table.columns.size() + 1);
}

}  // namespace
}  // namespace presso::query::window_test
