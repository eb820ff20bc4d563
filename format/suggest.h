// SPDX-License-Identifier: MIT
// "Did you mean ...?" for mistyped options, values and commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace presso {

/// ". Did you mean '--threads'?" with the nearest candidate, or nothing if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace presso
