// SPDX-License-Identifier: MIT
// Asks the statements of tests/queries on the device of tests, which is the emulator here and a
// real one in tests/gpu, and on the CPU: both give the same bits. Each CPU answer is computed once,
// however many runs are compared with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/device_table.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/query_file.h"
#include "tests/simt/query_runs.h"
#include "tests/simt/real_cases.h"
#include "tests/support/places.h"
#include "tests/support/sanitized.h"

namespace presso::query_cases_test {
namespace {

using namespace test;

/// Under a tool that checks each access kernels take many times as long.
bool is_checked() {
  const char* const scale = std::getenv("PRESSO_GPU_TEST_SCALE");
  return kIsSanitized || (scale != nullptr && std::string(scale) == "small");
}

/// What has happened in the runs of a test, by the names that "least" and "most" have for it.
using Tally = std::map<std::string, std::uint64_t>;

bool is_error(const Answer& answer) {
  return answer.text.starts_with("error:");
}

/// A test for one size of its tables.
class QueryCases : public ::testing::Test {
 public:
  QueryCases(std::shared_ptr<const QueryFile> file, const QueryTest& test,
             std::shared_ptr<QueryTables> tables)
      : file_(std::move(file)), test_(test), tables_(std::move(tables)) {}

  void TestBody() override {
    const std::vector<QueryRun> runs = runs_of(test_, is_checked());
    for (const QueryStatement& statement : statements_of(*file_, test_, is_checked())) {
      SCOPED_TRACE(statement.text);
      const Query query = tables_->query_of(statement.text);
      if (HasFailure()) return;
      if (test_.runs.contains("faults")) {
        for (const QueryRun& run : runs) expect_faults_told(query, run);
        continue;
      }
      ask(query, statement, runs);
    }
    loaded_.clear();
    device_ = nullptr;
    EXPECT_EQ(resident_->live_bytes, 0u);
    for (const auto& [name, least] : test_.least) {
      const std::uint64_t asked = least == ~std::uint64_t{0} ? tally_["runs"] : least;
      EXPECT_GE(tally_[name], is_checked() ? least_of_few(asked) : asked) << name;
    }
    for (const auto& [name, most] : test_.most) EXPECT_LE(tally_[name], most) << name;
  }

 private:
  /// What is asked of a test that a sanitizer watches. It runs fewer statements, and where they are
  /// random there need be none of a kind among them.
  std::uint64_t least_of_few(std::uint64_t asked) const {
    return test_.runs.contains("random") ? 0 : std::min<std::uint64_t>(asked, 1);
  }

  std::optional<std::string> expected(const QueryStatement& statement, const char* key) const {
    for (const Settings* const settings : {&statement.expected, &test_.expected}) {
      if (const auto found = settings->find(key); found != settings->end()) return found->second;
    }
    return std::nullopt;
  }

  void expect_faults_told(const Query& query, const QueryRun& run) const {
    const std::string& numbers = test_.runs.at("faults");
    const std::size_t of = numbers.find(" of ");
    const std::uint64_t most = of == std::string::npos ? 40 : std::stoull(numbers.substr(of + 4));
    expect_faults_are_told(query, std::stoull(numbers), most, [&](const auto& faults) {
      faults->group_parts = run.faults()->group_parts;
      return run.options(query, run.device(faults));
    });
  }

  void ask(const Query& query, const QueryStatement& statement, const std::vector<QueryRun>& runs) {
    const Answer right = bits_of(query, nullptr);
    if (!test_.runs.contains("random") && !expected(statement, "error")) {
      ASSERT_FALSE(is_error(right)) << right.text;
    }
    if (expected(statement, "rows")) {
      EXPECT_GT(right.summary.rows_matched, 0u);
    }
    for (QueryRun run : runs) {
      SCOPED_TRACE(run.text());
      run.seed += ++asked_;
      const bool is_resident = test_.runs.contains("resident");
      const auto faults = is_resident ? resident_ : run.faults();
      const Answer found = is_resident ? answer_of_residents(query, statement, run)
                                       : bits_with(query, run.options(query, run.device(faults)));
      EXPECT_TRUE(is_resident || faults->live_bytes == 0) << faults->live_bytes;
      EXPECT_TRUE(is_resident || faults->live_handles == 0) << faults->live_handles;
      compare(found, right, statement, run);
      const auto most_rows = expected(statement, "string_rows");
      if (most_rows && faults->all_string_rows != 0) {
        EXPECT_LE(faults->string_rows, std::stoull(*most_rows)) << faults->all_string_rows;
      }
      if (!is_error(found)) count(found, *faults);
    }
  }

  /// With the tables of this statement and of those before in the memory of one device.
  Answer answer_of_residents(const Query& query, const QueryStatement& statement,
                             const QueryRun& run) {
    if (device_ == nullptr) device_ = run.device(resident_);
    for (const std::string& name : QueryTables::names_in(statement.text)) {
      if (loaded_.contains(name)) continue;
      auto table = gpu::DeviceTable::load(device_, tables_->files(name), {{}, 2});
      EXPECT_TRUE(table.ok()) << table.error().message();
      if (table.ok()) loaded_.emplace(name, std::move(*table));
    }
    for (auto* const count :
         {&resident_->numbered, &resident_->listed, &resident_->text_tests, &resident_->left_tests,
          &resident_->bits_taken, &resident_->string_rows, &resident_->all_string_rows}) {
      *count = 0;
    }
    const std::uint64_t of_tables = resident_->live_bytes;
    Answer found = bits_with(query, run.options(query, device_));
    EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_resident);
    EXPECT_EQ(resident_->live_bytes, of_tables);
    return found;
  }

  void compare(const Answer& found, const Answer& right, const QueryStatement& statement,
               const QueryRun& run) {
    const auto refused = expected(statement, "refused");
    if (refused && says(found.text, refused->c_str())) {
      ++tally_["refused"];
      return;
    }
    if (run.has_little_memory() && found.text.starts_with("error: out of ")) {
      ++tally_["without_memory"];
      return;
    }
    ASSERT_TRUE(found.text == right.text) << found.text.substr(0, 300) << "\nin place of\n"
                                          << right.text.substr(0, 300);
    if (is_error(right)) return;
    EXPECT_EQ(found.summary.rows, right.summary.rows);
    EXPECT_EQ(found.summary.rows_matched, right.summary.rows_matched);
    EXPECT_EQ(found.summary.groups, right.summary.groups);
    // Where the device finds rows, and the CPU writes them, both may read columns of conditions;
    // where memory runs out without a limit, all is read again, as are blocks of long strings.
    if (found.summary.why_cpu.empty() && found.summary.on_device != "conditions" &&
        run.device_bytes == QueryRun::kAll && !expected(statement, "rereads")) {
      EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
    }
    const bool may_be_the_cpus = run.has_little_memory() || test_.runs.contains("random");
    const std::string why = expected(statement, "why_cpu").value_or(may_be_the_cpus ? "any" : "");
    if (why != "any") {
      EXPECT_EQ(found.summary.why_cpu, why);
    }
    if (const auto left = expected(statement, "left"); left && !found.summary.why_cpu.empty()) {
      EXPECT_EQ(found.summary.why_cpu, *left);
    }
    if (const auto part = expected(statement, "on_device")) {
      EXPECT_EQ(found.summary.on_device, *part);
    }
    if (const auto passes = expected(statement, "passes")) {
      const bool is_more = passes->starts_with("more than ");
      const std::uint64_t number = std::stoull(is_more ? passes->substr(10) : *passes);
      EXPECT_TRUE(is_more ? found.summary.passes > number : found.summary.passes == number)
          << found.summary.passes << " passes";
    }
  }

  void count(const Answer& found, const EmulatedFaults& faults) {
    const bool is_there = found.summary.why_cpu.empty();
    const auto count_if = [&](const char* name, bool is_so) { tally_[name] += is_so ? 1 : 0; };
    count_if("runs", true);
    count_if("on_device", is_there && !found.summary.on_device.empty());
    count_if("by_cpu", !is_there);
    count_if("in_passes", is_there && found.summary.passes > 1);
    count_if("from_memory", found.summary.bytes_read == 0);
    count_if("launched", faults.launches != 0);
    count_if("one_source", faults.sources == 1 && faults.compilations > 2);
    count_if("few_sources", faults.sources <= 2 && faults.compilations > 2);
    count_if("parted", faults.parted != 0);
    count_if("not_parted", is_there && faults.parted == 0);
    count_if("merged", faults.merged != 0);
    count_if("numbered", faults.numbered != 0);
    count_if("listed", faults.listed != 0);
    count_if("listed_in_parts", faults.listed > 1);
    count_if("text_tests", faults.text_tests != 0);
    count_if("left_tests", faults.left_tests != 0);
    count_if("bits_taken", faults.bits_taken != 0);
  }

  const std::shared_ptr<const QueryFile> file_;
  const QueryTest& test_;
  const std::shared_ptr<QueryTables> tables_;
  /// A device with tables in its memory, where the test says so.
  const std::shared_ptr<EmulatedFaults> resident_ = std::make_shared<EmulatedFaults>();
  std::shared_ptr<QueryDevice> device_;
  std::map<std::string, gpu::DeviceTable> loaded_;
  Tally tally_;
  std::uint32_t asked_ = 0;
};

/// Says what is wrong with a file, or that there is none.
class BrokenFile : public ::testing::Test {
 public:
  explicit BrokenFile(std::string why) : why_(std::move(why)) {}
  void TestBody() override { ADD_FAILURE() << why_; }

 private:
  std::string why_;
};

void add_broken(const std::string& why) {
  ::testing::RegisterTest("Queries", "CanBeRead", nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> ::testing::Test* { return new BrokenFile(why); });
}

void add_tests(const std::shared_ptr<const QueryFile>& file) {
  std::map<std::string, std::shared_ptr<QueryTables>> tables;
  std::string suite = "Queries_" + file->name;
  for (const QueryTest& test : file->tests) {
    const std::vector<std::string> usual{""};
    for (const std::string& size : test.sizes.empty() ? usual : test.sizes) {
      auto& known = tables[size];
      if (known == nullptr) known = std::make_shared<QueryTables>(tables_of(*file, size));
      std::string name = test.name + (size.empty() ? "" : "_" + size);
      std::replace(name.begin(), name.end(), '/', '_');
      ::testing::RegisterTest(
          suite.c_str(), name.c_str(), nullptr, nullptr, file->path.c_str(), test.line,
          [file, &test, known]() -> ::testing::Test* { return new QueryCases(file, test, known); });
    }
  }
}

/// The tests of all files, before main() runs them.
bool add_all() {
  try {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(tests::tests_folder() / "queries")) {
      if (entry.path().extension() == ".txt") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      add_tests(std::make_shared<const QueryFile>(read_query_file(path)));
    }
  } catch (const std::exception& error) {
    add_broken(error.what());
  }
  return true;
}

const bool kAreThere = add_all();

}  // namespace
}  // namespace presso::query_cases_test
