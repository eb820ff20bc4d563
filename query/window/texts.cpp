// SPDX-License-Identifier: MIT
// Functions that put the values of a frame into one text: string_agg(), and list(), which writes a
// JSON array.
#include <string>

#include "format/columns/leaf_text.h"
#include "format/columns/string_text.h"
#include "format/columns/value_text.h"
#include "query/window/aggregates.h"

namespace presso::query {
namespace {

class TextAggregate final : public WindowAggregate {
 public:
  TextAggregate(const WindowInput& input, StringArena& strings)
      : input_(input),
        strings_(strings),
        is_list_(input.call->kind == WindowKind::kList),
        printed_(input.arguments[0].schema) {
    const bool is_real = input.arguments[0].view.physical == Physical::kDouble;
    is_json_ = printed_.text == ValueText::kRawJson;
    printed_.text = is_list_ && is_real ? ValueText::kPointReal : ValueText::kPlain;
    print_ = value_printer(printed_);
    is_leaf_ = is_list_ && (is_real || printed_.type == ColumnType::kDate32);
    if (is_leaf_) leaf_ = LeafText(printed_);
  }

  Status begin(RowRange32 partition, bool) override {
    clear();
    if (is_list_ || input_.arguments.size() < 2) return {};
    const WindowColumn& separator = input_.arguments[1];
    separator_ = separator.is_null(partition.begin) ? "" : text_of(separator, partition.begin);
    return {};
  }
  void clear() override {
    text_.clear();
    any_ = false;
  }
  void add(std::uint32_t first, std::uint32_t end) override {
    for (std::uint32_t row = first; row < end; ++row) {
      if (!input_.sees_all && !input_.sees(row)) continue;
      if (any_) text_ += separator_;
      any_ = true;
      append(row);
    }
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    if (!any_) return {};
    // Texts of growing frames take the square of what the values take.
    if (input_.text_left->fetch_sub(static_cast<std::int64_t>(text_.size())) < 0) {
      return make_error(ErrorCode::kOutOfMemory,
                        "the texts of window functions take more than a quarter of the memory; "
                        "--memory permits more");
    }
    if (is_list_) {
      const std::string listed = "[" + text_ + "]";
      result.set(row, strings_.add(bytes_of(listed)));
    } else {
      result.set(row, strings_.add(bytes_of(text_)));
    }
    return {};
  }

 private:
  static Bytes bytes_of(std::string_view text) {
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
  }
  static std::string_view text_of(const WindowColumn& column, std::uint32_t row) {
    const auto ref = column.at<StringRef>(row);
    return {reinterpret_cast<const char*>(ref.data), static_cast<std::size_t>(ref.size)};
  }
  void append(std::uint32_t row) {
    const WindowColumn& values = input_.arguments[0];
    if (values.is_null(row)) {
      text_ += "null";
      return;
    }
    std::string printed;
    if (values.view.physical != Physical::kString) printed = print(row);
    const std::string_view text = values.view.physical == Physical::kString
                                      ? text_of(values, row)
                                      : std::string_view(printed);
    const bool is_string = values.view.physical == Physical::kString && !is_json_;
    if (is_list_ && !is_leaf_ && (is_string || is_date_or_time(printed_.type))) {
      string_text::append_json_string(bytes_of(text), text_);
    } else {
      text_ += text;
    }
  }
  /// Prints from the stored form of the value, whose low bytes are those in memory.
  std::string print(std::uint32_t row) const {
    const WindowColumn& values = input_.arguments[0];
    Byte stored[16] = {};
    if (printed_.type == ColumnType::kFloat) {
      store(stored, static_cast<float>(values.at<double>(row)));
    } else if (values.view.physical == Physical::kDouble) {
      store(stored, values.at<double>(row));
    } else {
      store(stored, values.integer(row));
    }
    std::string json;
    if (is_leaf_) {
      leaf_.append_json(stored, json);
      return json;
    }
    char text[kMaxValueText];
    return std::string(text, print_(printed_, stored, text));
  }

  const WindowInput& input_;
  StringArena& strings_;
  const bool is_list_;
  bool is_json_ = false;  ///< the values are JSON already
  ColumnSchema printed_;
  PrintValue print_ = nullptr;
  bool is_leaf_ = false;  ///< dates, and numbers that may be NaN: JSON has a text of its own
  LeafText leaf_;
  std::string separator_ = ",";
  std::string text_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<WindowAggregate> make_text_aggregate(const WindowInput& input,
                                                     StringArena& strings) {
  return std::make_unique<TextAggregate>(input, strings);
}

}  // namespace presso::query
