// SPDX-License-Identifier: MIT
// How fast a query's first steps over a column of a table are on one thread, from the page cache by
// pread, checksums included: comparing numbers with bounds, decoding them, looking codes up in a
// set, decoding text. G rows/s, of each slice the best of some passes over the column; "again" is
// the same for slices whose blocks were read already.
//   slice_rate FILE COLUMN [PASSES]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "decompress/table/column_slice.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "slice_rate: %s\n", error.message().c_str());
  std::exit(1);
}

void check(const Status& status) {
  if (!status.ok()) fail(status.error());
}

class Rates {
 public:
  Rates(const Table& table, std::size_t column, int passes)
      : table_(table), column_(column), passes_(passes) {
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      auto opened = GroupReader::open(table, group, &counters_);
      if (!opened.ok()) fail(opened.error());
      groups_.push_back(std::move(*opened));
    }
  }

  void measure() {
    const ColumnChunk& chunk = groups_.front()->chunk(column_);
    if (chunk.representation == Representation::kDictionary) {
      codes();
    } else if (is_string(table_.schema().columns[column_].type)) {
      run("text", [](ColumnSlice& slice) {
        auto text = slice.text();
        if (!text.ok()) fail(text.error());
        return text->text.size();
      });
      run("text of every vector", [](ColumnSlice& slice) {
        std::size_t bytes = 0;
        for (std::uint32_t i = 0; i < slice.vectors(); ++i) {
          auto text = slice.text(i);
          if (!text.ok()) fail(text.error());
          bytes += text->text.size();
        }
        return bytes;
      });
      run("text of every 16th vector", [](ColumnSlice& slice) {
        std::size_t bytes = 0;
        for (std::uint32_t i = 0; i < slice.vectors(); i += 16) {
          auto text = slice.text(i);
          if (!text.ok()) fail(text.error());
          bytes += text->text.size();
        }
        return bytes;
      });
      if (chunk.representation == Representation::kToken) {
        run("token codes", [](ColumnSlice& slice) {
          auto codes = slice.token_codes();
          if (!codes.ok()) fail(codes.error());
          return std::size_t{codes->begins[codes->rows]};
        });
      }
    } else {
      numbers();
    }
  }

 private:
  using Step = std::function<std::size_t(ColumnSlice& slice)>;

  struct Times {
    double first = 1e9;  ///< with reading
    double again = 1e9;
  };

  /// Rates of a step over all slices, each opened anew, and of running it again on each. For each
  /// slice the best of the passes counts, which leaves out what other programs take.
  void run(const char* name, const Step& step) {
    std::vector<Times> best;
    std::size_t result = 0;
    ColumnSlice slice;
    for (int pass = 0; pass < passes_; ++pass) {
      std::size_t at = 0;
      result = 0;
      for (const auto& group : groups_) {
        for (std::uint32_t first = 0; first < group->rows(); first += kSliceRows, ++at) {
          if (at == best.size()) best.emplace_back();
          const Stopwatch reading;
          slice.open(*group, column_, first, std::min(group->rows() - first, kSliceRows));
          result += step(slice);
          best[at].first = std::min(best[at].first, reading.seconds());
          const Stopwatch second;
          step(slice);
          best[at].again = std::min(best[at].again, second.seconds());
        }
      }
    }
    Times all{0, 0};
    for (const Times& times : best) {
      all.first += times.first;
      all.again += times.again;
    }
    const auto rows = static_cast<double>(table_.rows());
    std::printf("%-26s %7.2f G rows/s, again %7.2f, result %zu\n", name, rows / all.first / 1e9,
                rows / all.again / 1e9, result);
  }

  void numbers() {
    const ColumnZone zone = groups_.front()->zone(column_, 0, groups_.front()->rows());
    const std::uint64_t quarter = (zone.most - zone.least) / 4;
    const auto between = [](std::uint64_t least, std::uint64_t most) {
      return [=](ColumnSlice& slice) {
        std::uint64_t bits[kVectorBits];
        std::size_t found = 0;
        for (std::uint32_t i = 0; i < slice.vectors(); ++i) {
          check(slice.numbers_between(i, least, most, bits));
          found += bits[0] & 1;
        }
        return found;
      };
    };
    run("between", between(zone.least + quarter, zone.most - quarter));
    run("at most", between(0, zone.most - quarter));
    run("numbers", [](ColumnSlice& slice) {
      alignas(64) static Byte values[kVectorRows * 16 + Buffer::kSlack];
      std::size_t sum = 0;
      for (std::uint32_t i = 0; i < slice.vectors(); ++i) {
        check(slice.numbers(i, values));
        sum += values[0];
      }
      return sum;
    });
    run("read only", [](ColumnSlice& slice) {
      auto told = slice.vector_between(0, 0, 0);
      if (!told.ok()) fail(told.error());
      return std::size_t{1};
    });
  }

  void codes() {
    const std::uint32_t entries = groups_.front()->chunk(column_).entries;
    const auto in = [&](const std::function<bool(std::uint32_t)>& wanted) {
      std::vector<std::uint64_t> set(entries / 64 + 1);
      for (std::uint32_t code = 0; code < entries; ++code) {
        if (wanted(code)) set[code / 64] |= std::uint64_t{1} << (code % 64);
      }
      return [set](ColumnSlice& slice) {
        std::uint64_t bits[kVectorBits];
        std::size_t found = 0;
        for (std::uint32_t i = 0; i < slice.vectors(); ++i) {
          check(slice.codes_in(i, set.data(), bits));
          found += bits[0] & 1;
        }
        return found;
      };
    };
    std::printf("%u entries\n", entries);
    run("codes in a range",
        in([&](std::uint32_t code) { return code > 0 && code <= entries / 2; }));
    run("codes in a set", in([&](std::uint32_t code) { return code % 2 == 0; }));
    run("codes", [](ColumnSlice& slice) {
      alignas(64) static std::uint32_t values[kVectorRows + Buffer::kSlack];
      std::size_t sum = 0;
      for (std::uint32_t i = 0; i < slice.vectors(); ++i) {
        check(slice.codes(i, values));
        sum += values[0];
      }
      return sum;
    });
  }

  const Table& table_;
  std::size_t column_;
  int passes_;
  ReadCounters counters_;
  std::vector<std::shared_ptr<const GroupReader>> groups_;
};

int measure(int file, const char* name, int passes) {
  const FdRandomAccess access(file, static_cast<std::uint64_t>(lseek(file, 0, SEEK_END)));
  auto table = Table::open(access);
  if (!table.ok()) fail(table.error());
  const auto column = table->find_column(name);
  if (!column) {
    std::fprintf(stderr, "slice_rate: there is no column %s\n", name);
    return 2;
  }
  Rates(*table, *column, passes).measure();
  return 0;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  const int file = count > 2 ? open(arguments[1], O_RDONLY) : -1;
  if (file < 0) {
    std::fputs("usage: slice_rate FILE COLUMN [PASSES]\n", stderr);
    return 2;
  }
  return presso::measure(file, arguments[2], count > 3 ? std::max(std::atoi(arguments[3]), 1) : 5);
}
