// SPDX-License-Identifier: MIT
// The names of dependency rules in tables.
#pragma once

#include "presso/wire.h"

namespace presso::gpu::bench {

inline const char* rule_name(DependencyRule rule) {
  constexpr const char* kNames[] = {"none", "strict", "literal-aware", "two-wave", "tile"};
  return kNames[static_cast<std::size_t>(rule)];
}

}  // namespace presso::gpu::bench
