// SPDX-License-Identifier: MIT
#include "lab/strings/dfa_layouts.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

namespace presso::strings {
namespace {

/// Rows of 256 targets with states numbered for a layout: the error 0, then the start if it does
/// not accept, other rejecting states, accepting ones, the accept sink.
class LayoutRows {
 public:
  using Row = std::array<std::uint16_t, 256>;

  explicit LayoutRows(const Dfa& dfa) : dfa_(dfa), number_(dfa.states) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t state = 0; state < dfa.states; ++state) {
      if (state != dfa.dead) order.push_back(state);
    }
    std::stable_partition(order.begin(), order.end(), [&](std::uint32_t state) {
      return state == dfa.start && state < dfa.first_matching;
    });
    order_ = std::move(order);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      number_[order_[i]] = static_cast<std::uint16_t>(i + 1);
    }
    set_states();
  }

  const LayoutStates& states() const { return states_; }
  /// How many states there are from 1 on.
  std::size_t count() const { return order_.size(); }
  Row row(std::size_t i) const {
    Row row;
    for (unsigned byte = 0; byte < 256; ++byte) {
      row[byte] = number_[dfa_.step(order_[i], static_cast<Byte>(byte))];
    }
    return row;
  }

 private:
  void set_states() {
    states_.states = static_cast<std::uint32_t>(order_.size()) + 1;
    states_.start = number_[dfa_.start];
    states_.first_accepting = 1;
    for (const std::uint32_t state : order_) {
      states_.first_accepting += state < dfa_.first_matching;
      for (std::uint32_t symbol = 0; symbol < dfa_.classes; ++symbol) {
        const std::uint32_t to = dfa_.next[std::size_t{state} * dfa_.classes + symbol];
        states_.can_fail |= to == dfa_.dead;
      }
    }
    if (dfa_.sink != dfa_.states) states_.accept_sink = number_[dfa_.sink];
  }

  const Dfa& dfa_;
  std::vector<std::uint16_t> number_;  ///< [state of the automaton]; the reject sink is the error
  std::vector<std::uint32_t> order_;
  LayoutStates states_;
};

/// Appends columns as indices of shared targets.
class TargetPool {
 public:
  TargetPool(std::vector<std::uint16_t>& indices, std::vector<std::uint16_t>& targets)
      : indices_(indices), targets_(targets) {}

  void append(std::uint16_t target) {
    const auto [place, is_new] =
        known_.try_emplace(target, static_cast<std::uint16_t>(targets_.size()));
    if (is_new) targets_.push_back(target);
    indices_.push_back(place->second);
  }

 private:
  std::vector<std::uint16_t>& indices_;
  std::vector<std::uint16_t>& targets_;
  std::unordered_map<std::uint16_t, std::uint16_t> known_;
};

struct Span {
  unsigned low = 0;
  unsigned columns = 256;  ///< 0: all bytes lead to the default
  std::uint16_t default_target = 0;
};

/// The default is what the first or the last byte leads to, whichever leaves fewer columns.
Span narrowest_span(const LayoutRows::Row& row) {
  Span best;
  for (const std::uint16_t target : {row[0], row[255]}) {
    unsigned low = 0;
    unsigned high = 256;
    while (low < 256 && row[low] == target) ++low;
    while (high > low && row[high - 1] == target) --high;
    if (high - low < best.columns) best = {low, high - low, target};
  }
  return best;
}

struct Run {
  unsigned low;
  unsigned high;
};

std::vector<Run> runs_of(const LayoutRows::Row& row) {
  std::vector<Run> runs;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (byte > 0 && row[byte] == row[byte - 1]) {
      runs.back().high = byte;
    } else {
      runs.push_back({byte, byte});
    }
  }
  return runs;
}

/// What most runs lead to: each of them needs no entry.
std::uint16_t commonest_target(const LayoutRows::Row& row, const std::vector<Run>& runs) {
  std::unordered_map<std::uint16_t, unsigned> count;
  std::uint16_t best = row[0];
  for (const Run& run : runs) {
    const std::uint16_t target = row[run.low];
    if (++count[target] > count[best]) best = target;
  }
  return best;
}

Status check_states(const Dfa& dfa) {
  if (dfa.states <= 65'534) return {};
  return make_error(ErrorCode::kInvalidArgument, "more than 65534 states");
}

template <class T>
std::size_t size_in_bytes(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

}  // namespace

Result<FlatDfa> FlatDfa::make(const Dfa& dfa) {
  PRESSO_TRY(check_states(dfa));
  const LayoutRows rows(dfa);
  FlatDfa made;
  made.states_ = rows.states();
  made.keys_ = {0, 0};
  made.spans_ = {0};
  made.index_offsets_ = {0};
  TargetPool pool(made.indices_, made.targets_);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto row = rows.row(i);
    const Span span = narrowest_span(row);
    const unsigned end = span.low + span.columns;
    made.keys_.push_back(static_cast<Byte>(span.low));
    made.keys_.push_back(static_cast<Byte>(span.columns == 0 ? span.low : end - 1));
    made.spans_.push_back(static_cast<std::uint16_t>(span.columns));
    made.index_offsets_.push_back(static_cast<std::uint32_t>(made.indices_.size()));
    for (unsigned byte = span.low; byte < end; ++byte) pool.append(row[byte]);
    pool.append(span.default_target);
  }
  if (made.indices_.empty()) pool.append(LayoutStates::kError);
  return made;
}

FlatDfaView FlatDfa::view() const {
  return {states_,         keys_.data(),   spans_.data(), index_offsets_.data(),
          indices_.data(), targets_.data()};
}

std::size_t FlatDfa::size_bytes() const {
  return size_in_bytes(keys_) + size_in_bytes(spans_) + size_in_bytes(index_offsets_) +
         size_in_bytes(indices_) + size_in_bytes(targets_);
}

Result<RangeDfa> RangeDfa::make(const Dfa& dfa) {
  PRESSO_TRY(check_states(dfa));
  const LayoutRows rows(dfa);
  RangeDfa made;
  made.states_ = rows.states();
  made.key_offsets_ = {0};
  made.singles_ = {0};
  made.ranges_ = {0};
  made.index_offsets_ = {0};
  TargetPool pool(made.indices_, made.targets_);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto row = rows.row(i);
    std::vector<Run> runs = runs_of(row);
    const std::uint16_t default_target = commonest_target(row, runs);
    std::erase_if(runs, [&](const Run& run) { return row[run.low] == default_target; });
    const auto middle = std::stable_partition(runs.begin(), runs.end(),
                                              [](const Run& run) { return run.low == run.high; });
    made.key_offsets_.push_back(static_cast<std::uint32_t>(made.keys_.size()));
    made.singles_.push_back(static_cast<std::uint16_t>(middle - runs.begin()));
    made.ranges_.push_back(static_cast<std::uint16_t>(runs.end() - middle));
    made.index_offsets_.push_back(static_cast<std::uint32_t>(made.indices_.size()));
    for (const Run& run : runs) {
      made.keys_.push_back(static_cast<Byte>(run.low));
      if (run.high > run.low) made.keys_.push_back(static_cast<Byte>(run.high));
      pool.append(row[run.low]);
    }
    pool.append(default_target);
  }
  if (made.indices_.empty()) pool.append(LayoutStates::kError);
  return made;
}

RangeDfaView RangeDfa::view() const {
  RangeDfaView view;
  static_cast<LayoutStates&>(view) = states_;
  view.key_offsets = key_offsets_.data();
  view.keys = keys_.data();
  view.singles = singles_.data();
  view.ranges = ranges_.data();
  view.index_offsets = index_offsets_.data();
  view.indices = indices_.data();
  view.targets = targets_.data();
  return view;
}

std::size_t RangeDfa::size_bytes() const {
  return size_in_bytes(key_offsets_) + size_in_bytes(keys_) + size_in_bytes(singles_) +
         size_in_bytes(ranges_) + size_in_bytes(index_offsets_) + size_in_bytes(indices_) +
         size_in_bytes(targets_);
}

}  // namespace presso::strings
