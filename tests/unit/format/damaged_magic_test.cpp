// SPDX-License-Identifier: MIT
// Files of presso are recognised when their first bytes are damaged, and other files are not taken
// for them.
#include "format/damaged_magic.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "presso/wire.h"

namespace presso::damaged_magic_test {
namespace {

/// A file header and a trailer, as of a file without blocks.
std::vector<Byte> small_file() {
  std::vector<Byte> file(kFileHeaderBytes + kTrailerBytes);
  write_file_header({}, file.data());
  write_trailer({kFileHeaderBytes, file.size()}, file.data() + kFileHeaderBytes);
  return file;
}

Status check(const std::vector<Byte>& bytes, std::string_view path = "x") {
  const MemoryRandomAccess file(bytes);
  return check_is_plain(Bytes(bytes).first(std::min(bytes.size(), kMagicEvidenceBytes)), &file,
                        path);
}

std::vector<Byte> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

TEST(DamagedMagic, IsRecognisedWhicheverByteIsWrong) {
  for (std::size_t at = 0; at < sizeof kFileMagic; ++at) {
    std::vector<Byte> file = small_file();
    file[at] ^= 0xFF;
    EXPECT_EQ(check(file).error().code, ErrorCode::kNotPresso) << at;
    // The header alone tells it, as it must in a stream.
    EXPECT_TRUE(was_made_by_presso(Bytes(file).first(kFileHeaderBytes), nullptr)) << at;
  }
}

TEST(DamagedMagic, IsRecognisedByTheTrailerIfTheWholeHeaderIsGone) {
  std::vector<Byte> file = small_file();
  std::fill_n(file.begin(), kFileHeaderBytes, Byte{0});
  EXPECT_FALSE(check(file).ok());
  EXPECT_FALSE(was_made_by_presso(Bytes(file).first(kFileHeaderBytes), nullptr));
  file.back() ^= 0xFF;
  EXPECT_TRUE(check(file).ok());
}

TEST(DamagedMagic, IsRecognisedInAFileThatEndsWithinIt) {
  const std::vector<Byte> file = small_file();
  EXPECT_FALSE(check({file.begin(), file.begin() + 3}).ok());
  EXPECT_TRUE(check({file.begin(), file.begin() + 1}).ok());
}

TEST(DamagedMagic, IsNotSeenInOtherFiles) {
  for (const std::string_view text : {"", "\tPRESSO\n", "PRESSO\nand more", "a line\n"}) {
    EXPECT_TRUE(check(bytes_of(text)).ok()) << text;
    EXPECT_FALSE(check(bytes_of(text), "logs/a.presso").ok()) << text;
  }
}

}  // namespace
}  // namespace presso::damaged_magic_test
