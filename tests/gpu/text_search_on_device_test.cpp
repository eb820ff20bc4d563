// SPDX-License-Identifier: MIT
// TextSearch with the real kernels: counts and places of lines are those of a scan on the CPU, by
// every engine, also where there is too little room for places and in a captured graph.
#include <cuda_runtime_api.h>

#include <deque>
#include <thread>

#include "presso/scan.h"
#include "presso/text_gpu.h"
#include "tests/gpu/on_device.h"
#include "tests/simt/scan_texts.h"

namespace presso::gpu::test::text_search_on_device_test {
namespace {

constexpr std::uint64_t kUntouched = 0xDBDBDBDBDBDBDBDB;

struct Found {
  std::uint64_t lines = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  friend bool operator==(const Found&, const Found&) = default;
};

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

Found on_cpu(const Pattern& pattern, const std::string& text) {
  Found found;
  MemorySource source(bytes_of(text));
  ScanOptions options;
  options.binary = BinaryRule::kText;
  const auto summary = presso::scan(source, pattern, options, [&](const MatchedLine& line) {
    const bool ended = !line.text.empty() && line.text.back() == '\n';
    found.places.emplace_back(line.offset, line.offset + line.text.size() - (ended ? 1 : 0));
    return true;
  });
  EXPECT_TRUE(summary.ok());
  if (summary.ok()) found.lines = summary->lines;
  return found;
}

class TextSearchOnDevice : public OnDevice {
 protected:
  /// Memory for a search, and its arguments.
  struct Prepared {
    DeviceMemory text, table, lines, places, temporary;
    TextArguments arguments;
  };

  Result<Prepared> prepare(const TextSearch& search, const std::string& text, bool places,
                           std::uint64_t most) {
    Prepared prepared;
    PRESSO_ASSIGN(prepared.text, copy_of(text.data(), text.size()));
    std::vector<Byte> table(std::max<std::size_t>(search.table().size(), 1));
    std::copy(search.table().begin(), search.table().end(), table.begin());
    PRESSO_ASSIGN(prepared.table, copy_of(table.data(), table.size()));
    PRESSO_ASSIGN(prepared.lines, copy_of(&kUntouched, sizeof kUntouched));
    const std::vector<std::uint64_t> untouched(2 * (most + 1), kUntouched);
    PRESSO_ASSIGN(prepared.places, copy_of(untouched.data(), 8 * untouched.size()));
    TextArguments& arguments = prepared.arguments;
    arguments.temporary_bytes = search.temporary_bytes(text.size(), places);
    PRESSO_ASSIGN(prepared.temporary, memory_->allocate(arguments.temporary_bytes));
    arguments.d_text = prepared.text.get();
    arguments.bytes = text.size();
    arguments.d_table = prepared.table.get();
    arguments.d_lines = reinterpret_cast<std::uint64_t*>(prepared.lines.get());
    if (places) arguments.d_places = reinterpret_cast<LinePlace*>(prepared.places.get());
    arguments.most_places = most;
    arguments.d_temporary = prepared.temporary.get();
    return prepared;
  }

  /// What a search has left; `most`: of places.
  Result<Found> fetch(const Prepared& prepared, std::uint64_t most) {
    Found found;
    std::vector<LinePlace> places(most + 1);
    PRESSO_TRY(device_->copy_out(reinterpret_cast<Byte*>(&found.lines), prepared.lines.get(),
                                 sizeof found.lines, stream_.get()));
    PRESSO_TRY(device_->copy_out(reinterpret_cast<Byte*>(places.data()), prepared.places.get(),
                                 places.size() * sizeof(LinePlace), stream_.get()));
    PRESSO_TRY(device_->wait(stream_.get()));
    EXPECT_EQ(places.back().begin, kUntouched);
    for (const LinePlace& place : places) {
      if (place.begin != kUntouched) found.places.emplace_back(place.begin, place.end);
    }
    return found;
  }

  void expect_found(const TextSearch& search, const std::string& text, const Found& cpu,
                    const std::string& what) {
    for (const std::uint64_t most : {cpu.lines + 5, cpu.lines / 2, std::uint64_t{0}}) {
      for (const bool places : {false, true}) {
        const auto prepared = prepare(search, text, places, most);
        ASSERT_TRUE(prepared.ok()) << prepared.error().message();
        const Status status = search.run(prepared->arguments, stream_.get());
        ASSERT_TRUE(status.ok()) << status.error().message();
        const auto found = fetch(*prepared, most);
        ASSERT_TRUE(found.ok()) << found.error().message();
        EXPECT_EQ(found->lines, cpu.lines) << what;
        Found expected = cpu;
        expected.places.resize(places ? std::min<std::size_t>(most, cpu.lines) : 0);
        EXPECT_TRUE(found->places == expected.places) << what << ", places of " << most;
      }
    }
  }

  Pattern literals(const std::vector<std::string>& strings, bool ignore_case) {
    PatternOptions options;
    options.ignore_case = ignore_case;
    return *Pattern::compile_literals(strings, options);
  }
};

TEST_F(TextSearchOnDevice, FindsWhatTheCpuFindsByEveryEngine) {
  const std::vector<std::vector<std::string>> all_strings = {
      {"a"}, {"iJK"}, {"abcdefgh"}, {"c", "dd"}, {"hgfedcb", "abcdefga", "Jkl"}};
  for (const std::size_t bytes : {1u, 17u, 8192u, 32769u, 100001u, 3000000u}) {
    for (const std::uint32_t line : {20u, 500u, 60000u}) {
      const std::string text = presso::test::random_text(bytes, "abcdefghiJKL ", line, bytes);
      for (const auto& strings : all_strings) {
        const Pattern pattern = literals(strings, bytes % 2 == 0);
        const Found cpu = on_cpu(pattern, text);
        for (const TextEngine engine :
             {TextEngine::kAuto, TextEngine::kAutomaton, TextEngine::kRareLiteral,
              TextEngine::kPlanes, TextEngine::kManyLiterals}) {
          const auto search = TextSearch::compile(pattern, engine);
          if (!search.ok()) continue;  // too long for planes
          expect_found(*search, text, cpu,
                       search->describe() + ", " + strings[0] + ", " + std::to_string(bytes));
        }
      }
    }
  }
}

TEST_F(TextSearchOnDevice, FindsExpressions) {
  const std::string text = presso::test::random_text(2'000'003, "abcdefghij 0123", 70, 9);
  for (const char* const source : {"[0-9]{3}.*a", "^a", "b$", "^$", "(?i)A.?B", "zzz"}) {
    const auto pattern = Pattern::compile(std::vector<std::string>{source});
    ASSERT_TRUE(pattern.ok());
    const auto search = TextSearch::compile(*pattern);
    ASSERT_TRUE(search.ok()) << source;
    expect_found(*search, text, on_cpu(*pattern, text), source);
  }
}

TEST_F(TextSearchOnDevice, MayBeCapturedInAGraph) {
  const std::string text = presso::test::random_text(500'000, "abcdef ", 60, 4);
  const Pattern pattern = literals({"abc"}, false);
  const auto search = TextSearch::compile(pattern);
  ASSERT_TRUE(search.ok());
  const Found cpu = on_cpu(pattern, text);
  const auto prepared = prepare(*search, text, true, cpu.lines);
  ASSERT_TRUE(prepared.ok());
  ASSERT_TRUE(search->run(prepared->arguments, stream_.get()).ok());  // loads the kernels
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_TRUE(search->run(prepared->arguments, stream_.get()).ok());
  ASSERT_EQ(cudaStreamEndCapture(stream_.get(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(cudaGraphLaunch(runnable, stream_.get()), cudaSuccess);
    const auto found = fetch(*prepared, cpu.lines);
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(*found == cpu);
  }
  EXPECT_EQ(cudaGraphExecDestroy(runnable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

/// The limit of a kernel's shared memory belongs to the process, the tables to each search.
TEST_F(TextSearchOnDevice, ThreadsMaySearchWithTablesOfDifferentSizes) {
  const std::string text = presso::test::random_text(300'000, "abcdefghij 0123", 70, 11);
  struct Work {
    TextSearch search;
    Found cpu;
    Prepared prepared;
    OwnedStream stream;
    Status failed;
    int wrong = 0;
  };
  std::deque<Work> all;
  const std::vector<std::vector<std::string>> patterns = {
      {"a"}, {"[0-9]{3}.*a"}, {"[a-c][0-9]{9}"}, {"(a|b).{5}[0-3].{3}j"}};
  for (const auto& strings : patterns) {
    const auto pattern = Pattern::compile(strings);
    ASSERT_TRUE(pattern.ok());
    const auto search = TextSearch::compile(*pattern, TextEngine::kAutomaton);
    ASSERT_TRUE(search.ok()) << strings[0];
    Found cpu = on_cpu(*pattern, text);
    auto prepared = prepare(*search, text, false, 0);
    auto stream = make_stream(*device_);
    ASSERT_TRUE(prepared.ok() && stream.ok());
    all.push_back({*search, std::move(cpu), std::move(*prepared), std::move(*stream), {}});
  }
  std::vector<std::thread> threads;
  for (Work& work : all) {
    threads.emplace_back([&work, this] {
      for (int run = 0; run < 200 && work.failed.ok(); ++run) {
        std::uint64_t lines = kUntouched;
        Byte* const out = reinterpret_cast<Byte*>(&lines);
        CUstream_st* const stream = work.stream.get();
        work.failed = work.search.run(work.prepared.arguments, stream);
        if (!work.failed.ok()) return;
        work.failed = device_->copy_out(out, work.prepared.lines.get(), sizeof lines, stream);
        if (!work.failed.ok()) return;
        work.failed = device_->wait(stream);
        work.wrong += lines != work.cpu.lines;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Work& work : all) {
    EXPECT_TRUE(work.failed.ok()) << work.failed.error().message();
    EXPECT_EQ(work.wrong, 0) << work.search.describe();
  }
}

TEST_F(TextSearchOnDevice, RefusesMemoryThatIsNotAsItMustBe) {
  const Pattern pattern = literals({"a longer string"}, false);
  const auto search = TextSearch::compile(pattern, TextEngine::kAutomaton);
  ASSERT_TRUE(search.ok());
  const auto prepared = prepare(*search, "text\n", true, 3);
  ASSERT_TRUE(prepared.ok());
  const auto refuses = [&](const auto& change) {
    TextArguments arguments = prepared->arguments;
    change(arguments);
    const Status status = search->run(arguments, stream_.get());
    return !status.ok() && status.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refuses([](TextArguments& text) { ++text.d_text; }));
  EXPECT_TRUE(refuses([](TextArguments& text) { --text.temporary_bytes; }));
  EXPECT_TRUE(refuses([](TextArguments& text) { text.d_lines = nullptr; }));
  EXPECT_TRUE(refuses([](TextArguments& text) { text.d_table = nullptr; }));
  EXPECT_FALSE(refuses([](TextArguments&) {}));
}

}  // namespace
}  // namespace presso::gpu::test::text_search_on_device_test
