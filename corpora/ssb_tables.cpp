// SPDX-License-Identifier: MIT
// Customers, suppliers and parts. Each row has a stream of random numbers of its own.
#include "corpora/ssb_tables.h"

#include <array>

#include "corpora/tpch_tables.h"
#include "corpora/tpch_words.h"

namespace presso::corpora::ssb {
namespace {

constexpr std::uint32_t kCitiesOfNation = 10;
constexpr std::size_t kCityLetters = 9;  ///< of the nation's name, before the city's digit
constexpr std::uint32_t kLongestAddress = 25;

void append_city(std::string_view nation, std::uint32_t number, RowWriter& to) {
  const std::string_view begin = nation.substr(0, kCityLetters);
  to.append(begin);
  for (std::size_t i = begin.size(); i < kCityLetters; ++i) to.append(' ');
  to.number(number);
}

/// Key to phone, which customers and suppliers have alike.
void append_ssb_party(std::string_view prefix, std::uint64_t key, Random& random, RowWriter& to) {
  const std::uint32_t number = random.below(tpch::kNations.size());
  const tpch::Nation& nation = tpch::kNations[number];
  to.number(key);
  to.name(prefix, key);
  tpch::append_address(random, kLongestAddress, to);
  append_city(nation.name, random.below(kCitiesOfNation), to);
  to.word(nation.name);
  to.word(tpch::kRegions[nation.region]);
  tpch::append_phone(random, number, to);
}

class Customer final : public TableGenerator {
 public:
  explicit Customer(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.customers(); }
  std::string_view columns() const override {
    return "c_custkey,c_name,c_address,c_city,c_nation,c_region,c_phone,c_mktsegment";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7373620002, row);
    to.begin_row();
    append_ssb_party("Customer#", row + 1, random, to);
    to.word(tpch::pick(random, tpch::kSegments));
    to.end_row();
  }

 private:
  Scale scale_;
};

class Supplier final : public TableGenerator {
 public:
  explicit Supplier(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.suppliers(); }
  std::string_view columns() const override {
    return "s_suppkey,s_name,s_address,s_city,s_nation,s_region,s_phone";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7373620003, row);
    to.begin_row();
    append_ssb_party("Supplier#", row + 1, random, to);
    to.end_row();
  }

 private:
  Scale scale_;
};

/// Three different colours: one is the part's, the others make its name.
std::array<std::string_view, 3> pick_colours(Random& random) {
  std::array<std::string_view, 3> colours;
  for (std::size_t i = 0; i < colours.size();) {
    colours[i] = tpch::pick(random, tpch::kColours);
    bool is_new = true;
    for (std::size_t k = 0; k < i; ++k) is_new = is_new && colours[k] != colours[i];
    if (is_new) ++i;
  }
  return colours;
}

class Part final : public TableGenerator {
 public:
  explicit Part(Scale scale) : scale_(scale) {}
  std::uint64_t rows() const override { return scale_.parts(); }
  std::string_view columns() const override {
    return "p_partkey,p_name,p_mfgr,p_category,p_brand1,p_color,p_type,p_size,p_container";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    Random random = row_random(0x7373620004, row);
    const std::array<std::string_view, 3> colours = pick_colours(random);
    to.begin_row();
    to.number(row + 1);
    append_pair(colours[1], colours[2], to);
    append_makers(random, to);
    to.word(colours[0]);
    append_type(random, to);
    to.number(1 + random.below(50));
    const std::string_view size = tpch::pick(random, tpch::kContainers1);
    append_pair(size, tpch::pick(random, tpch::kContainers2), to);
    to.end_row();
  }

 private:
  static void append_pair(std::string_view first, std::string_view second, RowWriter& to) {
    to.append(first);
    to.append(' ');
    to.word(second);
  }

  /// Each begins with the one before: MFGR#2, MFGR#22, MFGR#2221.
  static void append_makers(Random& random, RowWriter& to) {
    const std::uint32_t maker = 1 + random.below(5);
    const std::uint32_t category = 10 * maker + 1 + random.below(5);
    to.append("MFGR#");
    to.number(maker);
    to.append("MFGR#");
    to.number(category);
    to.append("MFGR#");
    to.append_number(category);
    to.number(1 + random.below(40));
  }

  static void append_type(Random& random, RowWriter& to) {
    to.append(tpch::pick(random, tpch::kTypes1));
    to.append(' ');
    const std::string_view second = tpch::pick(random, tpch::kTypes2);
    append_pair(second, tpch::pick(random, tpch::kTypes3), to);
  }

  Scale scale_;
};

}  // namespace

std::unique_ptr<TableGenerator> make_ssb_table(std::string_view name, Scale scale) {
  if (name == "lineorder") return make_lineorder(scale);
  if (name == "date") return make_date();
  if (name == "customer") return std::make_unique<Customer>(scale);
  if (name == "supplier") return std::make_unique<Supplier>(scale);
  if (name == "part") return std::make_unique<Part>(scale);
  return nullptr;
}

}  // namespace presso::corpora::ssb
