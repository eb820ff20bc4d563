// SPDX-License-Identifier: MIT
// What query_server is asked, as queries and options of the library. Its fields are listed there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "presso/query.h"
#include "presso/statement.h"
#include "tests/support/flat_json.h"

namespace presso::oracle {

/// By name; a source is of several files.
using Sources = std::map<std::string, std::vector<Table>>;

/// Ways to find groups, by the names of GroupStrategy's values in turn.
constexpr std::array<const char*, 4> kGroupStrategies = {"auto", "dense", "hash", "radix"};

/// Empty where it is missing.
std::string field(const flat_json::Object& request, const char* name);
std::uint64_t number_of(const flat_json::Object& request, const char* name,
                        std::uint64_t otherwise);

Result<Query> query_of(const Sources& sources, const flat_json::Object& request);
/// A whole statement over sources, of which all inner queries have been run.
Result<StatementQuery> statement_of(const Sources& sources, const std::string& text,
                                    const QueryOptions& options);
QueryOptions options_of(const flat_json::Object& request);

}  // namespace presso::oracle
