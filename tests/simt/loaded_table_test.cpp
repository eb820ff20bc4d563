// SPDX-License-Identifier: MIT
// Tables come to the emulated GPU part by part: all parts together are the table, what is under way
// keeps to the limits of memory, errors come in the order of the files, and a query may be
// cancelled while threads read ahead.
#include "query/gpu/table/loaded_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/no_string_kernels.h"
#include "tests/simt/query_cases.h"
#include "tests/support/sanitized.h"

namespace presso::loaded_table_test {
namespace {

using namespace test;
using gpu::LoadedTable;
using gpu::TableLoader;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0} / 2;

/// What loads tables to an emulated device, and gives back all in the end.
class Loading {
 public:
  explicit Loading(std::uint64_t pinned_bytes = kNoLimit)
      : device_(make_host_device(faults_)),
        kernels_(make_emulated_table_kernels(faults_)),
        memory_(*device_, {kNoLimit, pinned_bytes}),
        pinned_(memory_),
        stream_(std::move(*gpu::make_stream(*device_))),
        space_{memory_, *kernels_, strings_, pinned_, stream_.get()} {}

  TableLoader loader(const std::vector<Table>& tables, unsigned threads) {
    std::vector<std::size_t> columns;
    for (const char* const name : {"id", "price", "maybe", "word"}) {
      const auto& all = tables[0].schema().columns;
      const auto found = std::find_if(all.begin(), all.end(),
                                      [name](const auto& column) { return column.name == name; });
      columns.push_back(static_cast<std::size_t>(found - all.begin()));
    }
    const gpu::WantsRows wants = [](const GroupReader& group, std::uint32_t,
                                    std::uint32_t) -> Result<bool> {
      return group.group() % 5 != 3;
    };
    return {space_, tables, std::move(columns), counters_, threads, wants};
  }
  EmulatedFaults& faults() { return *faults_; }
  std::uint64_t blocks_read() const { return counters_.blocks; }

 private:
  std::shared_ptr<EmulatedFaults> faults_ = std::make_shared<EmulatedFaults>();
  std::unique_ptr<gpu::Device> device_;
  std::shared_ptr<gpu::TableKernels> kernels_;
  NoStringKernels strings_;
  gpu::Memory memory_;
  gpu::PinnedPieces pinned_;
  gpu::OwnedStream stream_;
  gpu::RunSpace space_;
  ReadCounters counters_;
};

/// What kernels find at a block: its kind, and the beginning of its payload.
std::string seen(const gpu::TableBlock& block) {
  std::string all = std::to_string(block.rows) + " " + std::to_string(block.width_bytes) + " " +
                    std::to_string(block.divisor) + (block.is_plain ? " plain" : "") +
                    (block.is_signed ? " signed" : "");
  constexpr std::size_t kBytes = 16;
  for (const std::uint32_t* const words : {block.words, block.validity}) {
    if (words != nullptr) all.append(reinterpret_cast<const char*>(words), kBytes);
  }
  return all;
}

/// Of each slice: its place, and the blocks of all columns.
void list_slices(const LoadedTable& table, std::vector<std::string>& slices) {
  for (std::size_t i = 0; i < table.slices().size(); ++i) {
    const gpu::LoadedSlice& slice = table.slices()[i];
    const gpu::LoadedGroup& group = table.groups()[slice.group];
    std::string all = std::to_string(group.table) + " " + std::to_string(group.reader->group()) +
                      " " + std::to_string(slice.first_row);
    for (std::size_t column = 0; column < table.vector_forms().size(); ++column) {
      all += seen(table.blocks_of(column)[i]);
    }
    slices.push_back(std::move(all));
  }
}

class LoadedParts : public ::testing::TestWithParam<unsigned> {};

TEST_P(LoadedParts, AreTogetherTheTable) {
  const MadeTable made(make_csv(9000, 3), 700);
  const std::vector<Table> tables(3, *made.table);
  std::vector<std::string> expected;
  std::uint64_t blocks = 0;
  {
    Loading loading;
    TableLoader loader = loading.loader(tables, GetParam());
    auto all = loader.load_all();
    ASSERT_TRUE(all.ok() && *all);
    list_slices(**all, expected);
    EXPECT_EQ((*all)->groups().size(), 3 * (13u - 2));
    blocks = loading.blocks_read();
  }
  for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{120'000}, kNoLimit}) {
    Loading loading;
    std::vector<std::string> found;
    std::size_t parts = 0;
    {
      TableLoader loader = loading.loader(tables, GetParam());
      for (;;) {
        const auto part = loader.next(limit);
        ASSERT_TRUE(part.ok()) << part.error().message();
        if (!*part) break;
        list_slices(**part, found);
        ++parts;
        // A row group alone may take more than the limit; then nothing else is under way.
        const std::uint64_t ahead = loader.bytes_under_way();
        if (ahead != 0) {
          EXPECT_LE((*part)->device_bytes() + ahead, limit);
        }
        if (limit == 120'000 && found.size() + 10 < expected.size()) {
          EXPECT_GT(ahead, 0u);
        }
      }
    }
    EXPECT_EQ(found, expected) << limit;
    EXPECT_EQ(loading.blocks_read(), blocks);
    if (limit == 1) {
      EXPECT_EQ(parts, expected.size());
    }
    if (limit == kNoLimit) {
      EXPECT_EQ(parts, 1u);
    }
    EXPECT_EQ(loading.faults().live_handles, 1u);  // the stream
    EXPECT_EQ(loading.faults().live_bytes, 0u);
  }
}

/// Who has enough goes, whatever threads are reading.
TEST_P(LoadedParts, MayBeLeftWhileOthersAreUnderWay) {
  const MadeTable made(make_csv(9000, 3), 700);
  const std::vector<Table> tables(3, *made.table);
  for (int parts = 0; parts < 8; ++parts) {
    Loading loading;
    {
      TableLoader loader = loading.loader(tables, GetParam());
      for (int i = 0; i < parts; ++i) {
        const auto part = loader.next(120'000);
        ASSERT_TRUE(part.ok());
      }
    }
    EXPECT_EQ(loading.faults().live_bytes, 0u);
    EXPECT_EQ(loading.faults().live_handles, 1u);
  }
}

/// Slots of 64 KiB, for blocks of which some are larger, and others many in one.
TEST_P(LoadedParts, GoThroughLittlePinnedMemory) {
  std::string csv = "id,price,maybe,word\n";
  corpora::Random random(3);
  for (int i = 0; i < 150'000; ++i) {
    csv.append(std::to_string(i)).append(",").append(std::to_string(random.below(2'000'000'000)));
    csv.append(random.below(3) == 0 ? "," : ",5").append(random.below(2) == 0 ? ",A\n" : ",B\n");
  }
  const MadeTable made(csv, 140'000);
  const std::vector<Table> tables(2, *made.table);
  std::vector<std::string> expected;
  for (const std::uint64_t pinned : {kNoLimit, std::uint64_t{1} << 20}) {
    Loading loading(pinned);
    TableLoader loader = loading.loader(tables, GetParam());
    std::vector<std::string> found;
    for (;;) {
      const auto part = loader.next(kNoLimit);
      ASSERT_TRUE(part.ok()) << part.error().message();
      if (!*part) break;
      list_slices(**part, found);
    }
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found.size(), 8u);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, LoadedParts, ::testing::Values(1u, 2u, 4u));

// --- faults

class LoadedTableFaults : public ::testing::Test {
 protected:
  enum class Where { kDirectory, kHeader, kPayload };
  static constexpr Where kWheres[] = {Where::kDirectory, Where::kHeader, Where::kPayload};

  /// Changes a byte of a row group: of its directory, or of a block of values of the column price.
  void damage(std::vector<Byte>& bytes, std::uint64_t group, Where where) const {
    const auto reader = *GroupReader::open(*made.table, group);
    const auto& place = TableAccess::index(*made.table).groups()[group];
    std::uint64_t at = place.file_offset;
    if (where == Where::kDirectory) {
      bytes[at + place.directory_bytes / 2] ^= 0x10;
      return;
    }
    const std::uint32_t block = reader->blocks_of(price, ColumnStream::kValues, 0, 1).first;
    at += place.directory_bytes;
    for (std::uint32_t i = 0; i < block; ++i) at += reader->directory().blocks[i].stored_bytes;
    bytes[at + (where == Where::kHeader ? 13 : kBlockHeaderBytes + 5)] ^= 0x10;
  }

  std::string answer(const Table& table, const std::shared_ptr<QueryDevice>& device) const {
    return answer_of(query_of(table, {"", "run", "sum(price), avg(maybe)"}), device).text;
  }

  MadeTable made{make_csv(6000, 7), 700};
  std::size_t price = [this] {
    const auto& columns = made.table->schema().columns;
    return static_cast<std::size_t>(
        std::find_if(columns.begin(), columns.end(),
                     [](const auto& column) { return column.name == "price"; }) -
        columns.begin());
  }();
};

/// Whichever stage finds it: directories are looked at ahead of blocks, and headers ahead of
/// payloads, but the first one in the file is the one that counts.
TEST_F(LoadedTableFaults, OfSeveralDamagedRowGroupsTheFirstIsReported) {
  const std::string sound = answer(*made.table, nullptr);
  for (const Where first : kWheres) {
    for (const Where second : kWheres) {
      for (const auto& [early, late] : {std::pair{0, 8}, {2, 3}, {4, 7}}) {
        std::vector<Byte> bytes = made.bytes;
        damage(bytes, static_cast<std::uint64_t>(early), first);
        damage(bytes, static_cast<std::uint64_t>(late), second);
        const MemoryRandomAccess access(bytes);
        const auto table = Table::open(access);
        ASSERT_TRUE(table.ok());
        const std::string of_cpu = answer(*table, nullptr);
        EXPECT_EQ(of_cpu.substr(0, 6), "error:");
        // All in one part, and a few row groups in each.
        for (const std::uint64_t limit : {kNoLimit, std::uint64_t{200'000}}) {
          const auto faults = std::make_shared<EmulatedFaults>();
          EXPECT_EQ(answer(*table, make_emulated_query_device(faults, 1, {limit, kNoLimit})),
                    of_cpu)
              << static_cast<int>(first) << static_cast<int>(second) << early << late << limit;
          EXPECT_EQ(faults->live_bytes, 0u);
          EXPECT_EQ(faults->live_handles, 0u);
        }
      }
    }
  }
}

/// A file that has the query cancelled when it has been read from so often.
class CancellingFile final : public RandomAccess {
 public:
  explicit CancellingFile(Bytes bytes) : file_(bytes) {}
  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    if (left_.fetch_sub(1) == 1) cancelled_ = true;
    return file_.read_at(offset, into);
  }
  void cancel_after(std::int64_t reads) const {
    cancelled_ = false;
    left_ = reads;
  }
  const std::atomic<bool>& cancelled() const { return cancelled_; }

 private:
  MemoryRandomAccess file_;
  mutable std::atomic<std::int64_t> left_{0};
  mutable std::atomic<bool> cancelled_{false};
};

TEST_F(LoadedTableFaults, AQueryMayBeCancelledWhileThreadsReadAhead) {
  const CancellingFile file(made.bytes);
  const auto table = Table::open(file);
  ASSERT_TRUE(table.ok());
  const Query query = query_of(*table, {"", "run", "sum(price), avg(maybe)"});
  const std::string expected = answer_of(query, nullptr).text;
  int cancelled = 0;
  for (int reads = 1; reads < 40; reads += kIsSanitized ? 5 : 1) {
    const auto faults = std::make_shared<EmulatedFaults>();
    file.cancel_after(reads);
    QueryOptions options;
    options.threads = 2;
    options.device = make_emulated_query_device(faults, 1, {260'000, kNoLimit});
    options.cancelled = &file.cancelled();
    TextSink sink;
    const auto done = query.run(options, sink);
    if (done.ok()) {
      EXPECT_EQ(sink.text, expected);
    } else {
      EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
      ++cancelled;
    }
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
  EXPECT_GT(cancelled, 2);
}

/// What parts under way may take is not there after all: then they wait until it is their turn.
TEST_F(LoadedTableFaults, ADeviceWithLessMemoryThanItsLimitReadsNotAhead) {
  const std::string expected = answer(*made.table, nullptr);
  int right = 0;
  for (std::uint64_t kilobytes = 20; kilobytes < 600; kilobytes += kIsSanitized ? 60 : 20) {
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->device_bytes = kilobytes * 1000;
    const std::string found = answer(*made.table, make_emulated_query_device(faults));
    right += found == expected ? 1 : 0;
    if (found != expected) {
      EXPECT_EQ(found.substr(0, 13), "error: out of") << found;
    }
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
  EXPECT_GT(right, 2);
}

}  // namespace
}  // namespace presso::loaded_table_test
