// SPDX-License-Identifier: MIT
// Makes and owns the tables of the linear substring engines. Views stay valid while the table
// lives, also when it is moved. Sources: S5.1. Tested by lab/tests/substring_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/strings/aho_corasick.h"
#include "lab/strings/boyer_moore.h"
#include "lab/strings/kmp.h"
#include "presso/error.h"

namespace presso::strings {

/// Patterns of up to 2^31 - 2 bytes.
class KmpTable {
 public:
  explicit KmpTable(std::string_view pattern);

  /// Form: KmpStep, KmpBasic or KmpHybrid<w>.
  template <class Form>
  Form view() const {
    return Form{{pattern_.data(), next_.data(), static_cast<std::int32_t>(pattern_.size())}};
  }

 private:
  std::vector<Byte> pattern_;
  std::vector<std::int32_t> next_;
};

class BoyerMooreTable {
 public:
  explicit BoyerMooreTable(std::string_view pattern);
  BoyerMoore view() const {
    return {pattern_.data(), last_place_.data(), good_suffix_.data(),
            static_cast<std::int32_t>(pattern_.size())};
  }

 private:
  void set_good_suffix();

  std::vector<Byte> pattern_;
  std::vector<std::int32_t> last_place_;
  std::vector<std::int32_t> good_suffix_;
};

class AhoCorasickTable {
 public:
  /// With no patterns nothing is found. kInvalidArgument: more than 65,535 states.
  static Result<AhoCorasickTable> make(std::span<const std::string> patterns);
  AhoCorasick view() const {
    return {next_.data(), class_of_.data(), classes_, states_, start_, first_accepting_};
  }

 private:
  std::vector<std::uint16_t> next_;
  std::vector<Byte> class_of_;
  std::uint32_t classes_ = 0;
  std::uint32_t states_ = 0;
  std::uint32_t start_ = 0;
  std::uint32_t first_accepting_ = 0;
};

}  // namespace presso::strings
