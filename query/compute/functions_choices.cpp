// SPDX-License-Identifier: MIT
// Scalar functions of values of any type: choices between values, error(), typeof() and bucket().
#include "query/compute/functions.h"

namespace presso::query::choice_functions {
namespace {

/// nullif(a, b): null where both are equal, otherwise a.
Result<NodeId> null_if(Call& call) {
  PRESSO_ASSIGN(const NodeId equal,
                call.build.compare(Step::kEqual, call.arguments[0], call.arguments[1]));
  return call.build.choose({equal}, {call.build.null()}, call.arguments[0]);
}

/// greatest(...) and least(...) skip nulls, as in DuckDB: they are null only if all arguments are.
/// They are built from CASE, two comparisons with null and one of values for each further argument.
Result<NodeId> extreme(Call& call, bool greatest) {
  NodeId so_far = call.arguments[0];
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const NodeId next = call.arguments[i];
    PRESSO_ASSIGN(const NodeId first, greatest
                                          ? call.build.compare(Step::kLessEqual, next, so_far)
                                          : call.build.compare(Step::kLessEqual, so_far, next));
    PRESSO_ASSIGN(so_far,
                  call.build.choose({call.build.is_null(so_far), call.build.is_null(next), first},
                                    {next, so_far, so_far}, next));
  }
  return so_far;
}

/// bucket(a, b, 16) gives rows a number from 0 to 15 by a hash of a and b, so that several
/// processes can each take the rows of some buckets. At most 2^20 buckets; see Builder::bucket.
Result<NodeId> bucket(Call& call) {
  const Node& count = call.build.at(call.arguments.back());
  constexpr Int128 kMost = Int128{1} << 20;
  if (count.kind != Node::Kind::kConstant || count.family != Family::kInteger || count.is_null ||
      count.integer < 1 || count.integer > kMost) {
    return refused("the last argument of bucket() is how many there are: a number up to 1048576");
  }
  const auto buckets = static_cast<std::int64_t>(count.integer);
  call.arguments.pop_back();
  for (NodeId& key : call.arguments) {
    if (call.build.at(key).family != Family::kNull) continue;
    PRESSO_ASSIGN(key, call.build.cast(key, schema_of(Family::kInteger)));
  }
  return call.build.bucket(call.arguments, buckets);
}

/// The names that DuckDB has for types.
std::string name_of_type(const ColumnSchema& type) {
  switch (type.type) {
    case ColumnType::kBool:
      return "BOOLEAN";
    case ColumnType::kInt8:
      return "TINYINT";
    case ColumnType::kInt16:
      return "SMALLINT";
    case ColumnType::kInt32:
      return "INTEGER";
    case ColumnType::kInt64:
      return "BIGINT";
    case ColumnType::kUint8:
      return "UTINYINT";
    case ColumnType::kUint16:
      return "USMALLINT";
    case ColumnType::kUint32:
      return "UINTEGER";
    case ColumnType::kUint64:
      return "UBIGINT";
    case ColumnType::kFloat:
      return "FLOAT";
    case ColumnType::kDouble:
      return "DOUBLE";
    case ColumnType::kDate32:
      return "DATE";
    case ColumnType::kTimestamp: {
      if (!type.zone.empty()) return "TIMESTAMP WITH TIME ZONE";
      constexpr const char* kNames[] = {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS"};
      return kNames[static_cast<Byte>(type.unit)];
    }
    case ColumnType::kDecimal64:
    case ColumnType::kDecimal128:
      return "DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case ColumnType::kUtf8:
      return "VARCHAR";
    case ColumnType::kBinary:
      break;
  }
  return "BLOB";
}

/// The type is known without the value, which is not computed.
Result<NodeId> type_of(Call& call) {
  const Node& value = call.at(0);
  if (value.family == Family::kNull) return call.build.string("\"NULL\"");
  return call.build.string(name_of_type(value.schema));
}

/// The values under failures may be anything but must exist.
void always_fails(const StepContext& c) {
  c.to.own.resize_discarding(kBatchRows * physical_bytes(c.node.physical));
  c.to.values = c.to.own.data();
  std::memset(c.to.own.data(), 0, c.to.own.size());
  for (std::uint32_t i = 0; i < c.count; ++i) c.fail(i);
}
constexpr Kernel kError{"error", always_fails, "error() of the statement", false, true};

/// error(text) fails for every row that asks for it; where the text is a literal, it is said. The
/// type is that of what it stands beside.
Result<NodeId> error(Call& call) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  const std::string said = call.is_constant(0) ? ": " + call.build.at(text).text : "";
  return call.build.call(kError, schema_of(Family::kBool), {text}, nullptr, said);
}

/// try(x): null where x has no result.
Result<NodeId> null_for_failure(Call& call) {
  return call.build.null_where_fails(call.arguments[0], call.build.boolean(true));
}

/// A number from 0 to below 1 by a row's number and a seed (SplitMix64; Steele, Lea and Flood
/// 2014).
double random_number(const Row&, std::int64_t row, std::int64_t seed) {
  auto bits = (static_cast<std::uint64_t>(row) << 31 ^ static_cast<std::uint64_t>(seed)) *
                  0x9E3779B97F4A7C15u +
              0xD1B54A32D192ED03u;
  for (const std::uint64_t factor : {0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu}) {
    bits = (bits ^ bits >> 30) * factor;
    bits ^= bits >> 27;
  }
  return static_cast<double>((bits ^ bits >> 31) >> 11) / 9007199254740992.0;
}
constexpr Kernel kRandom{"random", each<random_number>};

/// Functions whose answers differ from run to run, which a statement could not repeat.
Result<NodeId> not_repeatable(Call& call) {
  return refused(call.name +
                 "() gives other values each time; bucket(column, n) chooses rows by a hash");
}

}  // namespace

void add(Functions& functions) {
  functions["coalesce"] = {1, 1000, [](Call& call) { return call.build.coalesce(call.arguments); }};
  functions["ifnull"] =
      functions["nvl"] = {2, 2, [](Call& call) { return call.build.coalesce(call.arguments); }};
  functions["nullif"] = {2, 2, null_if};
  functions["bucket"] = {2, 1000, bucket};
  functions["if"] = functions["iif"] = {
      3, 3, [](Call& call) {
        return call.build.choose({call.arguments[0]}, {call.arguments[1]}, call.arguments[2]);
      }};
  functions["greatest"] = {1, 1000, [](Call& call) { return extreme(call, true); }};
  functions["least"] = {1, 1000, [](Call& call) { return extreme(call, false); }};
  functions["date"] = {1, 1, [](Call& call) {
                         return call.build.cast(call.arguments[0], schema_of(Family::kDate));
                       }};
  functions["typeof"] = {1, 1, type_of};
  functions["try"] = {1, 1, null_for_failure};
  functions["error"] = {1, 1, error};
  functions["##random"] = of_kernel(kRandom, "ii", ColumnType::kDouble);
  for (const char* name : {"random", "setseed", "uuid", "gen_random_uuid"}) {
    functions[name] = {0, 1, not_repeatable};
  }
}

}  // namespace presso::query::choice_functions
