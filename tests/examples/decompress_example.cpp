// SPDX-License-Identifier: MIT
// <presso/decompress.h>: decode a whole file, read a few bytes out of its middle, save what is left
// of a damaged one.
#include <presso/compress.h>
#include <presso/decompress.h>

#include <cstdio>
#include <string>

namespace {

int fail(const presso::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

/// A compressed file to work on.
std::vector<presso::Byte> make_file() {
  std::string text;
  for (int i = 0; text.size() < 100000; ++i) text += "line " + std::to_string(i) + "\n";
  presso::CompressOptions options;
  options.block_bytes = presso::kMinBlockBytes;
  const auto* bytes = reinterpret_cast<const presso::Byte*>(text.data());
  auto file = presso::compress_buffer({bytes, text.size()}, options);
  return file.ok() ? *file : std::vector<presso::Byte>();
}

}  // namespace

int main() {
  std::vector<presso::Byte> file = make_file();

  // Everything at once.
  const auto plain = presso::decompress_buffer(file);
  if (!plain.ok()) return fail(plain.error());
  std::printf("%zu bytes\n", plain->size());

  // A byte range: only the blocks that hold it are decoded. FdRandomAccess does this on a file.
  const presso::MemoryRandomAccess access(file);
  const auto opened = presso::CompressedFile::open(access);
  if (!opened.ok()) return fail(opened.error());
  std::vector<presso::Byte> part(20);
  const presso::Status read = opened->read(50000, part);
  if (!read.ok()) return fail(read.error());
  std::printf("bytes 50000 to 50019: %.20s\n", reinterpret_cast<const char*>(part.data()));

  // Damage: without salvage an error that says where, with salvage all the other blocks.
  const std::uint64_t third = opened->index().block_offset(2);
  file[static_cast<std::size_t>(third) + 200] ^= 0xFF;
  const auto damaged = presso::decompress_buffer(file);
  std::printf("as expected: %s\n", damaged.error().message().c_str());
  presso::DecompressOptions options;
  options.salvage = true;
  options.on_damage = [](const presso::DecodedBlock& block) {
    std::printf("lost: %u bytes at %llu\n", block.plain_bytes,
                static_cast<unsigned long long>(block.plain_offset));
  };
  const auto rest = presso::decompress_buffer(file, options);
  if (!rest.ok()) return fail(rest.error());
  std::printf("saved %zu bytes\n", rest->size());
  return !damaged.ok() && rest->size() == plain->size() - presso::kMinBlockBytes ? 0 : 1;
}
