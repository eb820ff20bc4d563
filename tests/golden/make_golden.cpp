// SPDX-License-Identifier: MIT
// Compresses standard input to standard output with the options given, for golden_test.py and
// make_golden.py: reaches every coding and rule without the presso command.
//
//   make_golden LEVEL BLOCK_BYTES RULE GROUP DICTIONARY_BYTES CODING [FILTER_SIZE]
//   make_golden checksum                         XXH3 of standard input, in hex
// 0 is the default, "-" the level's rule; CODING is 1 (Byte) or 3 (Bit).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "presso/checksum.h"
#include "presso/compress.h"

namespace presso {
namespace {

std::vector<Byte> read_input() {
  std::vector<Byte> bytes;
  FdSource source(0);
  Byte part[65536];
  for (;;) {
    const auto got = source.read(part);
    if (!got.ok() || *got == 0) return bytes;
    bytes.insert(bytes.end(), part, part + *got);
  }
}

std::uint32_t number(const char* text) {
  return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

CompressOptions parse_options(char** arguments) {
  CompressOptions options;
  options.level = static_cast<int>(number(arguments[0]));
  if (number(arguments[1]) != 0) options.block_bytes = number(arguments[1]);
  if (std::string(arguments[2]) != "-") {
    options.rule = static_cast<DependencyRule>(number(arguments[2]));
  }
  options.group = number(arguments[3]);
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  if (number(arguments[4]) != 0) {
    options.dictionary = {DictionaryChoice::Mode::kSize, number(arguments[4])};
  }
  options.coding = static_cast<Coding>(number(arguments[5]));
  if (arguments[6] != nullptr) options.filter_permille = number(arguments[6]);
  options.metadata.entries = {{"name", "golden.txt"}, {"user.purpose", "test"}};
  return options;
}

int run(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "checksum") {
    std::printf("%016llx\n", static_cast<unsigned long long>(checksum64(read_input())));
    return 0;
  }
  if (count != 7 && count != 8) {
    std::fputs("usage: make_golden LEVEL BLOCK_BYTES RULE GROUP DICTIONARY_BYTES CODING\n", stderr);
    return 2;
  }
  const auto compressed = compress_buffer(read_input(), parse_options(arguments + 1));
  if (!compressed.ok()) {
    std::fprintf(stderr, "make_golden: %s\n", compressed.error().message().c_str());
    return 2;
  }
  FdSink sink(1);
  return sink.write(*compressed).ok() ? 0 : 2;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run(count, arguments);
}
