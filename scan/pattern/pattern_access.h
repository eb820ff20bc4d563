// SPDX-License-Identifier: MIT
// Gives the library's own code access to the engine inside a Pattern, which the public class hides
// from users.
#pragma once

#include <memory>
#include <utility>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// The way to a Pattern's matcher for the library's other rooms; the class itself shows it to
/// nobody.
struct PatternAccess {
  static const std::shared_ptr<const Matcher>& matcher(const Pattern& pattern) {
    return pattern.matcher_;
  }
  static Pattern make(std::shared_ptr<const Matcher> matcher) {
    return Pattern(std::move(matcher));
  }
};

/// The engine of a pattern, valid as long as `pattern` or a copy of it lives.
inline const Matcher& matcher_of(const Pattern& pattern) {
  return *PatternAccess::matcher(pattern);
}

}  // namespace presso::scan_detail
