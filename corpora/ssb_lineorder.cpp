// SPDX-License-Identifier: MIT
// The facts: an order's lines, each with what the order itself says. Everything follows from the
// order's number. An order's total is the sum of what the lines cost with discount and tax, each
// rounded down twice, as the benchmark's own generator does.
#include <array>

#include "corpora/ssb_tables.h"
#include "corpora/tpch_rules.h"
#include "corpora/tpch_tables.h"
#include "corpora/tpch_words.h"

namespace presso::corpora::ssb {
namespace {

constexpr std::uint64_t kPurpose = 0x7373620001;

struct Line {
  std::uint64_t part;
  std::uint64_t supplier;
  std::uint32_t quantity;
  std::uint64_t extended_price;
  std::uint32_t discount;
  std::uint64_t revenue;
  std::uint64_t supply_cost;
  std::uint32_t tax;
  int commit_date;
  std::string_view mode;
};

struct Order {
  std::uint64_t key;
  std::uint64_t customer;
  int date;
  std::string_view priority;
  std::uint64_t total_price;
  std::uint32_t line_count;
  std::array<Line, tpch::kMaxLines> lines;
};

Line make_ssb_line(Random& random, int order_date, Scale scale) {
  Line line{};
  line.part = 1 + random.below(static_cast<std::uint32_t>(scale.parts()));
  line.supplier = 1 + random.below(static_cast<std::uint32_t>(scale.suppliers()));
  line.quantity = 1 + random.below(50);
  line.discount = random.below(11);
  line.tax = random.below(9);
  line.commit_date = order_date + 30 + static_cast<int>(random.below(61));
  line.mode = tpch::pick(random, tpch::kModes);
  const auto price = static_cast<std::uint64_t>(tpch::retail_price(line.part));
  line.extended_price = line.quantity * price;
  line.revenue = line.extended_price * (100 - line.discount) / 100;
  line.supply_cost = 6 * price / 10;
  return line;
}

Order make_ssb_order(std::uint64_t row, Scale scale) {
  Random random = row_random(kPurpose, row);
  Order order{};
  order.key = tpch::order_key(row);
  // As in TPC-H, a third of the customers, those whose key is divisible by three, have no orders.
  const std::uint64_t with_orders =
      random.below(static_cast<std::uint32_t>(scale.customers() / 3 * 2));
  order.customer = with_orders / 2 * 3 + 1 + with_orders % 2;
  order.date = tpch::kStartDate +
               static_cast<int>(random.below(tpch::kEndDate - 151 - tpch::kStartDate + 1));
  order.priority = tpch::pick(random, tpch::kPriorities);
  order.line_count = 1 + random.below(tpch::kMaxLines);
  for (std::uint32_t i = 0; i < order.line_count; ++i) {
    order.lines[i] = make_ssb_line(random, order.date, scale);
    order.total_price += order.lines[i].revenue * (100 + order.lines[i].tax) / 100;
  }
  return order;
}

class Lineorder final : public TableGenerator {
 public:
  explicit Lineorder(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.orders(); }
  std::string_view columns() const override {
    return "lo_orderkey,lo_linenumber,lo_custkey,lo_partkey,lo_suppkey,lo_orderdate,"
           "lo_orderpriority,lo_shippriority,lo_quantity,lo_extendedprice,lo_ordtotalprice,"
           "lo_discount,lo_revenue,lo_supplycost,lo_tax,lo_commitdate,lo_shipmode";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    const Order order = make_ssb_order(row, scale_);
    for (std::uint32_t i = 0; i < order.line_count; ++i) append_line(order, i, to);
  }

 private:
  static void append_line(const Order& order, std::uint32_t number, RowWriter& to) {
    const Line& line = order.lines[number];
    to.begin_row();
    to.number(order.key);
    to.number(number + 1);
    to.number(order.customer);
    to.number(line.part);
    to.number(line.supplier);
    to.number(date_key(order.date));
    to.word(order.priority);
    to.number(0);
    to.number(line.quantity);
    to.number(line.extended_price);
    to.number(order.total_price);
    to.number(line.discount);
    to.number(line.revenue);
    to.number(line.supply_cost);
    to.number(line.tax);
    to.number(date_key(line.commit_date));
    to.word(line.mode);
    to.end_row();
  }

  Scale scale_;
};

}  // namespace

std::unique_ptr<TableGenerator> make_lineorder(Scale scale) {
  return std::make_unique<Lineorder>(scale);
}

}  // namespace presso::corpora::ssb
