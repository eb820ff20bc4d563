// SPDX-License-Identifier: MIT
// <presso/query.h>: join two tables, group what belongs together, and take the answer batch by
// batch; and the same as a statement of <presso/sql.h>.
#include <presso/compress_table.h>
#include <presso/query.h>
#include <presso/sql.h>
#include <presso/table.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int fail(const presso::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

/// A table in memory, made of CSV. Tables refer to their files, which must outlive them.
presso::Result<presso::Table> table_of(const std::string& csv, std::vector<presso::Byte>& file,
                                       presso::MemoryRandomAccess& access) {
  const presso::Bytes text(reinterpret_cast<const presso::Byte*>(csv.data()), csv.size());
  presso::MemorySource once(text);
  presso::MemorySource again(text);  // types are found out in a first pass
  presso::VectorSink sink(file);
  const auto stored = presso::compress_table(once, &again, sink, {});
  if (!stored.ok()) return stored.error();
  access = presso::MemoryRandomAccess(file);
  return presso::Table::open(access);
}

/// Prints rows of a string and a number. write() is never called by two threads at once.
class Printer final : public presso::ResultSink {
 public:
  presso::Result<bool> write(presso::ResultBatch batch, presso::Buffer) override {
    const presso::ColumnView names = batch[0].view();
    const presso::ColumnView counts = batch[1].view();
    for (std::uint64_t row = 0; row < names.rows; ++row) {
      const presso::Bytes name = names.string(row);
      const auto count = reinterpret_cast<const std::int64_t*>(counts.values)[row];
      std::printf("%.*s %lld\n", static_cast<int>(name.size()),
                  reinterpret_cast<const char*>(name.data()), static_cast<long long>(count));
      pieces += count;
    }
    return true;  // false would stop here
  }
  std::int64_t pieces = 0;
};

}  // namespace

int main() {
  std::string orders_csv = "id,city\n1,Oslo\n2,Rome\n3,Oslo\n4,Bonn\n";
  std::string lines_csv = "order_id,article,pieces\n1,pan,2\n1,mug,3\n2,mug,1\n3,pan,5\n9,pan,7\n";
  std::vector<presso::Byte> orders_file, lines_file;
  presso::MemoryRandomAccess orders_access({}), lines_access({});
  const auto orders = table_of(orders_csv, orders_file, orders_access);
  if (!orders.ok()) return fail(orders.error());
  const auto lines = table_of(lines_csv, lines_file, lines_access);
  if (!lines.ok()) return fail(lines.error());

  // All orders, also those without lines. The larger table is read in order, the other one is kept
  // in memory: options.memory_bytes limits how much of it at once.
  presso::Query query = presso::Query::from({*orders}, {"orders"});
  query.join({*lines}, {"lines"}, presso::JoinKind::kLeft, "id = order_id")
      .group_by("city")
      .aggregate("count(article) as n")
      .order_by("city");
  presso::QueryOptions options;
  options.memory_bytes = 64 << 20;
  Printer printer;
  auto done = query.run(options, printer);
  if (!done.ok()) return fail(done.error());

  // What is wrong with a question is known before it is run, and shown with its place.
  presso::Query wrong = presso::Query::from({*orders}, {"orders"});
  wrong.join({*lines}, {"lines"}, presso::JoinKind::kInner, "id = order_idd");
  std::printf("%s\n", wrong.schema().error().what.c_str());

  const std::string statement =
      "select article, sum(pieces)::bigint from orders join lines on id = order_id "
      "where city = 'Oslo' group by article order by article";
  const auto parsed = presso::parse_sql(statement);
  if (!parsed.ok()) return fail(parsed.error());
  Printer of_oslo;
  done = presso::Query::from(*parsed, statement, {*orders, *lines}).run(options, of_oslo);
  if (!done.ok()) return fail(done.error());
  return printer.pieces == 4 && of_oslo.pieces == 10 ? 0 : 1;
}
