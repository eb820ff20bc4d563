// SPDX-License-Identifier: MIT
#include "tests/support/places.h"

namespace presso::tests {

std::filesystem::path tests_folder() {
  return PRESSO_TESTS_FOLDER;
}

std::filesystem::path corpora_folder() {
  return PRESSO_CORPORA_UNPACKED;
}

}  // namespace presso::tests
