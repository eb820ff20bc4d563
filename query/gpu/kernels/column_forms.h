// SPDX-License-Identifier: MIT
// Counts in which forms the vectors of a column are stored, so that code can be compiled for the
// form that most of them have. Tests: tests/unit/query/gpu/kernel_source_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "presso/byte.h"

namespace presso::gpu {

class ColumnForms {
 public:
  /// Vectors of 1,024 values base + divisor * number, the numbers packed in `width` bits.
  struct Form {
    Byte width = 0;
    std::uint64_t divisor = 1;
    std::uint64_t vectors = 0;
    // The form of doubles and floats also has the kind and the second width of a vector's entry
    // (IntegerKind): base + number gives their bits, or a number from which they are made.
    Byte kind = 0;
    Byte width2 = 0;
  };

  /// A vector; `is_simple`: it has such a form.
  void count(bool is_simple, Byte width, std::uint64_t divisor) {
    ++vectors_;
    if (!is_simple) return;
    if (width == 0) {
      ++constants_;
    } else {
      add({width, divisor, 1});
    }
  }
  /// A vector of doubles or floats, which has the form.
  void count_real(Byte kind, Byte width, Byte width2) {
    ++vectors_;
    add({width, 1, 1, kind, width2});
  }
  /// Vectors that have no such form.
  void count_others(std::uint64_t vectors) { vectors_ += vectors; }
  void add(const ColumnForms& other) {
    vectors_ += other.vectors_;
    constants_ += other.constants_;
    odd_validity_ += other.odd_validity_;
    for (const Form& form : other.forms_) add(form);
  }
  /// Vectors of bits of rows that are not null, neither stored as a bitmap nor all the same.
  void count_odd_validity(std::uint64_t vectors) { odd_validity_ += vectors; }
  std::uint64_t odd_validity() const { return odd_validity_; }
  std::uint64_t vectors() const { return vectors_; }
  /// The form that the most vectors have; without vectors: none has such a form. Vectors of one
  /// value have every form.
  Form most() const {
    Form found;
    for (const Form& form : forms_) {
      if (form.vectors > found.vectors) found = form;
    }
    found.vectors += constants_;
    return found;
  }
  /// The form that the most vectors of a width have, and of doubles of a kind and a second width.
  Form most_of(Byte width, Byte kind = 0, Byte width2 = 0) const {
    Form found{width, 1, 0, kind, width2};
    for (const Form& form : forms_) {
      const bool is_asked = form.width == width && form.kind == kind && form.width2 == width2;
      if (is_asked && form.vectors > found.vectors) found = form;
    }
    found.vectors += constants_;
    return found;
  }
  /// What the divisors of all vectors that have such a form have in common.
  std::uint64_t common_divisor() const {
    std::uint64_t common = 0;
    for (const Form& form : forms_) common = std::gcd(common, form.divisor);
    return std::max<std::uint64_t>(common, 1);
  }

 private:
  /// Others of a hostile file are not told apart; they count as vectors without a form.
  static constexpr std::size_t kMostForms = 128;

  void add(const Form& of) {
    const auto known = std::find_if(forms_.begin(), forms_.end(), [&of](const Form& form) {
      return form.width == of.width && form.divisor == of.divisor && form.kind == of.kind &&
             form.width2 == of.width2;
    });
    if (known != forms_.end()) {
      known->vectors += of.vectors;
    } else if (forms_.size() < kMostForms) {
      forms_.push_back(of);
    }
  }

  std::vector<Form> forms_;
  std::uint64_t vectors_ = 0;
  std::uint64_t constants_ = 0;
  std::uint64_t odd_validity_ = 0;
};

}  // namespace presso::gpu
