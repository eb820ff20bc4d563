// SPDX-License-Identifier: MIT
#include "scan/strings/automaton_tests.h"

#include <mutex>
#include <vector>

#include "scan/regex/lazy_dfa.h"

namespace presso::query {
namespace {

using scan_detail::Dfa;
using scan_detail::LazyDfa;
using State = std::uint32_t;

constexpr double kTableNs = 0.4;
constexpr double kLazyNs = 1.6;

class AutomatonTest final : public RowTest {
 public:
  explicit AutomatonTest(const Dfa& dfa)
      : start_(dfa.start),
        first_matching_(dfa.first_matching),
        sink_(dfa.sink),
        dead_(dfa.dead),
        states_(dfa.states),
        next_(std::size_t{dfa.states} * 256) {
    for (State state = 0; state < dfa.states; ++state) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        next_[state * 256 + byte] =
            static_cast<std::uint16_t>(dfa.step(state, static_cast<Byte>(byte)));
      }
    }
  }

  bool matches(Bytes string) const override {
    State state = start_;
    for (const Byte byte : string) {
      if (state == sink_ || state == dead_) break;
      state = next_[state * 256 + byte];
    }
    return state >= first_matching_;
  }

  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    test_rows(rows.rows, alive, bits, [&](std::uint32_t i) { return matches(rows.row(i)); });
  }
  double byte_cost_ns() const override { return kTableNs; }
  std::string describe() const override {
    return "an automaton of " + std::to_string(states_) + " states";
  }

 private:
  State start_;
  State first_matching_;
  State sink_;
  State dead_;
  State states_;
  std::vector<std::uint16_t> next_;  ///< [state * 256 + byte]
};

/// Lazy automata serve one thread at a time; those that nobody uses wait in a list.
class LazyTest final : public RowTest {
 public:
  explicit LazyTest(scan_detail::Program program) : program_(std::move(program)) {}

  bool matches(Bytes string) const override {
    auto automaton = take();
    const bool found = matches(*automaton, string);
    put(std::move(automaton));
    return found;
  }
  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    auto automaton = take();
    test_rows(rows.rows, alive, bits,
              [&](std::uint32_t i) { return matches(*automaton, rows.row(i)); });
    put(std::move(automaton));
  }
  double byte_cost_ns() const override { return kLazyNs; }
  std::string describe() const override { return "an automaton made as it reads"; }

 private:
  static bool matches(LazyDfa& automaton, Bytes string) {
    return automaton.find_end(string, 0, string.size()).kind == scan_detail::DfaAnswer::Kind::kAt;
  }

  std::unique_ptr<LazyDfa> take() const {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      return std::make_unique<LazyDfa>(program_, scan_detail::Determinizer::Mode::kExists,
                                       LazyDfa::kDefaultLimit, true, scan_detail::Texts::kStrings);
    }
    auto taken = std::move(waiting_.back());
    waiting_.pop_back();
    return taken;
  }
  void put(std::unique_ptr<LazyDfa> automaton) const {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(automaton));
  }

  const scan_detail::Program program_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<LazyDfa>> waiting_;
};

}  // namespace

std::unique_ptr<const RowTest> make_automaton_test(const Dfa& dfa) {
  return std::make_unique<AutomatonTest>(dfa);
}

std::unique_ptr<const RowTest> make_lazy_test(scan_detail::Program program) {
  return std::make_unique<LazyTest>(std::move(program));
}

}  // namespace presso::query
