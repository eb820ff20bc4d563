// SPDX-License-Identifier: MIT
// Other ways to the answer of a query: threads, plans, strategies and memory, drawn at random.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "presso/query.h"
#include "tests/support/flat_json.h"

namespace presso::oracle {

/// The most that a run of a query needed.
struct Needs {
  std::uint64_t passes = 0;
  std::uint64_t spilled_bytes = 0;
  std::uint64_t bytes = 0;
};

/// How many conditions a plan orders, counted in what people are shown.
std::size_t conditions_of(const Query& query);

/// The same request with other options.
flat_json::Object variant_of(flat_json::Object request, std::size_t conditions, const Needs& needs,
                             std::mt19937_64& random);

/// Whether an answer is an error that such options allow: not every strategy fits every key, and
/// there may be too little memory.
bool is_unfit(const flat_json::Object& variant, const std::string& answer);

/// Whether both answers are the same error of different rows, which a join in less memory may give:
/// rows that wait in files are computed after others.
bool is_error_of_other_row(const flat_json::Object& variant, const std::string& answer,
                           const std::string& other);

}  // namespace presso::oracle
