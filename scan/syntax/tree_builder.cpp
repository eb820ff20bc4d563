// SPDX-License-Identifier: MIT
// A literal grows character by character in the last item of the innermost open group; a repetition
// cuts its last character off again. Everything else is put in order when an alternative ends.
#include "scan/syntax/tree_builder.h"

#include <algorithm>
#include <utility>

#include "scan/syntax/classes.h"

namespace presso::scan_detail {
namespace {

using Kind = Node::Kind;

constexpr std::uint64_t kRangesPerUnit = 4;

bool is_plain_repeat(std::uint32_t min, std::uint32_t max) {
  return min <= 1 && (max == Node::kUnlimited || (min == 0 && max == 1));
}

/// Simplifies a repetition of a repetition: x** becomes x*, x+? (of the same greed) becomes x*, and
/// so on. Returns false if it is not that simple.
bool repeat_again(Node& node, std::uint32_t min, std::uint32_t max, bool greedy) {
  if (node.kind != Kind::kRepeat || node.greedy != greedy) return false;
  if (!is_plain_repeat(min, max) || !is_plain_repeat(node.min, node.max)) return false;
  node.min = node.min == 1 && min == 1 ? 1 : 0;
  node.max = std::max(node.max, max);
  return true;
}

Node repeated(Node node, std::uint32_t min, std::uint32_t max, bool greedy) {
  Node result = make_node(Kind::kRepeat);
  result.min = min;
  result.max = max;
  result.greedy = greedy;
  result.children.push_back(std::move(node));
  return result;
}

}  // namespace

TreeBuilder::TreeBuilder(std::size_t pattern_bytes)
    : frames_(1), max_size_(std::uint64_t{kMaxExpandedSize} + pattern_bytes) {}

/// Adds a literal, which is joined to one before it with the same treatment of case.
Status TreeBuilder::add_literal(std::string_view bytes, Letters letters, std::size_t at) {
  Frame& frame = frames_.back();
  const bool grows = frame.last_bytes != 0 && frame.items.back().letters == letters;
  if (grows) {
    frame.items.back().bytes += bytes;
  } else {
    frame.items.push_back(literal_node(std::string(bytes), letters));
  }
  frame.last_bytes = bytes.size();
  return measure({bytes.size(), 1}, at);
}

/// Adds a class. Surrogates are taken out, since UTF-8 has none.
Status TreeBuilder::add_set(CodeSet set, bool of_bytes, std::size_t at) {
  if (!of_bytes) set.subtract(CodeSet(0xD800, 0xDFFF));
  const std::vector<CodeRange>& ranges = set.ranges();
  if (ranges.size() == 1 && ranges[0].low == ranges[0].high) {
    const CodePoint code = ranges[0].low;
    return add_literal(of_bytes ? std::string(1, static_cast<char>(code)) : encoded(code),
                       Letters::kExact, at);
  }
  Node node = make_node(of_bytes ? Kind::kByteClass : Kind::kClass);
  node.ranges = ranges;
  return add(std::move(node), {1 + ranges.size() / kRangesPerUnit, 1}, at);
}

Status TreeBuilder::add_looks(const std::vector<Look>& looks, std::size_t at) {
  std::vector<Node> nodes;
  for (const Look look : looks) nodes.push_back(look_node(look));
  return add(join(std::move(nodes), Kind::kConcat), {looks.size(), 1}, at);
}

Status TreeBuilder::add(Node node, Measure size, std::size_t at) {
  frames_.back().items.push_back(std::move(node));
  frames_.back().last_bytes = 0;
  return measure(size, at);
}

/// Counts a new item towards the sizes.
Status TreeBuilder::measure(Measure item, std::size_t at) {
  Frame& frame = frames_.back();
  size_ += item.size;
  frame.last = item;
  frame.total.size += item.size;
  frame.total.height = std::max(frame.total.height, item.height);
  return check_size(at);
}

Status TreeBuilder::check_size(std::size_t at) const {
  if (size_ <= max_size_) return {};
  return pattern_error(at, "the pattern with its repetitions written out is too large");
}

/// Takes off the last item, or the last character of the literal that it is.
Node TreeBuilder::take_last() {
  Frame& frame = frames_.back();
  Node& item = frame.items.back();
  if (frame.last_bytes != 0 && item.bytes.size() > frame.last_bytes) {
    Node node = literal_node(item.bytes.substr(item.bytes.size() - frame.last_bytes), item.letters);
    item.bytes.resize(item.bytes.size() - frame.last_bytes);
    return node;
  }
  Node node = std::move(item);
  frame.items.pop_back();
  return node;
}

/// Repeats what was added last. The size counts repetitions written out, so a pattern cannot grow
/// beyond its limit by nesting them. Error: kInvalidArgument where it does.
Status TreeBuilder::repeat(std::uint32_t min, std::uint32_t max, bool greedy, std::size_t at) {
  Frame& frame = frames_.back();
  Node node = take_last();
  Measure size = frame.last;
  if (max == 0) {
    node = make_node(Kind::kEmpty);
  } else if ((min != 1 || max != 1) && !repeat_again(node, min, max, greedy)) {
    node = repeated(std::move(node), min, max, greedy);
    size.height += 1;
  }
  if (size.height + depth() > kMaxNesting) {
    return pattern_error(at, "repetitions are nested too deeply");
  }
  size_ -= size.size;
  frame.total.size -= size.size;
  size.size *= std::max(1u, max == Node::kUnlimited ? min : max);
  return add(std::move(node), size, at);
}

void TreeBuilder::end_item() {
  frames_.back().last = {};
  frames_.back().last_bytes = 0;
}

void TreeBuilder::alternate() {
  Frame& frame = frames_.back();
  frame.alternatives.push_back(join(std::exchange(frame.items, {}), Kind::kConcat));
  end_item();
}

/// Opens a group; `capture` 0 is a group without a number.
Status TreeBuilder::open(std::uint32_t capture, std::string name, std::size_t at) {
  if (depth() >= kMaxNesting) return pattern_error(at, "groups are nested too deeply");
  frames_.emplace_back();
  frames_.back().capture = capture;
  frames_.back().name = std::move(name);
  return {};
}

/// Closes the innermost group and adds it as one item.
Status TreeBuilder::close(std::size_t at) {
  alternate();
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Node node = join(std::move(frame.alternatives), Kind::kAlternate);
  if (frame.capture != 0) {
    Node group = make_node(Kind::kGroup);
    group.capture = frame.capture;
    group.name = std::move(frame.name);
    group.children.push_back(std::move(node));
    node = std::move(group);
  }
  size_ -= frame.total.size;
  return add(std::move(node), {frame.total.size + 1, frame.total.height + 1}, at);
}

Node TreeBuilder::finish() {
  alternate();
  return join(std::move(frames_.back().alternatives), Kind::kAlternate);
}

}  // namespace presso::scan_detail
