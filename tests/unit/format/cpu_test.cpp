// SPDX-License-Identifier: MIT
// What we ask the CPU for is what the kernel says that it has, and the best code that it can run is
// chosen.
#include "presso/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace presso::cpu_test {
namespace {

/// The flags of the first CPU in /proc/cpuinfo, which is Linux's alone; empty elsewhere.
std::set<std::string> flags_of_the_kernel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  }
  return {};
}

class Cpu : public testing::Test {
 protected:
  void SetUp() override {
    if (flags_.empty()) GTEST_SKIP() << "no flags of a CPU in /proc/cpuinfo";
  }
  bool has(std::initializer_list<const char*> names) const {
    return std::all_of(names.begin(), names.end(),
                       [this](const char* name) { return flags_.contains(name); });
  }

  const std::set<std::string> flags_ = flags_of_the_kernel();
};

TEST_F(Cpu, HasTheFeaturesThatTheKernelLists) {
  const std::set<std::string> found(cpu_features().begin(), cpu_features().end());
  for (const char* name : {"sse4_2", "popcnt", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw",
                           "avx512vl", "avx512dq", "avx512_vbmi2"}) {
    EXPECT_EQ(found.contains(name), flags_.contains(name)) << name;
  }
}

TEST_F(Cpu, IsNotSaidToBePortableWhereItHasMore) {
  const bool avx2 = has({"avx2", "bmi1", "bmi2"});
  const bool avx512 = has({"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_vbmi2"});
  EXPECT_EQ(name(supported_cpu_levels().back()), avx2 && avx512 ? "avx512vbmi2"
                                                 : avx2         ? "avx2"
                                                                : "portable");
}

}  // namespace
}  // namespace presso::cpu_test
