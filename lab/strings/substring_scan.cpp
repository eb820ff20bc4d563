// SPDX-License-Identifier: MIT
#include "lab/strings/substring_scan.h"

#include <cstring>
#include <utility>

#include "format/cpu_loops.h"
#include "lab/strings/predicate.h"
#include "lab/strings/regex_scan.h"
#include "lab/strings/substring_kernels.h"
#include "lab/strings/substring_tables.h"
#include "scan/bytes/kernels.h"

namespace presso::strings {
namespace {

using Made = Result<std::unique_ptr<SubstringScan>>;
using Substrings = std::vector<std::string>;

/// Asks `holds` about each row.
template <class Holds>
std::size_t select_if(const StringColumnView& column, std::span<std::uint32_t> ids,
                      const Holds& holds) {
  std::size_t found = 0;
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    ids[found] = static_cast<std::uint32_t>(row);
    found += holds(column.row(row)) ? 1 : 0;
  }
  return found;
}

bool library_in_order(const Substrings& substrings, std::size_t from, Bytes row) {
  const std::string_view text(reinterpret_cast<const char*>(row.data()), row.size());
  std::size_t at = 0;
  for (std::size_t i = from; i < substrings.size(); ++i) {
    at = text.find(substrings[i], at);
    if (at == std::string_view::npos) return false;
    at += substrings[i].size();
  }
  return true;
}

class LibraryScan : public SubstringScan {
 public:
  explicit LibraryScan(Substrings substrings) : substrings_(std::move(substrings)) {}
  std::size_t select(const StringColumnView& column, std::span<std::uint32_t> ids) const override {
    return select_if(column, ids, [&](Bytes row) { return library_in_order(substrings_, 0, row); });
  }

 private:
  Substrings substrings_;
};

/// Any of the linear engines.
template <class Table, class View>
class TableScan : public SubstringScan {
 public:
  TableScan(std::vector<Table> tables, View (*view_of)(const Table&)) : tables_(std::move(tables)) {
    for (const Table& table : tables_) views_.push_back(view_of(table));
  }
  std::size_t select(const StringColumnView& column, std::span<std::uint32_t> ids) const override {
    const auto count = static_cast<std::uint32_t>(views_.size());
    return select_if(column, ids, [&](Bytes row) {
      return contains_in_order(views_.data(), count, row.data(), row.size());
    });
  }

 private:
  std::vector<Table> tables_;
  std::vector<View> views_;
};

template <class Form>
Made make_kmp(const Substrings& substrings) {
  std::vector<KmpTable> tables(substrings.begin(), substrings.end());
  return Made(std::make_unique<TableScan<KmpTable, Form>>(
      std::move(tables), +[](const KmpTable& table) { return table.view<Form>(); }));
}

Made make_boyer_moore(const Substrings& substrings) {
  std::vector<BoyerMooreTable> tables(substrings.begin(), substrings.end());
  return Made(std::make_unique<TableScan<BoyerMooreTable, BoyerMoore>>(
      std::move(tables), +[](const BoyerMooreTable& table) { return table.view(); }));
}

Made make_aho_corasick(const Substrings& substrings) {
  std::vector<AhoCorasickTable> tables;
  for (const std::string& substring : substrings) {
    PRESSO_ASSIGN(AhoCorasickTable table, AhoCorasickTable::make({&substring, 1}));
    tables.push_back(std::move(table));
  }
  return Made(std::make_unique<TableScan<AhoCorasickTable, AhoCorasick>>(
      std::move(tables), +[](const AhoCorasickTable& table) { return table.view(); }));
}

class DfaScan : public SubstringScan {
 public:
  DfaScan(DfaTable32 table, CpuLevel level) : table_(std::move(table)) { options_.level = level; }
  std::size_t select(const StringColumnView& column, std::span<std::uint32_t> ids) const override {
    return *select_rows(table_.view(), column, options_, ids);
  }

 private:
  DfaTable32 table_;
  SelectOptions options_;
};

Made make_dfa(const Substrings& substrings, CpuLevel level) {
  PRESSO_ASSIGN(const Dfa dfa, compile(contains_in_order(substrings)));
  PRESSO_ASSIGN(DfaTable32 table, DfaTable32::make(dfa));
  return Made(std::make_unique<DfaScan>(std::move(table), level));
}

class NeedleScan : public SubstringScan {
 public:
  NeedleScan(const Substrings& substrings, ContainsNeedles contains)
      : needles_(substrings.begin(), substrings.end()), contains_(contains) {}
  std::size_t select(const StringColumnView& column, std::span<std::uint32_t> ids) const override {
    const Byte* const end = column.bytes + column.size_bytes();
    return select_if(column, ids, [&](Bytes row) {
      return contains_(needles_.data(), needles_.size(), row.data(), row.size(), end);
    });
  }

 private:
  std::vector<Needle> needles_;
  ContainsNeedles contains_;
};

Made make_needles(const Substrings& substrings, SubstringEngine engine, CpuLevel level) {
#if defined(__x86_64__)
  const bool long_ones = engine == SubstringEngine::kVector;
  for (const std::string& substring : substrings) {
    if (long_ones || substring.size() <= Needle::kRegister) continue;
    return make_error(ErrorCode::kUnsupported, "PCMPESTRI takes 16 bytes");
  }
  // Every CPU with AVX2 has SSE4.2.
  if (level != CpuLevel::kPortable) {
    return Made(std::make_unique<NeedleScan>(
        substrings, long_ones ? contains_needles_avx2 : contains_needles_sse42));
  }
#else
  static_cast<void>(substrings);
  static_cast<void>(engine);
  static_cast<void>(level);
#endif
  return make_error(ErrorCode::kUnsupported, "this CPU lacks the instructions");
}

/// The first substring is looked for in all rows' bytes as if they were one text; a place that
/// spans rows is none. Behind it the row's rest is searched by the library.
class SweepScan : public SubstringScan {
 public:
  SweepScan(Substrings substrings, CpuLevel level)
      : substrings_(std::move(substrings)),
        find_pairs_(loops_for<scan_detail::Kernels>(level).find_pairs) {
    const std::string& first = substrings_.front();
    probe_.first = {0, 0xFF, static_cast<Byte>(first.front())};
    const auto last =
        static_cast<std::uint32_t>(std::min<std::size_t>(first.size() - 1, scan_detail::kMaxReach));
    probe_.second = {last, 0xFF, static_cast<Byte>(first[last])};
  }

  std::size_t select(const StringColumnView& column, std::span<std::uint32_t> ids) const override {
    const std::size_t size = substrings_.front().size();
    const std::uint64_t bytes = column.size_bytes();
    if (bytes < size) return 0;
    Found found{0, 0};
    scan_detail::CandidateBatch batch;
    for (std::size_t from = 0; from < bytes - size + 1;) {
      batch.count = 0;
      from = find_pairs_(probe_, column.bytes, from, bytes - size + 1, batch);
      for (std::size_t i = 0; i < batch.count; ++i) take(column, batch.at[i], ids, found);
    }
    return found.ids;
  }

 private:
  struct Found {
    std::size_t ids;
    std::uint64_t row;  ///< the first that is not decided
  };

  void take(const StringColumnView& column, std::size_t place, std::span<std::uint32_t> ids,
            Found& found) const {
    const std::string& first = substrings_.front();
    while (found.row < column.rows && column.offsets[found.row + 1] <= place) ++found.row;
    if (found.row == column.rows || column.offsets[found.row] > place) return;
    const std::uint64_t end = column.offsets[found.row + 1];
    if (place + first.size() > end) return;
    if (std::memcmp(column.bytes + place, first.data(), first.size()) != 0) return;
    const std::uint64_t after = place + first.size();
    if (library_in_order(substrings_, 1, {column.bytes + after, end - after})) {
      ids[found.ids++] = static_cast<std::uint32_t>(found.row);
    }
    ++found.row;  // whatever the answer: a later first match leaves less
  }

  Substrings substrings_;
  scan_detail::FindPairs find_pairs_;
  scan_detail::PairProbe probe_;
};

Made make_sweep(const Substrings& substrings, CpuLevel level) {
  if (substrings.empty() || substrings[0].empty()) {
    return make_error(ErrorCode::kUnsupported, "a sweep needs a first substring");
  }
  return Made(std::make_unique<SweepScan>(substrings, level));
}

constexpr std::pair<SubstringEngine, const char*> kNames[] = {
    {SubstringEngine::kLibrary, "library"},
    {SubstringEngine::kKmpStep, "kmp-step"},
    {SubstringEngine::kKmpBasic, "kmp-basic"},
    {SubstringEngine::kKmpHybrid, "kmp-hybrid"},
    {SubstringEngine::kBoyerMoore, "boyer-moore"},
    {SubstringEngine::kAhoCorasick, "aho-corasick"},
    {SubstringEngine::kDfa, "dfa"},
    {SubstringEngine::kVectorDfa, "vector-dfa"},
    {SubstringEngine::kStringInstruction, "pcmpestri"},
    {SubstringEngine::kVector, "avx2"},
    {SubstringEngine::kSweep, "sweep"},
};

}  // namespace

std::span<const SubstringEngine> all_substring_engines() {
  static constexpr auto kAll = [] {
    std::array<SubstringEngine, std::size(kNames)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kNames[i].first;
    return all;
  }();
  return kAll;
}

const char* name(SubstringEngine engine) {
  return kNames[static_cast<int>(engine)].second;
}

Made SubstringScan::make(const Substrings& substrings, SubstringEngine engine, CpuLevel level) {
  switch (engine) {
    case SubstringEngine::kLibrary:
      return Made(std::make_unique<LibraryScan>(substrings));
    case SubstringEngine::kKmpStep:
      return make_kmp<KmpStep>(substrings);
    case SubstringEngine::kKmpBasic:
      return make_kmp<KmpBasic>(substrings);
    case SubstringEngine::kKmpHybrid:
      return make_kmp<KmpHybrid<8>>(substrings);
    case SubstringEngine::kBoyerMoore:
      return make_boyer_moore(substrings);
    case SubstringEngine::kAhoCorasick:
      return make_aho_corasick(substrings);
    case SubstringEngine::kDfa:
      return make_dfa(substrings, CpuLevel::kPortable);
    case SubstringEngine::kVectorDfa:
      return make_dfa(substrings, level);
    case SubstringEngine::kStringInstruction:
    case SubstringEngine::kVector:
      return make_needles(substrings, engine, level);
    case SubstringEngine::kSweep:
      break;
  }
  return make_sweep(substrings, level);
}

}  // namespace presso::strings
