// SPDX-License-Identifier: MIT
// The numbers of a table's fields are those of Arrow's Schema.fbs.
#include "tools/arrow/ipc_schema.h"

#include <algorithm>

#include "decompress/arrow/ipc_format.h"

namespace presso::cli {
namespace {

/// No type is nested more deeply, and none has more fields within it.
constexpr unsigned kMostDepth = 64;
constexpr std::size_t kMostFields = 65535;

constexpr std::string_view kUnits = "smun";
constexpr std::int64_t kPerSecond[] = {1, 1'000, 1'000'000, 1'000'000'000};

Error bad_schema(const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument, "the Arrow schema is damaged: " + what);
}

/// Reads the fields of one schema.
class SchemaReader {
 public:
  Result<IpcField> read(const FlatTable& table, const std::string& column, unsigned depth) {
    if (depth > kMostDepth || ++fields_ > kMostFields) {
      return bad_schema("column '" + column + "' has too many types within it");
    }
    IpcField field;
    PRESSO_TRY(set_type(table, column, field));
    for (const FlatTable& child : table.tables(5)) {
      PRESSO_ASSIGN(IpcField inner, read(child, column, depth + 1));
      field.children.push_back(std::move(inner));
    }
    if (!has_right_children(field)) return bad_schema("column '" + column + "' has wrong children");
    if (table.has(4)) {
      PRESSO_ASSIGN(field, coded(table.table(4), std::move(field), column));
    }
    field.name = std::string(table.text(0));
    field.flags |= table.truth(1) ? ARROW_FLAG_NULLABLE : 0;
    return field;
  }

 private:
  static Status set_type(const FlatTable& table, const std::string& column, IpcField& field) {
    const FlatTable type = table.table(3);
    const auto kind = static_cast<IpcType>(table.number<Byte>(2));
    switch (kind) {
      case IpcType::kInt:
        return set_integer(type, column, field);
      case IpcType::kFloatingPoint:
        return set_real(type, column, field);
      case IpcType::kDecimal:
        return set_decimal(type, column, field);
      case IpcType::kDate:
      case IpcType::kTime:
      case IpcType::kTimestamp:
      case IpcType::kDuration:
        return set_time(kind, type, column, field);
      case IpcType::kInterval:
        return set_interval(type, column, field);
      case IpcType::kFixedSizeBinary:
      case IpcType::kFixedSizeList:
        return set_sized(kind == IpcType::kFixedSizeBinary, type, table, column, field);
      case IpcType::kUnion:
        return make_error(ErrorCode::kUnsupported,
                          "column '" + column + "' is or has a union, which presso does not read");
      default:
        break;
    }
    if (set_plain(kind, field)) {
      if (kind == IpcType::kMap && type.truth(0)) field.flags |= ARROW_FLAG_MAP_KEYS_SORTED;
      return {};
    }
    return make_error(ErrorCode::kUnsupported, "column '" + column + "' has type " +
                                                   std::to_string(static_cast<int>(kind)) +
                                                   " of Arrow, which presso does not know");
  }

  /// Types without parameters, and maps.
  static bool set_plain(IpcType type, IpcField& field) {
    struct Plain {
      IpcType type;
      std::string_view format;
      IpcLayout layout;
      std::size_t width;
    };
    constexpr Plain kPlain[] = {
        {IpcType::kNull, "n", IpcLayout::kNull, 0},
        {IpcType::kBool, "b", IpcLayout::kBits, 0},
        {IpcType::kBinary, "z", IpcLayout::kStrings, 4},
        {IpcType::kUtf8, "u", IpcLayout::kStrings, 4},
        {IpcType::kLargeBinary, "Z", IpcLayout::kStrings, 8},
        {IpcType::kLargeUtf8, "U", IpcLayout::kStrings, 8},
        {IpcType::kBinaryView, "vz", IpcLayout::kViews, 16},
        {IpcType::kUtf8View, "vu", IpcLayout::kViews, 16},
        {IpcType::kStruct, "+s", IpcLayout::kStruct, 0},
        {IpcType::kMap, "+m", IpcLayout::kList, 4},
        {IpcType::kList, "+l", IpcLayout::kList, 4},
        {IpcType::kLargeList, "+L", IpcLayout::kList, 8},
        {IpcType::kListView, "+vl", IpcLayout::kListView, 4},
        {IpcType::kLargeListView, "+vL", IpcLayout::kListView, 8},
        {IpcType::kRunEndEncoded, "+r", IpcLayout::kRunEnds, 0},
    };
    for (const Plain& plain : kPlain) {
      if (plain.type != type) continue;
      field.format = plain.format;
      field.layout = plain.layout;
      field.width = plain.width;
      return true;
    }
    return false;
  }

  static Status set_integer(const FlatTable& type, const std::string& column, IpcField& field) {
    const auto bits = type.number<std::int32_t>(0);
    constexpr std::string_view kFormats = "csil";
    const int place = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : -1;
    if (bits == 128 && type.truth(1)) {  // Polars has them
      field.format = "d:38,0";
      set_fixed(16, field);
      return {};
    }
    if (place < 0) {
      return make_error(ErrorCode::kUnsupported, "column '" + column + "' has integers of " +
                                                     std::to_string(bits) +
                                                     " bits, which presso does not read");
    }
    field.format = kFormats[static_cast<std::size_t>(place)];
    if (!type.truth(1)) field.format[0] = static_cast<char>(field.format[0] - 'a' + 'A');
    set_fixed(static_cast<std::size_t>(bits / 8), field);
    return {};
  }

  static Status set_real(const FlatTable& type, const std::string& column, IpcField& field) {
    const auto precision = type.number<std::int16_t>(0);
    if (precision < 0 || precision > 2) return bad_width(column, "a real number", precision);
    field.format = precision == 2 ? "g" : "f";
    if (precision == 0) field.step = IpcStep::kFloat;
    set_fixed(std::size_t{2} << precision, field);
    return {};
  }

  static Status set_decimal(const FlatTable& type, const std::string& column, IpcField& field) {
    const auto bits = type.number<std::int32_t>(2, 128);
    if (bits != 32 && bits != 64 && bits != 128 && bits != 256) {
      return bad_width(column, "a decimal", bits);
    }
    field.format = "d:" + std::to_string(type.number<std::int32_t>(0)) + "," +
                   std::to_string(type.number<std::int32_t>(1));
    if (bits != 128) field.format += "," + std::to_string(bits);
    set_fixed(static_cast<std::size_t>(bits / 8), field);
    return {};
  }

  static Status set_time(IpcType kind, const FlatTable& type, const std::string& column,
                         IpcField& field) {
    const std::int16_t usual = kind == IpcType::kTimestamp ? 0 : 1;  // seconds, or milliseconds
    const auto unit = type.number<std::int16_t>(0, usual);
    if (unit < 0 || unit > (kind == IpcType::kDate ? 1 : 3)) {
      return bad_width(column, "a time", unit);
    }
    const auto place = static_cast<std::size_t>(unit);
    set_fixed(8, field);
    if (kind == IpcType::kDate) {
      field.format = unit == 0 ? "tdD" : "tdm";
      if (unit == 0) field.width = 4;
    } else if (kind == IpcType::kTimestamp) {
      field.format = std::string("ts") + kUnits[place] + ":" + std::string(type.text(1));
    } else if (kind == IpcType::kDuration) {
      field.format = "l";
    } else {
      field.format = "U";
      field.step = IpcStep::kTime;
      field.per_second = kPerSecond[place];
      field.width = unit < 2 ? 4 : 8;
    }
    return {};
  }

  static Status set_interval(const FlatTable& type, const std::string& column, IpcField& field) {
    constexpr IpcStep kSteps[] = {IpcStep::kMonths, IpcStep::kDayTime, IpcStep::kMonthsDays};
    const auto unit = type.number<std::int16_t>(0);
    if (unit < 0 || unit > 2) return bad_width(column, "an interval", unit);
    field.format = "U";
    field.step = kSteps[unit];
    set_fixed(std::size_t{4} << unit, field);
    return {};
  }

  static Status set_sized(bool binary, const FlatTable& type, const FlatTable& table,
                          const std::string& column, IpcField& field) {
    const auto size = type.number<std::int32_t>(0);
    if (size < 0) return bad_width(column, "a list or binary", size);
    field.width = static_cast<std::size_t>(size);
    field.layout = binary ? IpcLayout::kFixed : IpcLayout::kFixedList;
    field.format = binary ? "Z" : "+w:" + std::to_string(size);
    if (!binary) return {};
    const auto pairs = table.tables(6);
    const bool is_uuid =
        size == 16 && std::any_of(pairs.begin(), pairs.end(), [](auto& pair) {
          return pair.text(0) == "ARROW:extension:name" && pair.text(1) == "arrow.uuid";
        });
    field.step = is_uuid ? IpcStep::kUuid : IpcStep::kBytes;
    if (is_uuid) field.format = "U";
    return {};
  }

  static void set_fixed(std::size_t width, IpcField& field) {
    field.layout = IpcLayout::kFixed;
    field.width = width;
  }

  static Error bad_width(const std::string& column, const char* what, std::int32_t number) {
    return bad_schema("column '" + column + "' is " + what + " of size or unit " +
                      std::to_string(number));
  }

  static bool has_right_children(const IpcField& field) {
    const std::size_t count = field.children.size();
    switch (field.layout) {
      case IpcLayout::kStruct:
        return true;
      case IpcLayout::kRunEnds:
        return count == 2 && field.children[0].layout == IpcLayout::kFixed;
      case IpcLayout::kFixedList:
      case IpcLayout::kList:
      case IpcLayout::kListView:
        return count == 1;
      default:
        return count == 0;
    }
  }

  /// A field of codes, whose type is that of the dictionary's values in the file.
  static Result<IpcField> coded(const FlatTable& encoding, IpcField values,
                                const std::string& column) {
    IpcField field;
    const FlatTable index = encoding.table(1);
    if (encoding.has(1)) {
      PRESSO_TRY(set_integer(index, column, field));
    } else {
      field.format = "i";
      set_fixed(4, field);
    }
    field.dictionary = encoding.number<std::int64_t>(0);
    if (encoding.truth(2)) field.flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    values.flags |= ARROW_FLAG_NULLABLE;
    field.entries.push_back(std::move(values));
    return field;
  }

  std::size_t fields_ = 0;
};

}  // namespace

IpcLayout IpcField::shown_layout() const {
  const bool is_value = step == IpcStep::kNone || step == IpcStep::kFloat;
  return is_value ? layout : IpcLayout::kStrings;
}

std::size_t IpcField::shown_width() const {
  return step == IpcStep::kNone ? width : step == IpcStep::kFloat ? 4 : 8;
}

Result<std::vector<IpcField>> read_ipc_schema(const FlatTable& schema) {
  if (schema.number<std::int16_t>(0) != 0) {
    return make_error(ErrorCode::kUnsupported,
                      "the Arrow file is big-endian, which presso does not read");
  }
  std::vector<IpcField> fields;
  SchemaReader reader;
  for (const FlatTable& table : schema.tables(1)) {
    PRESSO_ASSIGN(IpcField field, reader.read(table, std::string(table.text(0)), 0));
    fields.push_back(std::move(field));
  }
  return fields;
}

bool have_same_arrays(const IpcField& a, const IpcField& b) {
  const auto same = [](const std::vector<IpcField>& one, const std::vector<IpcField>& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), have_same_arrays);
  };
  return a.format == b.format && a.layout == b.layout && a.step == b.step && a.width == b.width &&
         a.per_second == b.per_second && a.entries.empty() == b.entries.empty() &&
         (a.entries.empty() || a.dictionary == b.dictionary) && same(a.children, b.children) &&
         same(a.entries, b.entries);
}

IpcSchemaView::IpcSchemaView(const std::vector<const IpcField*>& columns) {
  schema_.format = "+s";
  schema_.name = "";
  for (const IpcField* column : columns) add(*column);
  finish();
}

IpcSchemaView::IpcSchemaView(const IpcField& field) {
  schema_.format = field.format.c_str();
  schema_.name = field.name.c_str();
  schema_.flags = field.flags;
  for (const IpcField& child : field.children) add(child);
  finish();
  for (const IpcField& values : field.entries) dictionary_.reset(new IpcSchemaView(values));
  if (dictionary_) schema_.dictionary = &dictionary_->schema_;
}

void IpcSchemaView::add(const IpcField& child) {
  children_.emplace_back(new IpcSchemaView(child));
  pointers_.push_back(&children_.back()->schema_);
}

void IpcSchemaView::finish() {
  schema_.n_children = static_cast<std::int64_t>(pointers_.size());
  schema_.children = pointers_.data();
}

}  // namespace presso::cli
