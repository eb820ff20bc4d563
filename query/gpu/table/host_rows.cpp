// SPDX-License-Identifier: MIT
// Implements host_rows.h: the CPU's threads scan the table, and each collects the rows that have a
// key.
#include "query/gpu/table/host_rows.h"

#include <algorithm>

#include "query/compute/builder.h"
#include "query/gpu/kernels/node_width.h"
#include "query/values/real_key.h"

namespace presso::gpu {
namespace {

using query::Physical;
using query::VectorView;

/// One thread's rows, in any order.
struct Part {
  std::vector<std::uint64_t> numbers;
  HostRows rows;
};

class HostRowMaker {
 public:
  HostRowMaker(query::Execution& scan, const StageUse& use) : scan_(scan), use_(use) {}

  Result<HostRows> make() {
    PRESSO_TRY(prepare());
    parts_.resize(scan_.threads);
    for (Part& part : parts_) part.rows.columns.resize(use_.columns.size());
    const Status done =
        query::run_all(scan_, program_, [this](unsigned worker, const query::RowBatch& rows) {
          return take_all(parts_[worker], rows);
        });
    if (!done.ok()) return done.error();
    return in_order();
  }

 private:
  Status prepare() {
    const auto is_numbered = [](const KeyStrings* strings) { return strings != nullptr; };
    const bool has_strings =
        std::any_of(use_.key_strings.begin(), use_.key_strings.end(), is_numbered) ||
        std::any_of(use_.columns.begin(), use_.columns.end(),
                    [](const RowColumn& column) { return column.strings != nullptr; });
    // Their numbers are in device memory.
    if (has_strings) return refused("keys of a join that are strings which the device numbers");
    query::Graph& graph = *scan_.query.input;
    std::vector<query::NodeId> nodes = use_.stage->build_keys;
    for (const RowColumn& column : use_.columns) {
      if (column.column == RowColumn::kOrder) continue;
      const query::InputColumn& about = scan_.query.columns[column.column];
      const query::NodeId node =
          graph.add(query::column_node(column.column, about.schema, about.range, about.nullable));
      const Physical wanted = column.codes != nullptr ? Physical::kString
                              : column.is_real        ? Physical::kDouble
                                                      : Physical::kInt64;
      if (graph.at(node).physical != wanted) return refused("columns of another form");
      nodes.push_back(node);
    }
    auto form = key_form(use_.key_ranges(graph), use_.has_real_key);
    if (!form) return refused("keys of a join that do not fit into 63 bits together");
    form_ = std::move(*form);
    program_ = query::Program(graph, nodes);
    return {};
  }

  Status take_all(Part& part, const query::RowBatch& rows) const {
    for (std::uint32_t row = 0; row < rows.count; ++row) PRESSO_TRY(take(part, rows, row));
    return {};
  }

  /// Rows without a key belong to no one.
  Status take(Part& part, const query::RowBatch& rows, std::uint32_t row) const {
    const std::vector<KeyStride>& strides = form_.strides;
    std::uint64_t key = 0;
    bool has_key = true;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      const VectorView& view = rows.results[i];
      has_key = has_key && !view.is_null(row);
      if (!has_key) break;
      PRESSO_ASSIGN(const std::uint64_t value, key_number(i, view, row));
      key += (value - strides[i].least) * strides[i].stride;
    }
    if (!has_key) {
      if (!leaves_keyless_rows(use_.stage->kind)) return {};
      if (!form_.of_keyless_build) return refused("keys that may be null or anything");
      key = static_cast<std::uint64_t>(*form_.of_keyless_build);
    }
    std::size_t result = strides.size();
    for (std::size_t i = 0; i < use_.columns.size(); ++i) {
      std::int64_t value = 0;
      if (use_.columns[i].column != RowColumn::kOrder) {
        PRESSO_ASSIGN(value, value_of(use_.columns[i], rows.results[result++], row));
      }
      part.rows.columns[i].push_back(value);
    }
    part.rows.keys.push_back(key);
    part.numbers.push_back(rows.numbers[row]);
    return {};
  }

  Result<std::uint64_t> key_number(std::size_t i, const VectorView& view, std::uint32_t row) const {
    const query::KeyCodes* const codes = use_.key_codes[i];
    if (use_.has_real_key) return query::real_key(view.as<double>()[row]);
    if (codes == nullptr) return view.as<std::uint64_t>()[row];
    const auto number = codes->find(view.as<query::StringRef>()[row].bytes());
    if (!number) return refused("strings that have no number");
    return std::uint64_t{*number};
  }

  static Result<std::int64_t> value_of(const RowColumn& column, const VectorView& view,
                                       std::uint32_t row) {
    if (view.is_null(row)) {
      return column.codes != nullptr ? column.codes->null_number() : column.null_value.value_or(0);
    }
    if (column.codes == nullptr) {
      const std::int64_t value = view.as<std::int64_t>()[row];
      const bool is_taken = column.is_real && column.null_value && value == kNullReal;
      return is_taken ? kNanBesideNull : value;
    }
    const auto number = column.codes->find(view.as<query::StringRef>()[row].bytes());
    if (!number) return refused("strings that have no number");
    return std::int64_t{*number};
  }

  Result<HostRows> in_order() {
    std::vector<std::pair<std::uint64_t, std::pair<std::size_t, std::size_t>>> order;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (std::size_t row = 0; row < parts_[part].numbers.size(); ++row) {
        order.push_back({parts_[part].numbers[row], {part, row}});
      }
    }
    std::sort(order.begin(), order.end());
    HostRows all;
    all.columns.resize(use_.columns.size());
    for (const auto& [number, place] : order) {
      const HostRows& rows = parts_[place.first].rows;
      for (std::size_t i = 0; i < all.columns.size(); ++i) {
        const bool is_order = use_.columns[i].column == RowColumn::kOrder;
        all.columns[i].push_back(is_order ? static_cast<std::int64_t>(all.keys.size())
                                          : rows.columns[i][place.second]);
      }
      all.keys.push_back(rows.keys[place.second]);
    }
    return all;
  }

  query::Execution& scan_;
  const StageUse& use_;
  query::Program program_;
  KeyForm form_;
  std::vector<Part> parts_;
};

}  // namespace

Result<HostRows> rows_by_cpu(query::Execution& scan, const StageUse& use) {
  return HostRowMaker(scan, use).make();
}

}  // namespace presso::gpu
