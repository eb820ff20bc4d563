// SPDX-License-Identifier: MIT
// presso_generate_log: writes a log of at least the size asked for, ending with a whole event.
//
//   presso_generate_log --size 256M --seed 1 --format plain > app.log
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/log_generator.h"
#include "corpora/parse_size.h"

namespace {

using presso::corpora::LogFormat;
using presso::corpora::LogGenerator;
using presso::corpora::parse_number;
using presso::corpora::parse_size;

constexpr const char* kUsage =
    "Usage: presso_generate_log [--size SIZE] [--seed N] [--format plain|json|mixed] [-o FILE]\n"
    "Writes a made-up but realistic log: the same bytes for the same seed and format, everywhere.\n"
    "  --size SIZE    at least so many bytes; K, M, G are powers of 1024 (default 16M)\n"
    "  --seed N       another log of the same kind (default 1)\n"
    "  --format NAME  plain (default), json (an object a line) or mixed\n"
    "  -o FILE        where to (default: standard output)\n";

struct Options {
  std::uint64_t size_bytes = 16u << 20;
  std::uint64_t seed = 1;
  LogFormat format = LogFormat::kPlain;
  std::string output;
};

std::optional<LogFormat> parse_format(std::string_view text) {
  if (text == "plain") return LogFormat::kPlain;
  if (text == "json") return LogFormat::kJson;
  if (text == "mixed") return LogFormat::kMixed;
  return std::nullopt;
}

template <class T>
bool assign(T& to, const std::optional<T>& value) {
  if (value) to = *value;
  return value.has_value();
}

bool set_option(Options& options, std::string_view name, std::string_view value) {
  if (name == "--size") return assign(options.size_bytes, parse_size(value));
  if (name == "--seed") return assign(options.seed, parse_number(value));
  if (name == "--format") return assign(options.format, parse_format(value));
  if (name != "-o") return false;
  options.output = value;
  return true;
}

bool generate(const Options& options, std::FILE* to) {
  constexpr std::size_t kChunkBytes = 1u << 20;
  LogGenerator generator(options.format, options.seed);
  std::string chunk;
  chunk.reserve(kChunkBytes + (1u << 16));
  for (std::uint64_t written = 0; written < options.size_bytes; written += chunk.size()) {
    const std::uint64_t rest = options.size_bytes - written;
    chunk.clear();
    while (chunk.size() < kChunkBytes && chunk.size() < rest) generator.append_event(chunk);
    if (std::fwrite(chunk.data(), 1, chunk.size(), to) != chunk.size()) return false;
  }
  return std::fflush(to) == 0;
}

int fail(const std::string& what) {
  std::fprintf(stderr, "presso_generate_log: %s\n", what.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--help" || name == "-h") return std::fputs(kUsage, stdout) < 0 ? 2 : 0;
    if (i + 1 == argc || !set_option(options, name, argv[i + 1])) {
      return fail("cannot use " + std::string(name) + "; see --help");
    }
  }
  std::FILE* to = options.output.empty() ? stdout : std::fopen(options.output.c_str(), "wb");
  if (to == nullptr) return fail("cannot open " + options.output + ": " + std::strerror(errno));
  const bool written = generate(options, to);
  const bool closed = to == stdout || std::fclose(to) == 0;
  if (!written || !closed) return fail("cannot write: " + std::string(std::strerror(errno)));
  return 0;
}
