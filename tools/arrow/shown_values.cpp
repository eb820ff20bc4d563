// SPDX-License-Identifier: MIT
// Implements shown_values.h by the functions that Parquet's values are made with.
#include "tools/arrow/shown_values.h"

#include <cstdio>
#include <string>

#include "tools/parquet/value_forms.h"

namespace presso::cli {
namespace {

Buffer floats_of(Bytes halves) {
  Buffer floats;
  floats.grow(2 * halves.size());
  for (std::size_t i = 0; i < halves.size() / 2; ++i) {
    store(floats.data() + 4 * i, float_of_half(load<std::uint16_t>(halves.data() + 2 * i)));
  }
  return floats;
}

/// Months, days and nanoseconds, any of which may be negative, with as many digits of the seconds
/// as they have: three, six or nine.
void append_interval(std::int64_t months, std::int64_t days, std::int64_t nanos, std::string& to) {
  const std::uint64_t size =
      nanos < 0 ? 0 - static_cast<std::uint64_t>(nanos) : static_cast<std::uint64_t>(nanos);
  const std::uint64_t rest = size % 1'000'000'000;
  const int digits = rest % 1'000'000 == 0 ? 3 : rest % 1'000 == 0 ? 6 : 9;
  char text[96];
  const int length = std::snprintf(
      text, sizeof text, "P%lldM%lldDT%s%llu.%09llu", static_cast<long long>(months),
      static_cast<long long>(days), nanos < 0 ? "-" : "",
      static_cast<unsigned long long>(size / 1'000'000'000), static_cast<unsigned long long>(rest));
  to.append(text, static_cast<std::size_t>(length - 9 + digits));
  to += 'S';
}

/// Appends one value; false for a time that no day has.
bool append_shown(const IpcField& field, const Byte* value, std::string& to) {
  switch (field.step) {
    case IpcStep::kTime:
      return append_time(field.width == 4 ? load<std::int32_t>(value) : load<std::int64_t>(value),
                         field.per_second, to);
    case IpcStep::kMonths:
      append_interval(load<std::int32_t>(value), 0, 0, to);
      return true;
    case IpcStep::kDayTime:
      append_interval(0, load<std::int32_t>(value),
                      std::int64_t{1'000'000} * load<std::int32_t>(value + 4), to);
      return true;
    case IpcStep::kMonthsDays:
      append_interval(load<std::int32_t>(value), load<std::int32_t>(value + 4),
                      load<std::int64_t>(value + 8), to);
      return true;
    case IpcStep::kUuid:
      append_uuid(value, to);
      return true;
    default:
      to.append(reinterpret_cast<const char*>(value), field.width);
      return true;
  }
}

}  // namespace

Result<std::vector<Buffer>> shown_values(const IpcField& field, Bytes values, Bytes validity,
                                         std::uint64_t rows) {
  std::vector<Buffer> shown(field.step == IpcStep::kFloat ? 1 : 2);
  if (field.step == IpcStep::kFloat) {
    shown[0] = floats_of(values.first(static_cast<std::size_t>(rows) * 2));
    return shown;
  }
  std::string text;
  std::vector<std::int64_t> offsets = {0};
  for (std::uint64_t row = 0; row < rows; ++row) {
    const bool is_null = !validity.empty() && (validity[row / 8] >> (row % 8) & 1) == 0;
    if (!is_null && !append_shown(field, values.data() + row * field.width, text)) {
      return make_error(ErrorCode::kInvalidArgument,
                        "row " + std::to_string(row + 1) + " has a time that no day has");
    }
    offsets.push_back(static_cast<std::int64_t>(text.size()));
  }
  shown[0].append({reinterpret_cast<const Byte*>(offsets.data()), offsets.size() * 8});
  shown[1].append({reinterpret_cast<const Byte*>(text.data()), text.size()});
  return shown;
}

}  // namespace presso::cli
