// SPDX-License-Identifier: MIT
// How long random access to a table takes: one block of rows of one column, anywhere in the file,
// which is read through the page cache. Prints the median and the slowest of a hundredth, in
// microseconds, and how many places of the file were read.
//   table_access FILE [ACCESSES]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/stopwatch.h"
#include "presso/table.h"

namespace presso {
namespace {

class CountedReads final : public RandomAccess {
 public:
  CountedReads(int file, std::uint64_t size) : file_(file, size) {}
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    ++reads;
    return file_.read_at(offset, into);
  }
  std::uint64_t size() const override { return file_.size(); }
  mutable std::uint64_t reads = 0;

 private:
  FdRandomAccess file_;
};

int complain(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

int measure(const CountedReads& file, int accesses) {
  const Stopwatch opening;
  const auto table = Table::open(file);
  if (!table.ok()) return complain(table.error());
  std::printf("opened in %.0f us, %llu reads, %llu rows in %llu row groups\n",
              opening.seconds() * 1e6, static_cast<unsigned long long>(file.reads),
              static_cast<unsigned long long>(table->rows()),
              static_cast<unsigned long long>(table->row_groups()));
  constexpr std::uint64_t kBlockRows = 65536;
  std::mt19937_64 random(1);
  for (std::size_t column = 0; column < table->schema().columns.size(); ++column) {
    std::vector<double> times;
    std::uint64_t most_reads = 0;
    for (int i = 0; i < accesses; ++i) {
      const std::uint64_t group = random() % table->row_groups();
      const std::uint64_t rows = table->row_group(group).rows;
      const std::uint64_t first = random() % ((rows + kBlockRows - 1) / kBlockRows) * kBlockRows;
      const std::uint64_t before = file.reads;
      const Stopwatch watch;
      const auto read = table->read(group, {&column, 1}, static_cast<std::uint32_t>(first),
                                    static_cast<std::uint32_t>(std::min(kBlockRows, rows - first)));
      times.push_back(watch.seconds() * 1e6);
      if (!read.ok()) return complain(read.error());
      most_reads = std::max(most_reads, file.reads - before);
    }
    std::sort(times.begin(), times.end());
    std::printf("%-18s median %8.0f us, 99 %% below %8.0f us, %llu reads\n",
                table->schema().columns[column].name.c_str(), times[times.size() / 2],
                times[times.size() * 99 / 100], static_cast<unsigned long long>(most_reads));
  }
  return 0;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  const int file = count > 1 ? open(arguments[1], O_RDONLY) : -1;
  if (file < 0) {
    std::fputs("usage: table_access FILE [ACCESSES]\n", stderr);
    return 2;
  }
  const auto size = static_cast<std::uint64_t>(lseek(file, 0, SEEK_END));
  return presso::measure(presso::CountedReads(file, size),
                         count > 2 ? std::atoi(arguments[2]) : 100);
}
