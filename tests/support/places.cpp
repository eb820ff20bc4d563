// SPDX-License-Identifier: MIT
#include "tests/support/places.h"

#include <cstdlib>

namespace presso::tests {

std::filesystem::path tests_folder() {
  const char* const named = std::getenv("PRESSO_TESTS_FOLDER");
  return named != nullptr ? named : PRESSO_TESTS_FOLDER;
}

std::filesystem::path corpora_folder() {
  return PRESSO_CORPORA_UNPACKED;
}

}  // namespace presso::tests
