// SPDX-License-Identifier: MIT
// What the suite of tables of joins tests: the product's strategies (join_table_test.cpp) or the
// laboratory's (lab/tests). Each test program has its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/query/join/join_model.h"

namespace presso::query::join::test {

/// A way to build tables.
class JoinWay {
 public:
  virtual ~JoinWay() = default;

  virtual std::string name() const = 0;
  /// Whether it is only for few rows.
  virtual bool is_slow() const { return false; }
  /// Whether it finds out that keys are unique.
  virtual bool finds_unique_keys() const { return true; }
  virtual bool suits(const JoinCase& /*which*/) const { return true; }

  struct Asked {
    unsigned threads = 1;
    std::uint64_t memory_bytes = ~std::uint64_t{0};
    const JoinTable* like = nullptr;  ///< not null: the table is to be of the same strategy
  };
  virtual Result<std::unique_ptr<JoinTable>> build(const Asked& asked, const BuildKeys& keys) = 0;
  /// For the table that was built last.
  virtual JoinMemory predict(const Asked& asked, const JoinTable& table) const = 0;
  virtual std::shared_ptr<Found> make_found() const { return std::make_shared<Found>(); }
};

/// By pointers that live as long as the program.
std::vector<JoinWay*> join_ways();

using JoinedRows = std::vector<std::vector<std::uint32_t>>;

/// Builds a table, and expects the rows and the memory that it has said.
void expect_rows(JoinWay& way, unsigned threads, const JoinCase& which, const JoinedRows& expected);

}  // namespace presso::query::join::test
