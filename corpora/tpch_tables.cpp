// SPDX-License-Identifier: MIT
// The tables that orders refer to: customers, parts, suppliers, who supplies which part, nations,
// regions. Each row has a stream of random numbers of its own.
#include "corpora/tpch_tables.h"

#include <cstring>

#include "corpora/tpch_text.h"
#include "corpora/tpch_words.h"

namespace presso::corpora::tpch {

void append_address(Random& random, std::uint32_t most, RowWriter& to) {
  constexpr char kLetters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ, ";
  std::array<char, kLongestAddress> address;
  const std::uint32_t length = 10 + random.below(most - 9);
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < length; ++i) {
    if (i % 10 == 0) bits = random.next();
    address[i] = kLetters[bits & 63];
    bits >>= 6;
  }
  to.text_field({address.data(), length});
}

void append_phone(Random& random, std::uint32_t nation, RowWriter& to) {
  to.append_number(10 + nation);
  to.append('-');
  to.append_number(100 + random.below(900));
  to.append('-');
  to.append_number(100 + random.below(900));
  to.append('-');
  to.number(1000 + random.below(9000));
}

namespace {

/// Key, name and address to account balance, which customers and suppliers have alike.
void append_party(std::string_view prefix, std::uint64_t key, Random& random, RowWriter& to) {
  const std::uint32_t nation = random.below(kNations.size());
  to.number(key);
  to.name(prefix, key);
  append_address(random, kLongestAddress, to);
  to.number(nation);
  append_phone(random, nation, to);
  to.money(static_cast<std::int64_t>(random.below(1099999)) - 99999);
}

class Customer final : public TableGenerator {
 public:
  explicit Customer(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.customers(); }
  std::string_view columns() const override {
    return "c_custkey,c_name,c_address,c_nationkey,c_phone,c_acctbal,c_mktsegment,c_comment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7063680004, row);
    to.begin_row();
    append_party("Customer#", row + 1, random, to);
    to.word(pick(random, kSegments));
    to.text_field(text_.make(random, 29, 116));
    to.end_row();
  }

 private:
  Scale scale_;
  CommentText text_;
};

class Supplier final : public TableGenerator {
 public:
  explicit Supplier(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.suppliers(); }
  std::string_view columns() const override {
    return "s_suppkey,s_name,s_address,s_nationkey,s_phone,s_acctbal,s_comment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7063680005, row);
    to.begin_row();
    append_party("Supplier#", row + 1, random, to);
    append_comment(row, random, to);
    to.end_row();
  }

 private:
  /// Five suppliers of every 10,000 have complaints, five others recommendations.
  void append_comment(std::uint64_t row, Random& random, RowWriter& to) {
    constexpr std::uint32_t kGroup = 2000;
    Random group = row_random(0x7063680006, row / kGroup);
    const std::uint32_t complaint = group.below(kGroup);
    const std::uint32_t praise = (complaint + 1 + group.below(kGroup - 1)) % kGroup;
    const std::string_view text = text_.make(random, 25, 100);
    if (row % kGroup == complaint) {
      append_marked(text, "Complaints", random, to);
    } else if (row % kGroup == praise) {
      append_marked(text, "Recommends", random, to);
    } else {
      to.text_field(text);
    }
  }

  /// Puts Customer and `what` over some of the text, with a gap between them.
  static void append_marked(std::string_view text, std::string_view what, Random& random,
                            RowWriter& to) {
    constexpr std::string_view kCustomer = "Customer";
    std::array<char, 100> marked;
    std::memcpy(marked.data(), text.data(), text.size());
    const std::size_t spare = text.size() - kCustomer.size() - what.size();
    const std::size_t gap = random.below(static_cast<std::uint32_t>(spare + 1));
    const std::size_t at = random.below(static_cast<std::uint32_t>(spare - gap + 1));
    std::memcpy(marked.data() + at, kCustomer.data(), kCustomer.size());
    std::memcpy(marked.data() + at + kCustomer.size() + gap, what.data(), what.size());
    to.text_field({marked.data(), text.size()});
  }

  Scale scale_;
  CommentText text_;
};

class Part final : public TableGenerator {
 public:
  explicit Part(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.parts(); }
  std::string_view columns() const override {
    return "p_partkey,p_name,p_mfgr,p_brand,p_type,p_size,p_container,p_retailprice,p_comment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7063680007, row);
    const std::uint64_t maker = 1 + random.below(5);
    to.begin_row();
    to.number(row + 1);
    append_colours(random, to);
    to.append("Manufacturer#");
    to.number(maker);
    to.append("Brand#");
    to.number(10 * maker + 1 + random.below(5));
    to.append(pick(random, kTypes1));
    to.append(' ');
    to.append(pick(random, kTypes2));
    to.append(' ');
    to.word(pick(random, kTypes3));
    to.number(1 + random.below(50));
    to.append(pick(random, kContainers1));
    to.append(' ');
    to.word(pick(random, kContainers2));
    to.money(retail_price(row + 1));
    to.text_field(text_.make(random, 5, 22));
    to.end_row();
  }

 private:
  /// Five different ones.
  static void append_colours(Random& random, RowWriter& to) {
    std::array<std::uint32_t, 5> chosen{};
    for (std::uint32_t count = 0; count < chosen.size();) {
      const std::uint32_t colour = random.below(kColours.size());
      bool known = false;
      for (std::uint32_t i = 0; i < count; ++i) known = known || chosen[i] == colour;
      if (known) continue;
      if (count != 0) to.append(' ');
      to.append(kColours[colour]);
      chosen[count++] = colour;
    }
    to.end_field();
  }

  Scale scale_;
  CommentText text_;
};

class Partsupp final : public TableGenerator {
 public:
  explicit Partsupp(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return kSuppliersOfPart * scale_.parts(); }
  std::string_view columns() const override {
    return "ps_partkey,ps_suppkey,ps_availqty,ps_supplycost,ps_comment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7063680008, row);
    const std::uint64_t part = row / kSuppliersOfPart + 1;
    to.begin_row();
    to.number(part);
    to.number(supplier_of(part, row % kSuppliersOfPart, scale_));
    to.number(1 + random.below(9999));
    to.money(100 + random.below(99901));
    to.text_field(text_.make(random, 49, 198));
    to.end_row();
  }

 private:
  Scale scale_;
  CommentText text_;
};

class NationTable final : public TableGenerator {
 public:
  std::uint64_t rows() const override { return kNations.size(); }
  std::string_view columns() const override { return "n_nationkey,n_name,n_regionkey,n_comment"; }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7063680009, row);
    to.begin_row();
    to.number(row);
    to.word(kNations[row].name);
    to.number(kNations[row].region);
    to.text_field(text_.make(random, 31, 114));
    to.end_row();
  }

 private:
  CommentText text_;
};

class Region final : public TableGenerator {
 public:
  std::uint64_t rows() const override { return kRegions.size(); }
  std::string_view columns() const override { return "r_regionkey,r_name,r_comment"; }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x706368000A, row);
    to.begin_row();
    to.number(row);
    to.word(kRegions[row]);
    to.text_field(text_.make(random, 31, 115));
    to.end_row();
  }

 private:
  CommentText text_;
};

}  // namespace

std::unique_ptr<TableGenerator> make_tpch_table(std::string_view name, Scale scale) {
  if (name == "lineitem") return make_lineitem(scale);
  if (name == "orders") return make_orders(scale);
  if (name == "customer") return std::make_unique<Customer>(scale);
  if (name == "part") return std::make_unique<Part>(scale);
  if (name == "partsupp") return std::make_unique<Partsupp>(scale);
  if (name == "supplier") return std::make_unique<Supplier>(scale);
  if (name == "nation") return std::make_unique<NationTable>();
  if (name == "region") return std::make_unique<Region>();
  return nullptr;
}

}  // namespace presso::corpora::tpch
