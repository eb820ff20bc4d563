// SPDX-License-Identifier: MIT
// Implements needed_columns.h.
#include "tools/select/needed_columns.h"

#include <algorithm>

#include "format/ascii.h"

namespace presso::cli {

bool NeededColumns::needs(const std::string& column) const {
  if (!names_) return true;
  const std::string name = ascii::lower(column);
  if (names_->contains(name)) return true;
  for (std::size_t begin = 0, end = 0; end < name.size(); begin = end + 1) {
    end = std::min(name.find('.', begin), name.size());
    if (names_->contains(name.substr(begin, end - begin))) return true;
  }
  return false;
}

}  // namespace presso::cli
