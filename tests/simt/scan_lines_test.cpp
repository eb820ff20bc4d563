// SPDX-License-Identifier: MIT
// The line scan's kernels find what a scalar run of the automaton finds: every layout of the table,
// texts with sizes around every border, lines shorter and longer than chunks and tiles, guesses
// that are wrong, automata that never forget.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "scan/automaton/transition_monoid.h"
#include "scan/gpu/lines/line_tiles.cuh"
#include "tests/simt/emulated_chain.h"
#include "tests/simt/scan_texts.h"
#include "tests/support/line_dfas.h"

namespace presso::test::scan_lines_test {
namespace {

using gpu::LineScanArguments;
using gpu::LineTable;
using gpu::LineTableKind;
using simt::u32;
using simt::u64;

struct alignas(16) Aligned {
  Byte bytes[16];
};

/// Memory of exactly the size of `from` at an address that is a multiple of 16.
class AlignedCopy {
 public:
  explicit AlignedCopy(Bytes from) : memory_(::operator new (from.size(), std::align_val_t{16})) {
    std::copy(from.begin(), from.end(), static_cast<Byte*>(memory_));
  }
  AlignedCopy(const AlignedCopy&) = delete;
  AlignedCopy& operator=(const AlignedCopy&) = delete;
  ~AlignedCopy() { ::operator delete (memory_, std::align_val_t{16}); }
  const Byte* get() const { return static_cast<const Byte*>(memory_); }

 private:
  void* memory_;
};

struct Shape {
  u32 strip_bytes = 64;
  u32 grid = 2;
  u32 threads = 64;
  u32 seed = 1;
  bool marks = true;
};

simt::Options options_of(u32 seed) {
  const simt::Order order = seed % 4 == 0   ? simt::Order::kReverse
                            : seed % 4 == 1 ? simt::Order::kForward
                                            : simt::Order::kRandom;
  return {.order = order, .seed = seed};
}

struct Found {
  u64 lines = 0;
  std::vector<u64> ends;
  u32 broken = 0;
};

template <class Rows>
void launch(const LineScanArguments& scan, const Shape& shape) {
  const u32 warps = shape.threads / simt::kWarpSize;
  const auto run = [&](std::size_t shared, const std::function<void()>& body) -> Status {
    const auto report =
        simt::run({shape.grid, shape.threads, shared}, options_of(shape.seed), body);
    EXPECT_TRUE(report.ok()) << report.what;
    return {};
  };
  const auto tiles = [&] {
    if (shape.marks) {
      gpu::line_tiles_body<Rows, true>(scan);
    } else {
      gpu::line_tiles_body<Rows, false>(scan);
    }
  };
  EXPECT_TRUE(run(scan.table.shared_bytes + gpu::kStagedBytes * warps, tiles).ok());
  EmulatedChain chain(scan, warps, run);
  EXPECT_TRUE(gpu::enqueue_tile_chain<Rows>(scan, chain).ok());
}

void launch(const LineScanArguments& scan, const Shape& shape) {
  if (scan.table.kind == LineTableKind::kGlobal) return launch<gpu::GlobalRows>(scan, shape);
  if (scan.table.kind == LineTableKind::kShared) return launch<gpu::SharedRows>(scan, shape);
  if (scan.table.kind == LineTableKind::kByteClasses) {
    if (scan.table.hit_shift == 7) return launch<gpu::ByteClassRows<7>>(scan, shape);
    return launch<gpu::ByteClassRows<8>>(scan, shape);
  }
  if (scan.table.hit_shift == 5) return launch<gpu::ByteRows<5>>(scan, shape);
  if (scan.table.hit_shift == 7) return launch<gpu::ByteRows<7>>(scan, shape);
  launch<gpu::ByteRows<8>>(scan, shape);
}

/// Where `complete` the text ends the last line.
Found scan_by_kernels(const LineTable& table, Bytes text, bool complete, const Shape& shape) {
  const AlignedCopy image(table.image), copy(text);
  Found found;
  LineScanArguments scan;
  scan.d_text = copy.get();
  scan.bytes = text.size();
  scan.table = table.view;
  scan.table.d_image = image.get();
  scan.strip_bytes = shape.strip_bytes;
  scan.ends_line = complete;
  scan.d_lines = &found.lines;
  std::vector<u32> marks(text.size() / 32 + 1);  // allow(bare-32): bits
  if (shape.marks) scan.d_marks = marks.data();
  std::vector<gpu::TileSummary> tiles(scan.tiles());
  std::vector<gpu::TileFunction> functions(scan.tiles());
  scan.d_tiles = tiles.data();
  scan.d_functions = functions.data();
  scan.d_broken = &found.broken;
  launch(scan, shape);
  for (u64 at = 0; at <= text.size(); ++at) {
    if ((marks[at / 32] >> at % 32 & 1) != 0) found.ends.push_back(at);  // allow(bare-32): bits
  }
  return found;
}

/// Every layout, with the transition monoid and without; the number of broken tiles in the first.
u32 expect_right(const LineDfa& dfa, const std::string& text, const Shape& shape) {
  const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
  u32 broken = 0;
  for (const LineTableKind kind : {LineTableKind::kGlobal, LineTableKind::kShared,
                                   LineTableKind::kBytes, LineTableKind::kByteClasses}) {
    auto table = gpu::lay_out_as(kind, dfa.view());
    if (!table.ok() && dfa.states > gpu::kMostByteStates) continue;
    EXPECT_TRUE(table.ok()) << table.error().message();
    if (!table.ok()) return 0;
    for (const bool complete : {true, false}) {
      const ScalarScan expected(dfa.view(), bytes, complete, dfa.start);
      const auto expect_found = [&](const LineTable& used) {
        const Found found = scan_by_kernels(used, bytes, complete, shape);
        EXPECT_EQ(found.lines, expected.ends.size()) << text.size() << ", seed " << shape.seed;
        if (shape.marks) {
          EXPECT_EQ(found.ends, expected.ends) << text.size();
        }
        return found.broken;
      };
      const u32 found = expect_found(*table);
      if (kind == LineTableKind::kGlobal && complete) broken = found;
      if (table->view.monoid.functions == 0) continue;
      LineTable without = *table;
      without.view.monoid = {};
      expect_found(without);
    }
  }
  return broken;
}

TEST(LineKernels, AgreeWithAScalarRunAroundEverySize) {
  const LineDfa dfa = words_dfa({"ab", "bca"});
  for (const u32 tile : {64u, 2048u, 4096u}) {
    for (int off = -18; off <= 18; ++off) {
      const std::size_t size = tile + static_cast<std::size_t>(off);
      Shape shape;
      shape.seed = static_cast<u32>(size);
      shape.marks = size % 3 != 0;
      expect_right(dfa, random_text(size, "abc", 40, size), shape);
    }
  }
}

TEST(LineKernels, AgreeOnSmallTexts) {
  for (std::size_t size = 1; size < 70; ++size) {
    Shape shape;
    shape.seed = static_cast<u32>(size);
    expect_right(words_dfa({"ab"}), random_text(size, "ab", 8, size), shape);
    expect_right(random_dfa(4, "ab", size), random_text(size, "ab", 4, size), shape);
  }
}

TEST(LineKernels, KnowEmptyLinesAndUnfinishedOnes) {
  const LineDfa even = counting_dfa(2);  // empty lines match
  for (const std::string text : {"\n", "\n\n", "a", "aa", "a\n", "aa\n", "\na", "\naa", "aa\n\n"}) {
    expect_right(even, text, {});
  }
  expect_right(even, std::string(5000, '\n'), {});
  expect_right(even, std::string(2048, '\n') + "aa", {});
}

TEST(LineKernels, AgreeOnRandomAutomata) {
  const u32 states[] = {1, 2, 3, 7, 20, 32, 33, 90, 128, 129, 254, 255, 256, 300};
  for (const u32 count : states) {
    for (const u32 line : {5u, 300u, 6000u}) {
      Shape shape;
      shape.seed = count + line;
      shape.strip_bytes = line % 2 == 0 ? 64 : 128;
      shape.threads = count % 2 == 0 ? 32 : 96;
      expect_right(random_dfa(count, "abcd", count), random_text(9000, "abcde", line, count),
                   shape);
    }
  }
}

/// 'error' early in lines longer than chunks and tiles: each guess after it is wrong.
TEST(LineKernels, MendGuessesThatForgotWhatTheLineBeganWith) {
  const LineDfa dfa = words_dfa({"error"}, {"user"});
  u32 broken = 0;
  for (const std::size_t line : {100u, 500u, 3000u, 30000u}) {
    std::string text;
    for (u32 i = 0; text.size() < 20000; ++i) {
      std::string filling = random_text(line, "abcdefg ", 1u << 30, i);
      filling.replace(i % 40, 5, "error");
      if (i % 2 == 0) filling.replace(filling.size() - 10, 4, "user");
      text += filling + '\n';
    }
    for (u32 seed = 0; seed < 4; ++seed) {
      Shape shape;
      shape.seed = seed;
      broken += expect_right(dfa, text, shape);
      text.pop_back();
    }
  }
  EXPECT_GT(broken, 10u);
}

TEST(LineKernels, FollowAutomataThatNeverForget) {
  u32 broken = 0;
  for (const u32 states : {3u, 31u, 50u, 200u, 400u}) {
    for (const u32 line : {1000u, 1u << 30}) {
      Shape shape;
      shape.seed = states;
      broken += expect_right(counting_dfa(states), random_text(15001, "abc", line, states), shape);
    }
  }
  EXPECT_GT(broken, 20u);
}

/// In tiles of 8 KiB and more, which are cut into pieces where 2, 4, 8 or 16 states are possible.
TEST(LineKernels, CutTilesWhereFewStatesArePossible) {
  u32 broken = 0;
  Shape shape;
  shape.strip_bytes = 256;
  const auto expect_in = [&](const LineDfa& dfa, u32 line) {
    ++shape.seed;
    broken += expect_right(dfa, random_text(40'000 + shape.seed, "abc", line, shape.seed), shape);
  };
  for (const u32 states : {2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 17u}) {
    expect_in(counting_dfa(states), 1u << 30);
    expect_in(counting_dfa(states), 9'000);
  }
  for (const u32 states : {5u, 40u}) expect_in(random_dfa(states, "abc", states), 1u << 30);
  expect_in(words_dfa({"abcab"}, {"cbacb"}), 30'000);
  EXPECT_GT(broken, 40u);
}

/// Lines of more than 64 tiles: groups of 32 are one step, chains begin and end within others.
TEST(LineKernels, FollowChainsByGroupsOfTiles) {
  u32 broken = 0;
  for (const u32 states : {3u, 31u, 50u}) {
    for (const u32 line : {1u << 30, 90'000u}) {
      Shape shape;
      shape.seed = states + line;
      const std::string text = random_text(200'000 + states, "abc", line, shape.seed);
      broken += expect_right(counting_dfa(states), text, shape);
    }
  }
  EXPECT_GT(broken, 300u);
}

TEST(LineKernels, StopAtAbsorbingStates) {
  const LineDfa dfa = words_dfa({"a"});
  std::string text = random_text(12000, "xyz", 5000, 3);
  text[10] = 'a';
  text[7000] = 'a';
  for (u32 seed = 0; seed < 4; ++seed) expect_right(dfa, text, {64, 1, 32, seed, true});
}

/// By kernels as by a scalar run, for one layout and what the seed chooses; the broken tiles.
u32 expect_right_somehow(const LineDfa& dfa, const std::string& text, Shape shape,
                         std::mt19937_64& random) {
  const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
  const LineTableKind kinds[] = {LineTableKind::kGlobal, LineTableKind::kShared,
                                 LineTableKind::kBytes, LineTableKind::kByteClasses};
  shape.grid = static_cast<u32>(random() % 3 + 1);
  shape.threads = static_cast<u32>(random() % 3 + 1) * simt::kWarpSize;
  shape.seed = static_cast<u32>(random());
  auto table = gpu::lay_out_as(kinds[random() % 4], dfa.view());
  EXPECT_TRUE(table.ok()) << table.error().message();
  if (!table.ok()) return 0;
  if (random() % 8 == 0) table->view.monoid = {};
  const bool complete = random() % 2 == 0;
  const ScalarScan expected(dfa.view(), bytes, complete, dfa.start);
  const Found found = scan_by_kernels(*table, bytes, complete, shape);
  EXPECT_EQ(found.lines, expected.ends.size());
  EXPECT_EQ(found.ends, expected.ends);
  return found.broken;
}

/// A tile without '\n' in which a wrong guess leads to an absorbing state, and the true state does
/// not: 'p' swaps 0 and 1, 'a' leads 0 to the sink, 'b' to the dead state.
TEST(LineKernels, KnowWhichTilesAreReallyAbsorbed) {
  u32 broken = 0;
  for (u64 seed = 1; seed <= 150; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<u32>> next(4);
    for (u32 state = 0; state < 4; ++state) next[state].assign(256, state);
    next[0]['p'] = 1;
    next[1]['p'] = 0;
    next[0]['a'] = 2;
    next[0]['b'] = 3;
    if (random() % 2 == 0) next[1]['a'] = 3;
    const std::vector<bool> matching = {random() % 2 == 0, random() % 2 == 0, true, false};
    const LineDfa dfa = finish_line_dfa(std::move(next), matching, random() % 4 == 0 ? 1 : 0);
    std::string text(random() % 100'000 + 1, 'x');
    for (u64 left = text.size() / (2048 * (random() % 6 + 1)) + 2; left > 0; --left) {
      text[random() % text.size()] = "ppab"[random() % 4];
    }
    for (u64 left = random() % 12; left > 0; --left) text[random() % text.size()] = '\n';
    broken += expect_right_somehow(dfa, text, {}, random);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(broken, 1000u);
}

/// Permutations, resets and absorbing states; lines that end at and beside borders of stages,
/// chunks, tiles and groups of tiles.
LineDfa mixed_dfa(std::mt19937_64& random) {
  const u32 states = static_cast<u32>(random() % 8 + 1);
  const u32 other = static_cast<u32>(random() % states);
  const bool others_idle = random() % 2 == 0;
  std::vector<std::vector<u32>> next(states, std::vector<u32>(256, other));
  std::vector<u32> letter(states);
  std::iota(letter.begin(), letter.end(), 0u);
  for (u32 state = 0; state < states && others_idle; ++state) next[state].assign(256, state);
  for (const char byte : {'a', 'b', 'c'}) {
    std::shuffle(letter.begin(), letter.end(), random);
    if (random() % 3 == 0) std::fill(letter.begin(), letter.end(), letter.front());
    for (u32 state = 0; state < states; ++state)
      next[state][static_cast<Byte>(byte)] = letter[state];
    std::iota(letter.begin(), letter.end(), 0u);
  }
  for (u64 left = random() % 3; left > 0; --left) {
    const u32 state = static_cast<u32>(random() % states);
    next[state].assign(256, state);
  }
  std::vector<bool> matching(states);
  for (u32 state = 0; state < states; ++state) matching[state] = random() % 2 == 0;
  return finish_line_dfa(std::move(next), matching, static_cast<u32>(random() % states));
}

std::string text_with_borders(u32 strip_bytes, std::mt19937_64& random) {
  const u64 tile = u64{strip_bytes} * simt::kWarpSize;
  const u64 units[] = {64, strip_bytes, tile, tile * simt::kWarpSize, 16};
  const u64 unit_of_size = units[random() % 3];
  const u64 size = (random() % 3 == 0 ? random() % 40 : random() % 6) * tile +
                   (random() % 8 + 1) * unit_of_size + random() % 3 - 1;
  const char* const letters[] = {"abc", "a", "abcxyz", "xxxxxxxxxxxxxxa"};
  std::string text = random_text(size, letters[random() % 4], 1u << 30, random());
  for (u64 left = random() % 20; left > 0; --left) {
    const u64 unit = units[random() % 5];
    const u64 at = random() % (size / unit + 1) * unit + random() % 3 - 1;
    if (at < size) text[at] = '\n';
  }
  return text;
}

TEST(LineKernels, AgreeOnLinesThatEndAtBorders) {
  u32 broken = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    std::mt19937_64 random(seed);
    Shape shape;
    shape.strip_bytes = random() % 4 == 0 ? 128 : 64;
    const LineDfa dfa =
        seed % 4 == 0 ? counting_dfa(static_cast<u32>(random() % 45 + 1)) : mixed_dfa(random);
    const std::string text = text_with_borders(shape.strip_bytes, random);
    broken += expect_right_somehow(dfa, text, shape, random);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(broken, 400u);
}

/// What a word does to a state, by its functions one after another, at once, and by steps.
TEST(TransitionMonoids, DoWhatTheAutomatonDoes) {
  std::vector<LineDfa> dfas = {words_dfa({"ab", "bca"}), words_dfa({"abc"}, {"cb"}),
                               counting_dfa(1), counting_dfa(7), counting_dfa(300)};
  for (u32 states = 2; states < 5; ++states) dfas.push_back(random_dfa(states, "abc", states));
  for (const LineDfa& dfa : dfas) {
    const gpu::TransitionMonoid monoid = gpu::transition_monoid(dfa.view());
    ASSERT_GT(monoid.functions, 0u) << dfa.states;
    for (u32 seed = 0; seed < 200; ++seed) {
      const std::string first = random_text(seed % 40 + 1, "abcx", 1u << 30, seed);
      const std::string second = random_text(seed % 9 + 1, "abcx", 1u << 30, seed + 1);
      const auto function_of = [&](u32 function, const std::string& word) {
        for (const char letter : word) {
          const u32 byte_class = dfa.class_of[static_cast<Byte>(letter)];
          function = monoid.next[function * dfa.classes + byte_class];
        }
        return function;
      };
      const u32 product =
          monoid.products[function_of(0, first) * monoid.functions + function_of(0, second)];
      EXPECT_EQ(product, function_of(function_of(0, first), second));
      for (u32 state = 0; state < dfa.states; ++state) {
        u32 expected = state;
        for (const char letter : first + second) {
          expected = dfa.view().step(expected, static_cast<Byte>(letter));
        }
        EXPECT_EQ(monoid.values[product * dfa.states + state], expected);
      }
    }
  }
}

TEST(TransitionMonoids, AreLeftWhereTheyAreLarge) {
  EXPECT_EQ(gpu::transition_monoid(counting_dfa(2).view()).functions, 2u);
  EXPECT_EQ(gpu::transition_monoid(counting_dfa(gpu::kMostFunctions).view()).functions,
            gpu::kMostFunctions);
  EXPECT_EQ(gpu::transition_monoid(counting_dfa(gpu::kMostFunctions + 1).view()).functions, 0u);
  EXPECT_EQ(gpu::transition_monoid(random_dfa(60, "abcd", 1).view()).functions, 0u);
}

TEST(LineTables, AreChosenByStatesAndClasses) {
  const auto kind_of = [](const LineDfa& dfa, u32 largest = gpu::kLargestShared) {
    return gpu::lay_out(dfa.view(), largest)->view.kind;
  };
  EXPECT_EQ(kind_of(words_dfa({"the"})), LineTableKind::kByteClasses);
  EXPECT_EQ(kind_of(counting_dfa(100)), LineTableKind::kByteClasses);
  EXPECT_EQ(kind_of(counting_dfa(200)), LineTableKind::kByteClasses);
  const LineDfa words = words_dfa({"error", "fail", "denied", "user"},
                                  {"gymnast", "chipmunk", "exquisite", "backlog"});
  EXPECT_EQ(kind_of(words), LineTableKind::kBytes);
  EXPECT_EQ(kind_of(words, 30000), LineTableKind::kShared);
  EXPECT_EQ(kind_of(counting_dfa(300)), LineTableKind::kShared);
  EXPECT_EQ(kind_of(counting_dfa(50000)), LineTableKind::kGlobal);
}

TEST(LineTables, RefuseLayoutsThatAreTooSmall) {
  const LineDfa dfa = counting_dfa(256);
  EXPECT_TRUE(gpu::lay_out_as(LineTableKind::kShared, dfa.view()).ok());
  for (const LineTableKind kind : {LineTableKind::kBytes, LineTableKind::kByteClasses}) {
    EXPECT_EQ(gpu::lay_out_as(kind, dfa.view()).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(LineTables, RefuseWhatBreaksTheContract) {
  LineDfa dfa = words_dfa({"ab"});
  dfa.next[dfa.class_of['\n']] = 1;
  EXPECT_EQ(gpu::lay_out(dfa.view()).error().code, ErrorCode::kInvalidArgument);
  dfa = words_dfa({"ab"});
  dfa.next[0] = dfa.states;
  EXPECT_EQ(gpu::lay_out(dfa.view()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(gpu::lay_out({}).error().code, ErrorCode::kInvalidArgument);
}

/// Texts up to a size need no more memory than what is set aside for that size.
TEST(LineKernels, ALongerTextNeedsNoLessMemory) {
  constexpr u64 kMiB = 1 << 20;
  u64 before = 0;
  for (u64 bytes : {u64{1}, kMiB, 127 * kMiB, 128 * kMiB - 1, 128 * kMiB, 150 * kMiB, 255 * kMiB,
                    256 * kMiB - 1, 256 * kMiB, 300 * kMiB, 2000 * kMiB}) {
    EXPECT_GE(gpu::most_tiles(bytes), before) << bytes;
    EXPECT_GE(gpu::most_tiles(bytes), gpu::tiles_of(bytes)) << bytes;
    before = gpu::most_tiles(bytes);
  }
}

}  // namespace
}  // namespace presso::test::scan_lines_test
