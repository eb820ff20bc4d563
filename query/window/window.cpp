#include "query/window/window.h"
namespace presso::query {
Result<ColumnSchema> window_type(const WindowCall&, const TableSchema&) {
  return make_error(ErrorCode::kInvalidArgument, "no windows yet");
}
Result<KeptRows> with_windows(const KeptRows&, std::span<const WindowCall>, const QueryOptions&) {
  return make_error(ErrorCode::kInvalidArgument, "no windows yet");
}
}  // namespace presso::query
