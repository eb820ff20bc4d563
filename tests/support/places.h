// SPDX-License-Identifier: MIT
// Folders of this checkout that tests read. Only places.cpp knows their paths, so that no other
// source is compiled anew, past ccache, because the checkout lies elsewhere.
#pragma once

#include <filesystem>

namespace presso::tests {

/// tests/ of the source, or the folder that the environment variable PRESSO_TESTS_FOLDER names
/// where programs run on a machine without the checkout.
std::filesystem::path tests_folder();

/// Where corpora/unpack has put the real data, if there is any.
std::filesystem::path corpora_folder();

}  // namespace presso::tests
