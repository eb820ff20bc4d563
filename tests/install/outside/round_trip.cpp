// SPDX-License-Identifier: MIT
// The smallest program that proves an installed presso: compresses, decompresses, compares.
#include <presso/compress.h>
#include <presso/decompress.h>

#include <cstdio>
#include <string>

int main() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + " of the outside project\n";
  const presso::Bytes plain(reinterpret_cast<const presso::Byte*>(text.data()), text.size());

  const auto compressed = presso::compress_buffer(plain);
  if (!compressed.ok()) {
    std::fprintf(stderr, "compress: %s\n", compressed.error().message().c_str());
    return 1;
  }
  const auto back = presso::decompress_buffer(*compressed);
  if (!back.ok()) {
    std::fprintf(stderr, "decompress: %s\n", back.error().message().c_str());
    return 1;
  }
  const bool same = std::string(back->begin(), back->end()) == text;
  std::printf("%zu -> %zu -> %zu bytes, %s\n", text.size(), compressed->size(), back->size(),
              same ? "equal" : "DIFFERENT");
  return same && compressed->size() < text.size() ? 0 : 1;
}
