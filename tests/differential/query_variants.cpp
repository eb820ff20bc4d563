// SPDX-License-Identifier: MIT
#include "tests/differential/query_variants.h"

#include <regex>
#include <utility>
#include <vector>

#include "tests/differential/query_request.h"

namespace presso::oracle {

using flat_json::Object;

namespace {

std::string random_plan(std::size_t conditions, std::mt19937_64& random) {
  std::vector<std::size_t> order(conditions);
  for (std::size_t i = 0; i < conditions; ++i) order[i] = i + 1;
  for (std::size_t i = conditions; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  static constexpr const char* kBetween[] = {"&", "&&", ";"};
  std::string plan;
  for (const std::size_t number : order) {
    if (!plan.empty()) plan += kBetween[random() % 3];
    plan += std::to_string(number);
  }
  return plan;
}

bool has_joins(const Object& request) {
  return request.count("sql") != 0 || request.count("join1") != 0;
}

}  // namespace

std::size_t conditions_of(const Query& query) {
  const auto text = query.explain({});
  std::size_t count = 0;
  while (text.ok() && text->find("\n  " + std::to_string(count + 1) + "  ") != std::string::npos) {
    ++count;
  }
  return count;
}

Object variant_of(Object request, std::size_t conditions, const Needs& needs,
                  std::mt19937_64& random) {
  static constexpr const char* kThreads[] = {"1", "2", "5"};
  static constexpr const char* kRows[] = {"auto", "list", "bitmap"};
  request["threads"] = kThreads[random() % 3];
  request["rows"] = kRows[random() % 3];
  if (random() % 3 == 0) request["device"] = "gpu";
  // A GPU groups only where no strategy is asked for.
  const bool is_auto = request.count("device") != 0 && random() % 4 != 0;
  request["strategy"] = kGroupStrategies[is_auto ? 0 : random() % kGroupStrategies.size()];
  if (conditions > 0 && random() % 4 != 0) request["plan"] = random_plan(conditions, random);
  if (!has_joins(request)) return request;
  const auto strategy = static_cast<JoinStrategy>(random() % kJoinStrategyNames.size());
  request["join_strategy"] = join_strategy_name(strategy);
  // From a part of what suffices to more than that.
  const std::uint64_t least = needs.bytes >> (random() % 5);
  const std::uint64_t bytes = 1024 + least * (1 + random() % 16) / 4;
  if (random() % 2 == 0) request["memory"] = std::to_string(bytes);
  return request;
}

bool is_unfit(const Object& variant, const std::string& answer) {
  const auto says = [&answer](const char* words) { return answer.find(words) != answer.npos; };
  if (!answer.starts_with("{\"error\"")) return false;
  if (says("groups cannot be found by") || says("of the build side that ascend")) return true;
  const bool dense = field(variant, "strategy") == "dense" && says("do not fit into memory");
  const bool direct = field(variant, "join_strategy") == "direct" &&
                      (says("the table of a join") || says("a direct join on a GPU needs"));
  if (says("a merge join on a GPU")) return true;
  const bool too_little =
      !field(variant, "memory").empty() && (says("memory") || says("are allowed") || says("bytes"));
  return dense || direct || too_little;
}

bool is_error_of_other_row(const Object& variant, const std::string& answer,
                           const std::string& other) {
  static const std::regex kRow("row [0-9,]+:");
  const auto is_error = [](const std::string& text) { return text.starts_with("{\"error\""); };
  if (field(variant, "memory").empty() || !is_error(answer) || !is_error(other)) return false;
  return std::regex_replace(answer, kRow, "row:") == std::regex_replace(other, kRow, "row:");
}

}  // namespace presso::oracle
