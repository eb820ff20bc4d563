// SPDX-License-Identifier: MIT
// Runs a call over a partition: finds the frames and moves an aggregate from one to the next.
#include <algorithm>

#include "query/window/aggregates.h"
#include "query/window/frames.h"

namespace presso::query {
namespace {

/// Shows each value of the first argument to another aggregate once.
class DistinctAggregate final : public WindowAggregate {
 public:
  DistinctAggregate(const WindowInput& input, std::unique_ptr<WindowAggregate> inner)
      : input_(input), inner_(std::move(inner)) {}

  Status begin(RowRange32 partition, bool constant) override {
    partition_ = partition;
    numbers_ = numbers_of_values(input_.arguments[0], partition);
    times_.assign(numbers_.size() + 1, 0);
    shown_.resize(numbers_.size() + 1);
    used_.clear();
    return inner_->begin(partition, constant);
  }
  void clear() override {
    for (const std::uint32_t number : used_) times_[number] = 0;
    used_.clear();
    inner_->clear();
  }
  void add(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees(row)) continue;
      const std::uint32_t number = numbers_[row - partition_.begin];
      if (times_[number]++ != 0) continue;
      used_.push_back(number);
      shown_[number] = row;
      inner_->add(row, row + 1);
    }
  }
  bool removes() const override { return inner_->removes(); }
  void remove(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees(row)) continue;
      const std::uint32_t number = numbers_[row - partition_.begin];
      if (--times_[number] == 0) inner_->remove(shown_[number], shown_[number] + 1);
    }
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    return inner_->write(row, result);
  }

 private:
  const WindowInput& input_;
  const std::unique_ptr<WindowAggregate> inner_;
  RowRange32 partition_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> times_;  ///< by value: how many rows of the frame have it
  std::vector<std::uint32_t> shown_;  ///< by value: the row that stands for it
  std::vector<std::uint32_t> used_;   ///< values that were added since clear()
};

std::unique_ptr<WindowAggregate> make_aggregate(const WindowInput& input, StringArena& strings) {
  switch (input.call->kind) {
    case WindowKind::kFirstValue:
    case WindowKind::kLastValue:
    case WindowKind::kNthValue:
    case WindowKind::kAnyValue:
    case WindowKind::kFirst:
    case WindowKind::kLast:
      return make_place_aggregate(input);
    case WindowKind::kMin:
    case WindowKind::kMax:
    case WindowKind::kArgMin:
    case WindowKind::kArgMax:
      return make_extreme_aggregate(input);
    case WindowKind::kMedian:
    case WindowKind::kQuantileCont:
    case WindowKind::kQuantileDisc:
    case WindowKind::kMode:
    case WindowKind::kMad:
      return make_quantile_aggregate(input);
    case WindowKind::kStringAgg:
    case WindowKind::kList:
      return make_text_aggregate(input, strings);
    case WindowKind::kCountRows:
    case WindowKind::kCount:
    case WindowKind::kSum:
    case WindowKind::kAvg:
    case WindowKind::kBoolAnd:
    case WindowKind::kBoolOr:
    case WindowKind::kApproxCountDistinct:
      return make_sum_aggregate(input);
    default:
      return make_moment_aggregate(input);
  }
}

/// Moves an aggregate over the frames of a partition.
class FrameRun final : public WindowRun {
 public:
  FrameRun(const WindowInput& input, std::unique_ptr<WindowAggregate> aggregate)
      : input_(input),
        aggregate_(std::move(aggregate)),
        exclude_(input.call->frame && !input.call->once ? input.call->frame->exclude
                                                        : WindowFrame::Exclude::kNothing),
        frame_decides_(input.call->kind != WindowKind::kNthValue) {}

  Status run(RowRange32 partition, WindowResult& result) override {
    PRESSO_TRY(find_frames(input_, partition, frames_));
    PRESSO_TRY(aggregate_->begin(partition, frames_.constant));
    start_anew({partition.begin, partition.begin});
    if (frames_.constant) return run_constant(partition, result);
    if (exclude_ != WindowFrame::Exclude::kNothing) return run_excluding(partition, result);
    for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
      const RowRange32 frame = frame_of(partition, row);
      if (frame_decides_ && row > partition.begin && frame.begin == at_.begin &&
          frame.end == at_.end) {
        result.copy(row - 1, row);
        continue;
      }
      move_to(frame);
      PRESSO_TRY(aggregate_->write(row, result));
    }
    return {};
  }

 private:
  RowRange32 frame_of(RowRange32 partition, std::uint32_t row) const {
    return {frames_.begin[row - partition.begin], frames_.end[row - partition.begin]};
  }
  /// One value for all rows or, with `once`, for the first row of the input.
  Status run_constant(RowRange32 partition, WindowResult& result) {
    aggregate_->add(partition.begin, partition.end);
    if (input_.call->once) {
      std::uint32_t first = partition.begin;
      for (std::uint32_t row = first + 1; row < partition.end; ++row) {
        if (input_.chunk->number(row) < input_.chunk->number(first)) first = row;
      }
      return aggregate_->write(first, result);
    }
    PRESSO_TRY(aggregate_->write(partition.begin, result));
    for (std::uint32_t row = partition.begin + 1; row < partition.end; ++row) {
      if (frame_decides_) {
        result.copy(partition.begin, row);
      } else {
        PRESSO_TRY(aggregate_->write(row, result));
      }
    }
    return {};
  }

  Status run_excluding(RowRange32 partition, WindowResult& result) {
    for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
      const RowRange32 frame = frame_of(partition, row);
      RowRange32 out[2] = {};
      find_excluded(row, out);
      for (RowRange32& range : out) {
        range.begin = std::clamp(range.begin, frame.begin, frame.end);
        range.end = std::clamp(range.end, range.begin, frame.end);
      }
      if (aggregate_->removes()) {
        move_to(frame);
        for (const RowRange32& range : out) aggregate_->remove(range.begin, range.end);
        PRESSO_TRY(aggregate_->write(row, result));
        for (const RowRange32& range : out) aggregate_->add(range.begin, range.end);
        continue;
      }
      aggregate_->clear();
      std::uint32_t from = frame.begin;
      for (const RowRange32& range : out) {
        if (range.begin == range.end) continue;
        aggregate_->add(from, range.begin);
        from = range.end;
      }
      aggregate_->add(from, frame.end);
      PRESSO_TRY(aggregate_->write(row, result));
    }
    return {};
  }
  /// The rows that the frame leaves out, as up to two ranges.
  void find_excluded(std::uint32_t row, RowRange32* out) const {
    const RowRange32 group{input_.chunk->group_begin(row), input_.chunk->group_end(row)};
    switch (exclude_) {
      case WindowFrame::Exclude::kCurrentRow:
        out[0] = {row, row + 1};
        break;
      case WindowFrame::Exclude::kGroup:
        out[0] = group;
        break;
      default:
        out[0] = {group.begin, row};
        out[1] = {row + 1, group.end};
    }
  }

  void start_anew(RowRange32 at) {
    aggregate_->clear();
    aggregate_->add(at.begin, at.end);
    at_ = at;
  }
  static std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }
  /// Adds and removes rows at both ends where that is possible and less work than beginning anew.
  void move_to(RowRange32 to) {
    const bool grows = to.begin == at_.begin && to.end >= at_.end;
    const std::uint64_t steps =
        std::uint64_t{distance(at_.begin, to.begin)} + distance(at_.end, to.end);
    const bool overlaps = to.begin <= at_.end && at_.begin <= to.end;
    if (!overlaps || (!grows && (!aggregate_->removes() || steps > to.end - to.begin))) {
      return start_anew(to);
    }
    if (to.begin < at_.begin) aggregate_->add(to.begin, at_.begin);
    if (to.end > at_.end) aggregate_->add(at_.end, to.end);
    if (to.begin > at_.begin) aggregate_->remove(at_.begin, to.begin);
    if (to.end < at_.end) aggregate_->remove(to.end, at_.end);
    at_ = to;
  }

  const WindowInput& input_;
  const std::unique_ptr<WindowAggregate> aggregate_;
  const WindowFrame::Exclude exclude_;
  const bool frame_decides_;  ///< rows with one frame have one result
  Frames frames_;
  RowRange32 at_;  ///< the rows that the aggregate has
};

/// Functions that need no frame.
class PlainRun final : public WindowRun {
 public:
  explicit PlainRun(const WindowInput& input) : input_(input) {}
  Status run(RowRange32 partition, WindowResult& result) override {
    const bool shifts =
        input_.call->kind == WindowKind::kLag || input_.call->kind == WindowKind::kLead;
    return shifts ? run_shifts(input_, partition, result) : run_ranks(input_, partition, result);
  }

 private:
  const WindowInput& input_;
};

}  // namespace

std::unique_ptr<WindowRun> make_window_run(const WindowInput& input, StringArena& strings) {
  const WindowCall& call = *input.call;
  if (call.kind <= WindowKind::kLead) return std::make_unique<PlainRun>(input);
  std::unique_ptr<WindowAggregate> aggregate = make_aggregate(input, strings);
  if (call.distinct || call.kind == WindowKind::kApproxCountDistinct) {
    aggregate = std::make_unique<DistinctAggregate>(input, std::move(aggregate));
  }
  return std::make_unique<FrameRun>(input, std::move(aggregate));
}

}  // namespace presso::query
