// SPDX-License-Identifier: MIT
// Arbitrary bytes as a compressed file on disk: opened by its index or by walking, read at offsets
// of all kinds. The first byte says whether checksums are made right first. Where both the index
// and the stream accept the file, they must agree on what is in it.
#include <algorithm>

#include "presso/decompress.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/repair.h"

namespace presso::fuzz {
namespace {

constexpr std::uint64_t kReadable = 8u << 20;

void read_around(const CompressedFile& file, std::uint64_t offset) {
  std::vector<Byte> part(3);
  const Status status = file.read(offset, part);
  const bool inside = offset <= file.plain_bytes() && file.plain_bytes() - offset >= part.size();
  PRESSO_FUZZ_CHECK(inside || status.error().code == ErrorCode::kInvalidArgument);
}

void check_table(const ArchiveIndex& index) {
  const std::uint64_t count = std::min<std::uint64_t>(index.block_count(), 1000);
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::uint64_t at = index.block_plain_offset(number);
    PRESSO_FUZZ_CHECK(at < index.plain_bytes());
    PRESSO_FUZZ_CHECK(index.block_at(at) == number);
    const auto header = index.read_block_header(number);
    if (!header.ok()) {
      PRESSO_FUZZ_CHECK(header.error().block == number);
      PRESSO_FUZZ_CHECK(header.error().byte_offset != Error::kNone);
    }
  }
}

void compare_with_stream(const CompressedFile& opened, const std::vector<Byte>& file,
                         const DecodeOptions& decode) {
  std::vector<Byte> by_index(static_cast<std::size_t>(opened.plain_bytes()));
  const Status read = opened.read(0, by_index);
  DecompressOptions options;
  options.decode = decode;
  options.threads = 1;
  const auto by_stream = decompress_buffer(file, options);
  if (!by_stream.ok()) return;
  PRESSO_FUZZ_CHECK(read.ok());
  PRESSO_FUZZ_CHECK(by_index == *by_stream);
}

void fuzz_index(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const Byte mode = data[0];
  std::vector<Byte> file(data + 1, data + size);
  if ((mode & 1) != 0) repair(file);
  DecodeOptions decode;
  decode.verify = (mode & 64) == 0;
  const MemoryRandomAccess access(file);
  const auto opened = CompressedFile::open(access, decode);
  if (!opened.ok()) {
    PRESSO_FUZZ_CHECK(opened.error().code != ErrorCode::kOk);
    return;
  }
  const std::uint64_t plain = opened->plain_bytes();
  for (const std::uint64_t offset :
       {std::uint64_t{0}, plain / 2, plain - 1, plain, plain + 1, ~std::uint64_t{0}}) {
    read_around(*opened, offset);
  }
  check_table(opened->index());
  if (plain <= kReadable) compare_with_stream(*opened, file, decode);
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_index(data, size);
  return 0;
}
