// SPDX-License-Identifier: MIT
// Writes the seeds of all fuzz targets: make_fuzz_seeds FOLDER. Run it again after a change of the
// format; the result is committed.
#include <filesystem>
#include <fstream>
#include <string>

#include "presso/compress.h"
#include "tests/fuzz/table_maker.h"
#include "tests/support/test_data.h"

namespace {

using presso::Byte;
using presso::CompressOptions;
using Input = std::vector<Byte>;

void write(const std::filesystem::path& folder, int number, const Input& input) {
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / ("seed-" + std::to_string(100 + number)), std::ios::binary);
  file.write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
}

/// Small: contents repeat a short page.
Input repeated(std::size_t size, std::size_t page_bytes, unsigned seed) {
  const Input page = presso::test::log_lines(page_bytes, seed);
  Input content;
  while (content.size() < size) content.insert(content.end(), page.begin(), page.end());
  content.resize(size);
  return content;
}

Input compressed(const Input& plain, int level, bool dictionary, presso::DependencyRule rule,
                 presso::Coding coding) {
  CompressOptions options;
  options.level = level;
  options.block_bytes = presso::kMinBlockBytes;
  options.rule = rule;
  options.coding = coding;
  options.threads = 1;
  options.dictionary.mode = presso::DictionaryChoice::Mode::kNone;
  if (dictionary) options.dictionary = {presso::DictionaryChoice::Mode::kSize, 2048};
  if (level > 4) options.metadata.entries = {{"name", "seed"}, {"user.a", ""}};
  return *presso::compress_buffer(plain, options);
}

/// Files of 0 to 3 blocks, after a mode byte.
std::vector<Input> files(presso::Coding coding) {
  std::vector<Input> seeds;
  const std::size_t sizes[] = {0, 1, 300, 5000, 16384, 33000};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    const auto number = static_cast<unsigned>(i);
    const Input plain =
        i == 2 ? presso::test::random_bytes(sizes[i], 9) : repeated(sizes[i], 400, number);
    const Input file = compressed(plain, i % 2 == 0 ? 1 : 6, i == 3,
                                  static_cast<presso::DependencyRule>(i % 5), coding);
    Input twice = file;
    twice.insert(twice.end(), file.begin(), file.end());
    seeds.push_back(file);
    if (i < 3) seeds.push_back(twice);
  }
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    seeds[i].insert(seeds[i].begin(), static_cast<Byte>(i % 8));
  }
  return seeds;
}

/// Tables of up to 8 KiB as they are, and choices by which tables are changed.
void write_tables(const std::filesystem::path& folder) {
  int number = 0;
  for (Input table : presso::fuzz::sound_tables()) {
    if (table.size() > 8192) continue;
    table.insert(table.begin(), static_cast<Byte>(number % 2 == 0 ? 34 : 98));
    write(folder, number++, table);
  }
  for (unsigned i = 0; i < 48; ++i) {
    Input choices = presso::test::random_bytes(24, 70 + i);
    choices.front() |= 1;
    write(folder, number++, choices);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder(argv[1]);
  int number = 0;
  for (const presso::Coding coding : {presso::Coding::kByte, presso::Coding::kBit}) {
    for (const Input& seed : files(coding)) {
      write(folder / "decode", number, seed);
      write(folder / "index", number, seed);
      ++number;
    }
  }
  write_tables(folder / "table");
  for (unsigned i = 0; i < 16; ++i) {
    const std::size_t sizes[] = {4, 16, 40, 120};
    write(folder / "payload", static_cast<int>(i), presso::test::random_bytes(sizes[i % 4], i));
    Input text = presso::test::random_bytes(24, 50 + i);
    const Input lines = presso::test::log_lines(20 * i, i);
    text.insert(text.end(), lines.begin(), lines.end());
    write(folder / "round_trip", static_cast<int>(i), text);
  }
  return 0;
}
