// SPDX-License-Identifier: MIT
// Where tests find real data. ./check unpacks the archives of $PRESSO_CORPORA (or, without it, of
// ../shared/corpora) into build/corpora once; a test that finds nothing there must skip:
//
//   const auto path = corpus_file("silesia/dickens");
//   if (!path) GTEST_SKIP() << kNoCorpora;
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "tests/support/places.h"

namespace presso::tests {

inline constexpr std::string_view kNoCorpora =
    "real data is absent: set PRESSO_CORPORA and run corpora/unpack";

/// `name` as in the archives: silesia/xml, dbtext/urls2, logs/winlog.jsonl, ...
inline std::optional<std::filesystem::path> corpus_file(std::string_view name) {
  std::filesystem::path path = corpora_folder() / name;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return path;
}

}  // namespace presso::tests
