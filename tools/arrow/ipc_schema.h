// SPDX-License-Identifier: MIT
// The schema of an Arrow file or stream as a tree of fields, which say how each column's values lie
// in the buffers of a batch and by what type of Arrow's C data interface they are shown.
//
// Types that tables lack are shown as others: times of day, intervals and UUIDs as text, float16 as
// float, bytes of a fixed size as bytes, durations as int64. Unions are declined. Tested by
// tests/cli/test_arrow_files.py.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decompress/arrow/flat_reader.h"
#include "presso/arrow_abi.h"
#include "presso/error.h"

namespace presso::cli {

/// Which buffers and children an array has, after the validity.
enum class IpcLayout : Byte {
  kNull,       ///< none, and no validity
  kBits,       ///< a bit for each value
  kFixed,      ///< IpcField::width bytes for each value
  kStrings,    ///< offsets of `width` bytes, and the bytes
  kViews,      ///< views, and any number of buffers that these lead to
  kStruct,     ///< no buffer; children that have the same rows
  kFixedList,  ///< no buffer; `width` elements of the child for each row
  kList,       ///< offsets of `width` bytes into the child; also maps
  kListView,   ///< offsets and sizes of `width` bytes
  kRunEnds,    ///< no buffer and no validity; ends and values are children
};

/// What is made of values that are shown as another type.
enum class IpcStep : Byte {
  kNone,
  kFloat,       ///< float16 becomes float
  kTime,        ///< 12:34:56.789
  kMonths,      ///< intervals: P1M0DT0.000S
  kDayTime,     ///< the same of days and milliseconds
  kMonthsDays,  ///< the same of months, days and nanoseconds
  kUuid,
  kBytes,  ///< bytes of a fixed size
};

/// A column, or a part of one.
struct IpcField {
  std::string name;
  std::string format;  ///< by which it is shown
  std::int64_t flags = 0;
  IpcLayout layout = IpcLayout::kNull;
  IpcStep step = IpcStep::kNone;
  std::size_t width = 0;
  std::int64_t per_second = 1;  ///< times: how many units a second has
  std::vector<IpcField> children;
  std::int64_t dictionary = 0;    ///< the number of the dictionary, if there are `entries`
  std::vector<IpcField> entries;  ///< of a field of codes: the dictionary's values, one field

  /// Layout and width of the array that is shown.
  IpcLayout shown_layout() const;
  std::size_t shown_width() const;
};

/// Reads the fields of a Schema table. Errors name the column: kUnsupported for types, versions and
/// byte orders that are not read, kInvalidArgument for a schema that contradicts itself.
Result<std::vector<IpcField>> read_ipc_schema(const FlatTable& schema);
/// Whether arrays of both fields have the same buffers, so that a dictionary can serve both.
bool have_same_arrays(const IpcField& a, const IpcField& b);

/// A struct of Arrow's C data interface for fields, which must outlive it.
class IpcSchemaView {
 public:
  /// A struct of these columns.
  explicit IpcSchemaView(const std::vector<const IpcField*>& columns);
  const ArrowSchema& schema() const { return schema_; }

 private:
  explicit IpcSchemaView(const IpcField& field);
  void add(const IpcField& child);
  void finish();

  ArrowSchema schema_ = {};
  std::vector<std::unique_ptr<IpcSchemaView>> children_;
  std::unique_ptr<IpcSchemaView> dictionary_;
  std::vector<ArrowSchema*> pointers_;
};

}  // namespace presso::cli
