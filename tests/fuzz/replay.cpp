// SPDX-License-Identifier: MIT
// Runs a fuzz target without libFuzzer: TARGET SEED_FOLDER MUTATIONS [FIRST_SEED]. Every file of
// the folder in the order of its name, then MUTATIONS inputs made from them, the same ones each
// time; PRESSO_FUZZ_MUTATIONS says another number. With PRESSO_FUZZ_VERBOSE set it prints the
// number of each, so that the last one printed is the one to run again as FIRST_SEED. TARGET FILE
// runs one file.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

using Input = std::vector<std::uint8_t>;

Input read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Input(std::istreambuf_iterator<char>(file), {});
}

std::vector<Input> read_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> inputs;
  for (const auto& path : paths) inputs.push_back(read_file(path));
  return inputs;
}

void run(const Input& input) {
  // A copy of exactly this size, so that the address sanitizer sees reads after it.
  const Input exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

/// A seed with a few bytes changed, put in, taken out, or continued by another seed.
Input mutate(const std::vector<Input>& seeds, std::mt19937_64& random) {
  Input input = seeds[random() % seeds.size()];
  for (std::uint64_t steps = 1 + random() % 6; steps > 0; --steps) {
    const auto at = static_cast<std::ptrdiff_t>(input.empty() ? 0 : random() % input.size());
    switch (random() % 5) {
      case 0:
      case 1:
        if (!input.empty())
          input[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        input.insert(input.begin() + at, static_cast<std::uint8_t>(random()));
        break;
      case 3:
        if (!input.empty()) input.erase(input.begin() + at);
        break;
      default: {
        const Input& other = seeds[random() % seeds.size()];
        const std::size_t from = other.empty() ? 0 : random() % other.size();
        input.resize(static_cast<std::size_t>(at));
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s SEED_FOLDER MUTATIONS [FIRST_SEED] | FILE\n", argv[0]);
    return 2;
  }
  if (!std::filesystem::is_directory(argv[1])) {
    run(read_file(argv[1]));
    return 0;
  }
  const std::vector<Input> seeds = read_folder(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no seeds\n", argv[1]);
    return 2;
  }
  for (const Input& seed : seeds) run(seed);
  const char* const many = std::getenv("PRESSO_FUZZ_MUTATIONS");
  const char* const given = many != nullptr ? many : argc > 2 ? argv[2] : "0";
  const std::uint64_t mutations = std::strtoull(given, nullptr, 10);
  const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  const bool verbose = std::getenv("PRESSO_FUZZ_VERBOSE") != nullptr;
  for (std::uint64_t number = first; number < first + mutations; ++number) {
    if (verbose) std::fprintf(stderr, "input %llu\n", static_cast<unsigned long long>(number));
    std::mt19937_64 random(number);
    run(mutate(seeds, random));
  }
  std::printf("%zu seeds and %llu mutations of them: nothing found\n", seeds.size(),
              static_cast<unsigned long long>(mutations));
  return 0;
}
