// SPDX-License-Identifier: MIT
// Orders and their lines. Both tables make the order anew from its number: the facts come from one
// stream of random numbers, the words of each table from its own.
#include "corpora/tpch_tables.h"
#include "corpora/tpch_text.h"
#include "corpora/tpch_words.h"

namespace presso::corpora::tpch {
namespace {

class Orders final : public TableGenerator {
 public:
  explicit Orders(Scale scale) : scale_(scale) {}

  std::uint64_t rows() const override { return scale_.orders(); }

  std::string_view columns() const override {
    return "o_orderkey,o_custkey,o_orderstatus,o_totalprice,o_orderdate,o_orderpriority,o_clerk,"
           "o_shippriority,o_comment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    const Order order = make_order(row, scale_);
    Random random = row_random(0x7063680002, row);
    to.begin_row();
    to.number(order.key);
    to.number(order.customer);
    to.word({&order.status, 1});
    to.money(order.total_price);
    to.date(order.date);
    to.word(pick(random, kPriorities));
    to.name("Clerk#", 1 + random.below(static_cast<std::uint32_t>(scale_.clerks())));
    to.number(0);
    to.text_field(text_.make(random, 19, 78));
    to.end_row();
  }

 private:
  Scale scale_;
  CommentText text_;
};

class Lineitem final : public TableGenerator {
 public:
  explicit Lineitem(Scale scale) : scale_(scale) {}

  std::uint64_t rows() const override { return scale_.orders(); }

  std::string_view columns() const override {
    return "l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,l_extendedprice,l_discount,"
           "l_tax,l_returnflag,l_linestatus,l_shipdate,l_commitdate,l_receiptdate,l_shipinstruct,"
           "l_shipmode,l_comment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    const Order order = make_order(row, scale_);
    Random random = row_random(0x7063680003, row);
    for (std::uint32_t i = 0; i < order.line_count; ++i) {
      to.begin_row();
      to.number(order.key);
      append_facts(order.lines[i], i + 1, to);
      to.word(pick(random, kInstructions));
      to.word(pick(random, kModes));
      to.text_field(text_.make(random, 10, 43));
      to.end_row();
    }
  }

 private:
  static void append_facts(const Line& line, std::uint32_t number, RowWriter& to) {
    to.number(line.part);
    to.number(line.supplier);
    to.number(number);
    to.number(line.quantity);
    to.money(line.extended_price);
    to.money(line.discount);
    to.money(line.tax);
    to.word({&line.return_flag, 1});
    to.word({&line.status, 1});
    to.date(line.ship_date);
    to.date(line.commit_date);
    to.date(line.receipt_date);
  }

  Scale scale_;
  CommentText text_;
};

}  // namespace

std::unique_ptr<TableGenerator> make_orders(Scale scale) {
  return std::make_unique<Orders>(scale);
}

std::unique_ptr<TableGenerator> make_lineitem(Scale scale) {
  return std::make_unique<Lineitem>(scale);
}

}  // namespace presso::corpora::tpch
