// SPDX-License-Identifier: MIT
// A condition on fields as a LineCondition. The lines of a batch are read into columns, and the
// program that the binder makes of the condition runs once for all of them, as it does for the rows
// of a table.
#include "presso/field_condition.h"

#include <algorithm>
#include <utility>

#include "query/compute/program.h"
#include "query/fields/field_columns.h"
#include "query/fields/required_strings.h"

namespace presso {
namespace query {
namespace {

static_assert(LineCondition::kMaxLines <= kBatchRows);

class CompiledCondition final : public LineCondition {
 public:
  CompiledCondition(TypedCondition typed, std::vector<std::vector<std::string>> required)
      : fields_(std::move(typed.fields)), required_(std::move(required)) {}

  /// To be called once, before anything else. Errors are those of binding.
  Status bind(const Expression& expression) {
    const std::vector<InputColumn> columns = columns_of(fields_);
    Binder binder(graph_, columns);
    Result<NodeId> bound = binder.bind_condition(expression);
    if (!bound.ok()) {
      bound.error().what = with_field_names(bound.error().what, fields_);
      return bound.error();
    }
    program_ = Program(graph_, {*bound});
    return {};
  }

  std::unique_ptr<Tester> tester() const override;
  std::vector<std::vector<std::string>> required() const override { return required_; }
  std::string describe() const override {
    return "a condition on " + std::to_string(fields_.size()) +
           (fields_.size() == 1 ? " field" : " fields");
  }

  const std::vector<TypedField>& fields() const { return fields_; }
  const Program& program() const { return program_; }

 private:
  std::vector<TypedField> fields_;
  std::vector<std::vector<std::string>> required_;
  Graph graph_;
  Program program_;
};

std::vector<FieldPath> paths_of(const std::vector<TypedField>& fields) {
  std::vector<FieldPath> paths;
  for (const TypedField& field : fields) paths.push_back(field.path);
  return paths;
}

class ConditionTester final : public LineCondition::Tester {
 public:
  explicit ConditionTester(const CompiledCondition& condition)
      : program_(condition.program()),
        state_(program_),
        reader_(paths_of(condition.fields())),
        columns_(condition.fields()) {}

  void test(std::span<const Bytes> lines, std::span<bool> passes) override {
    const auto count = static_cast<std::uint32_t>(lines.size());
    columns_.clear(count);
    for (std::uint32_t row = 0; row < count; ++row) {
      reader_.read(lines[row]);
      columns_.set(row, reader_.values());
    }
    inputs_.clear();
    for (const std::size_t input : program_.inputs()) inputs_.push_back(columns_.view(input));
    VectorView result;
    program_.run(state_, inputs_, count, {&result, 1});
    const std::uint64_t* const failures = program_.failures(state_, 0);
    for (std::uint32_t row = 0; row < count; ++row) {
      const bool failed = failures != nullptr && (failures[row / 64] >> (row % 64) & 1) != 0;
      passes[row] = !failed && !result.is_null(row) && result.as<Byte>()[row] != 0;
    }
  }

 private:
  const Program& program_;
  Program::State state_;
  FieldReader reader_;
  FieldColumns columns_;
  std::vector<VectorView> inputs_;
};

std::unique_ptr<LineCondition::Tester> CompiledCondition::tester() const {
  return std::make_unique<ConditionTester>(*this);
}

}  // namespace
}  // namespace query

Result<FieldCondition> compile_field_condition(std::string_view text) {
  PRESSO_ASSIGN(query::TypedCondition typed, query::typed_condition(text));
  std::vector<std::vector<std::string>> required = query::required_strings(typed);
  FieldCondition result;
  result.warnings = std::move(typed.warnings);
  const Expression expression = std::move(typed.expression);
  auto condition =
      std::make_shared<query::CompiledCondition>(std::move(typed), std::move(required));
  PRESSO_TRY(condition->bind(expression));
  result.condition = std::move(condition);
  return result;
}

}  // namespace presso
