// SPDX-License-Identifier: MIT
#include "corpora/tpch_rules.h"

#include "corpora/table_generator.h"

namespace presso::corpora::tpch {
namespace {

constexpr std::uint64_t kPurpose = 0x7063680001;

Line make_line(Random& random, int order_date, Scale scale) {
  Line line{};
  line.part = 1 + random.below(static_cast<std::uint32_t>(scale.parts()));
  line.supplier = supplier_of(line.part, random.below(kSuppliersOfPart), scale);
  line.quantity = 1 + random.below(50);
  line.extended_price = line.quantity * retail_price(line.part);
  line.discount = random.below(11);
  line.tax = random.below(9);
  line.ship_date = order_date + 1 + static_cast<int>(random.below(121));
  line.commit_date = order_date + 30 + static_cast<int>(random.below(61));
  line.receipt_date = line.ship_date + 1 + static_cast<int>(random.below(30));
  const char returned = random.one_in(2) ? 'R' : 'A';
  line.return_flag = line.receipt_date <= kCurrentDate ? returned : 'N';
  line.status = line.ship_date > kCurrentDate ? 'O' : 'F';
  return line;
}

/// In hundredths of a hundredth of a cent, so that the sum over the lines is exact.
std::int64_t charge(const Line& line) {
  return line.extended_price * (100 + static_cast<std::int64_t>(line.tax)) *
         (100 - static_cast<std::int64_t>(line.discount));
}

}  // namespace

Order make_order(std::uint64_t row, Scale scale) {
  Random random = row_random(kPurpose, row);
  Order order{};
  order.key = order_key(row);
  // A third of the customers, those whose key is divisible by three, have no orders.
  const std::uint64_t with_orders =
      random.below(static_cast<std::uint32_t>(scale.customers() / 3 * 2));
  order.customer = with_orders / 2 * 3 + 1 + with_orders % 2;
  order.date = kStartDate + static_cast<int>(random.below(kEndDate - 151 - kStartDate + 1));
  order.line_count = 1 + random.below(kMaxLines);
  std::int64_t total = 0;
  std::uint32_t open = 0;
  for (std::uint32_t i = 0; i < order.line_count; ++i) {
    order.lines[i] = make_line(random, order.date, scale);
    total += charge(order.lines[i]);
    open += order.lines[i].status == 'O' ? 1 : 0;
  }
  order.total_price = (total + 5000) / 10000;
  order.status = open == 0 ? 'F' : open == order.line_count ? 'O' : 'P';
  return order;
}

}  // namespace presso::corpora::tpch
