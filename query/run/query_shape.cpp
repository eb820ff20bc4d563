// SPDX-License-Identifier: MIT
// Implements query_shape.h. Each part of a query is a letter and numbers: enumerators as they are
// counted, nodes by their place in the graph.
#include "query/run/query_shape.h"

#include <bit>

#include "query/plan/join_plan.h"

namespace presso::query {
namespace {

class ShapeText {
 public:
  void add(const BoundQuery& query) {
    for (const Node& node : query.input->nodes()) add(node);
    add('w', query.conditions);
    add('k', query.keys);
    for (const AggregateCall& call : query.aggregates) {
      add('a', {static_cast<NodeId>(call.kind), call.argument ? *call.argument + 1 : 0});
    }
    if (!query.grouped()) add('r', query.results);
    if (query.joins == nullptr) return;
    for (const BoundSource& source : query.joins->sources) add(source.scan);
    add(query.joins->tree);
  }

  std::string take() { return std::move(text_); }

 private:
  void add(const Node& node) {
    add('n', {static_cast<NodeId>(node.kind), static_cast<NodeId>(node.step),
              static_cast<NodeId>(node.physical), NodeId{node.nullable}, NodeId{node.is_null}});
    if (node.kind == Node::Kind::kStep) add('f', node.arguments);
    if (node.kind == Node::Kind::kColumn)
      add('c', {static_cast<NodeId>(node.column), bits_of(node.range)});
  }

  /// 0 where the range is not known.
  static NodeId bits_of(const Range& range) {
    if (!range.known || range.most < range.least) return 0;
    const auto span = static_cast<std::uint64_t>(range.most - range.least);
    return 1u + static_cast<unsigned>(std::bit_width(span));
  }

  void add(const JoinTree& tree) {
    add('t', {static_cast<NodeId>(tree.root)});
    for (const BoundStage& stage : tree.stages) {
      add('s', {static_cast<NodeId>(stage.kind)});
      add('p', stage.probe_keys);
      add('b', stage.build_keys);
      add('x', stage.residual);
      add(stage.build);
    }
    text_ += '.';
  }

  void add(char what, const std::vector<NodeId>& numbers) {
    text_ += what;
    for (const NodeId number : numbers) text_ += std::to_string(number) + ",";
  }

  std::string text_;
};

}  // namespace

std::string query_shape(const BoundQuery& query) {
  ShapeText text;
  text.add(query);
  return text.take();
}

}  // namespace presso::query
