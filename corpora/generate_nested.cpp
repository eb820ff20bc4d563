// SPDX-License-Identifier: MIT
// presso_generate_nested: writes a compressed file whose groups of 32 sequences all have the same
// dependency depth, or its plain content (nested_data.h).
//
//   presso_generate_nested --depth 8 --size 1G -o nested8.presso
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/nested_data.h"
#include "corpora/parse_size.h"
#include "presso/wire.h"

namespace {

using presso::corpora::NestedData;
using presso::corpora::parse_number;
using presso::corpora::parse_size;

constexpr const char* kUsage =
    "Usage: presso_generate_nested --depth N [--size SIZE] [--block SIZE] [--plain] [-o FILE]\n"
    "Writes a compressed file in which every group of 32 sequences has the same dependency depth.\n"
    "  --depth N     1, 2, 4, 8, 16 or 32\n"
    "  --size SIZE   plain bytes; K, M, G are powers of 1024 (default 16M)\n"
    "  --block SIZE  plain bytes of a block, 16K to 4M (default 256K)\n"
    "  --plain       the plain content instead\n"
    "  -o FILE       where to (default: standard output)\n";

struct Options {
  std::uint64_t depth = 0;
  std::uint64_t size_bytes = 16u << 20;
  std::uint64_t block_bytes = presso::kDefaultBlockBytes;
  bool plain = false;
  std::string output;
};

bool assign(std::uint64_t& to, const std::optional<std::uint64_t>& value, std::uint64_t least,
            std::uint64_t most) {
  if (value) to = *value;
  return value && to >= least && to <= most;
}

bool set_option(Options& options, std::string_view name, std::string_view value) {
  if (name == "--depth") {
    return assign(options.depth, parse_number(value), 1, NestedData::kGroup) &&
           NestedData::kGroup % options.depth == 0;
  }
  if (name == "--size") return assign(options.size_bytes, parse_size(value), 0, ~std::uint64_t{0});
  if (name == "--block") {
    return assign(options.block_bytes, parse_size(value), presso::kMinBlockBytes,
                  presso::kMaxBlockBytes);
  }
  if (name != "-o") return false;
  options.output = value;
  return true;
}

presso::Status write_plain(const NestedData& data, std::uint64_t size, presso::ByteSink& sink) {
  std::vector<presso::Byte> chunk(1 << 20);
  for (std::uint64_t offset = 0; offset < size; offset += chunk.size()) {
    chunk.resize(std::min<std::uint64_t>(chunk.size(), size - offset));
    data.render(offset, chunk);
    if (presso::Status status = sink.write(chunk); !status.ok()) return status;
  }
  return {};
}

presso::Status generate(const Options& options, int fd) {
  const NestedData data(NestedData::kGroup / static_cast<std::uint32_t>(options.depth));
  presso::FdSink sink(fd);
  if (options.plain) return write_plain(data, options.size_bytes, sink);
  return write_nested_file(data, options.size_bytes,
                           static_cast<std::uint32_t>(options.block_bytes), sink);
}

int fail(const std::string& what) {
  std::fprintf(stderr, "presso_generate_nested: %s\n", what.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help" || name == "-h") return std::fputs(kUsage, stdout) < 0 ? 2 : 0;
    if (name == "--plain") {
      options.plain = true;
    } else if (i + 1 == argc || !set_option(options, name, argv[++i])) {
      return fail("cannot use " + std::string(name) + "; see --help");
    }
  }
  if (options.depth == 0) return fail("--depth is missing; see --help");
  const bool to_file = !options.output.empty();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int fd = to_file ? open(options.output.c_str(), kFlags, 0666) : STDOUT_FILENO;
  if (fd < 0) return fail("cannot open " + options.output + ": " + std::strerror(errno));
  const presso::Status status = generate(options, fd);
  if (!status.ok()) return fail(status.error().message());
  if (to_file && close(fd) != 0) return fail("cannot write: " + std::string(std::strerror(errno)));
  return 0;
}
