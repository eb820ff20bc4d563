// SPDX-License-Identifier: MIT
// A place holder for class Query: all columns of all rows. Everything else is kUnsupported.
#include <algorithm>
#include <numeric>

#include "presso/query.h"

namespace presso {

struct Query::Body {
  std::vector<Table> tables;
  bool is_simple = true;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t offset = 0;
};

Status ResultSink::begin(const TableSchema&) {
  return {};
}
Result<Buffer> ResultSink::encode(const ResultBatch&) {
  return Buffer();
}

QueryRates measure_query_rates() {
  return {};
}

Query::Query(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
Query::~Query() = default;

Query Query::from(std::vector<Table> tables, std::vector<std::string>) {
  auto body = std::make_unique<Body>();
  body->tables = std::move(tables);
  return Query(std::move(body));
}
Query& Query::where(std::string_view) {
  body_->is_simple = false;
  return *this;
}
Query& Query::select(std::string_view) {
  body_->is_simple = false;
  return *this;
}
Query& Query::group_by(std::string_view) {
  body_->is_simple = false;
  return *this;
}
Query& Query::aggregate(std::string_view) {
  body_->is_simple = false;
  return *this;
}
Query& Query::having(std::string_view) {
  body_->is_simple = false;
  return *this;
}
Query& Query::order_by(std::string_view) {
  body_->is_simple = false;
  return *this;
}
Query& Query::limit(std::uint64_t rows, std::uint64_t offset) {
  body_->limit = rows;
  body_->offset = offset;
  return *this;
}

Result<TableSchema> Query::schema() const {
  if (body_->is_simple) return body_->tables.front().schema();
  return make_error(ErrorCode::kUnsupported, "this build knows no conditions and no expressions");
}
Result<std::string> Query::explain(const QueryOptions&, bool) const {
  return std::string("all rows\n");
}

Result<QuerySummary> Query::run(const QueryOptions&, ResultSink& sink) const {
  PRESSO_ASSIGN(const TableSchema answer, schema());
  PRESSO_TRY(sink.begin(answer));
  QuerySummary summary;
  std::uint64_t skip = body_->offset;
  for (const Table& table : body_->tables) {
    std::vector<std::size_t> columns(table.schema().columns.size());
    std::iota(columns.begin(), columns.end(), 0);
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      const std::uint32_t rows = table.row_group(group).rows;
      summary.rows_in += rows;
      const auto first = static_cast<std::uint32_t>(std::min<std::uint64_t>(skip, rows));
      skip -= first;
      const auto count = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(rows - first, body_->limit - summary.rows));
      if (count == 0) continue;
      PRESSO_ASSIGN(ResultBatch batch, table.read(group, columns, first, count));
      PRESSO_ASSIGN(Buffer encoded, sink.encode(batch));
      PRESSO_ASSIGN(const bool more, sink.write(std::move(batch), std::move(encoded)));
      summary.rows += count;
      if (!more) return summary;
    }
  }
  return summary;
}

}  // namespace presso
