// SPDX-License-Identifier: MIT
// How the library's own code reaches the engine inside a Pattern, which users do not see.
#pragma once

#include <memory>
#include <utility>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

struct PatternAccess {
  static const std::shared_ptr<const Matcher>& matcher(const Pattern& pattern) {
    return pattern.matcher_;
  }
  static Pattern make(std::shared_ptr<const Matcher> matcher) {
    return Pattern(std::move(matcher));
  }
};

/// Valid as long as `pattern` or a copy of it.
inline const Matcher& matcher_of(const Pattern& pattern) {
  return *PatternAccess::matcher(pattern);
}

}  // namespace presso::scan_detail
