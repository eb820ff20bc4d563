// SPDX-License-Identifier: MIT
// <presso/compress.h>: compress a buffer, and a stream with options of one's own.
#include <presso/compress.h>

#include <cstdio>
#include <string>

int main() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "request " + std::to_string(i % 700) + " served\n";
  const auto* bytes = reinterpret_cast<const presso::Byte*>(text.data());
  const presso::Bytes plain(bytes, text.size());

  // The simplest call: all cores, the default level. Errors are values.
  const auto compressed = presso::compress_buffer(plain);
  if (!compressed.ok()) {
    std::fprintf(stderr, "%s\n", compressed.error().message().c_str());
    return 1;
  }
  std::printf("%zu bytes become %zu\n", plain.size(), compressed->size());

  // Any source to any sink: here from memory, FdSource reads a file descriptor in the same way.
  presso::CompressOptions options;
  options.level = 1;
  options.block_bytes = 64 << 10;  // small blocks: quicker access to any place
  options.metadata.entries = {{"name", "requests.log"}};
  presso::MemorySource source(plain);
  std::vector<presso::Byte> file;
  presso::VectorSink sink(file);
  const auto summary = presso::compress_stream(source, sink, options);
  if (!summary.ok()) {
    std::fprintf(stderr, "%s\n", summary.error().message().c_str());
    return 1;
  }
  std::printf("level 1: %llu bytes in %llu blocks\n",
              static_cast<unsigned long long>(summary->compressed_bytes),
              static_cast<unsigned long long>(summary->blocks));
  return file.size() < plain.size() ? 0 : 1;
}
