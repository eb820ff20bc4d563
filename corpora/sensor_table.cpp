// SPDX-License-Identifier: MIT
// 250 devices send a reading every ten seconds, each in a slot of its own, some milliseconds early
// or late. A measurement is a random walk that any row can know without the rows before it: its
// values at the ends of a span of 2^14 ticks come from a hash, the values between by halving the
// span again and again and moving the middle by chance (a Brownian bridge). Steps of a tick then
// have the spread that each measurement names.
#include <algorithm>
#include <array>

#include "corpora/made_tables.h"

namespace presso::corpora {
namespace {

constexpr std::uint64_t kRowsPerHundredth = 100'000;
constexpr std::uint64_t kDevices = 250;
constexpr std::uint64_t kTickMilliseconds = 10'000;
constexpr std::uint64_t kSlotMilliseconds = kTickMilliseconds / kDevices;
constexpr int kFirstDay = 20513;  // 2026-03-01
constexpr unsigned kLevels = 14;
constexpr std::uint64_t kFaultTicks = 32;  // a device is faulty for so long

struct Measurement {
  std::int64_t mean;
  std::int64_t range;   ///< half of the width that values at the ends of spans have
  std::int64_t step;    ///< most that one tick changes it, in sixteenths of the last digit
  std::int64_t lowest;  ///< what the sensor can show at least
  std::size_t decimals;
  std::uint64_t missing;  ///< one of so many values is missing
  std::uint64_t lacking;  ///< one of so many devices has no such sensor; 0: every device has it
};

constexpr std::array<Measurement, 6> kMeasurements = {{
    {2150, 600, 40, -4000, 2, 400, 0},      // temperature
    {480, 150, 20, 0, 1, 400, 0},           // humidity
    {101325, 1500, 60, 80000, 2, 1000, 0},  // pressure
    {6200, 2500, 400, 3500, 1, 150, 5},     // carbon dioxide
    {370, 30, 4, 240, 2, 5000, 0},          // battery voltage
    {3000, 2900, 900, 0, 1, 200, 3},        // light
}};

/// 16 * sqrt(2^level) / 2, the spread of the middle of a span of 2^level steps.
constexpr std::array<std::int64_t, kLevels + 1> kSpread = {8,   11,  16,  23,  32,  45,  64,  91,
                                                           128, 181, 256, 362, 512, 724, 1024};

std::uint64_t hash(std::uint64_t key, std::uint64_t place) {
  return Random(key + place * 0xD1342543DE82EF95u).next();
}

/// In [-width, width].
std::int64_t spread(std::uint64_t bits, std::int64_t width) {
  const std::uint64_t count = 2 * static_cast<std::uint64_t>(width) + 1;
  return static_cast<std::int64_t>(((bits >> 32) * count) >> 32) - width;
}

/// In units of 1/16 of the last digit.
std::int64_t walk(const Measurement& what, std::uint64_t key, std::uint64_t tick) {
  std::uint64_t first = tick >> kLevels << kLevels;
  std::uint64_t last = first + (std::uint64_t{1} << kLevels);
  std::int64_t at_first = spread(hash(key, first), 16 * what.range);
  std::int64_t at_last = spread(hash(key, last), 16 * what.range);
  for (unsigned level = kLevels; level > 0 && first != tick; --level) {
    const std::uint64_t middle = (first + last) / 2;
    const std::int64_t moved = spread(hash(key, middle), what.step * kSpread[level] / 16);
    const std::int64_t at_middle = (at_first + at_last) / 2 + moved;
    const bool right = tick >= middle;
    first = right ? middle : first;
    at_first = right ? at_middle : at_first;
    last = right ? last : middle;
    at_last = right ? at_last : at_middle;
  }
  return at_first;
}

void append_time(std::uint64_t milliseconds, RowWriter& to) {
  const std::uint64_t seconds = milliseconds / 1000;
  to.append_date(kFirstDay + static_cast<int>(seconds / 86400));
  to.append('T');
  to.append_number(seconds / 3600 % 24, 2);
  to.append(':');
  to.append_number(seconds / 60 % 60, 2);
  to.append(':');
  to.append_number(seconds % 60, 2);
  to.append('.');
  to.append_number(milliseconds % 1000, 3);
  to.append('Z');
  to.end_field();
}

class SensorReadings final : public TableGenerator {
 public:
  explicit SensorReadings(std::uint64_t hundredths) : rows_(hundredths * kRowsPerHundredth) {}

  std::uint64_t rows() const override { return rows_; }

  std::string_view columns() const override {
    return "time,device,temperature,humidity,pressure,co2,battery,light,status";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    const std::uint64_t tick = row / kDevices;
    const std::uint64_t device = row % kDevices;
    Random random = row_random(0x73656E0001, row);
    const bool faulty = is_faulty(device, tick);
    to.begin_row();
    const std::uint64_t slot = tick * kTickMilliseconds + device * kSlotMilliseconds;
    append_time(slot + random.below(kSlotMilliseconds), to);
    to.append("dev-");
    to.append_number(1 + device, 4);
    to.end_field();
    std::int64_t battery = 0;
    for (std::size_t i = 0; i < kMeasurements.size(); ++i) {
      const std::int64_t value = append_measurement(i, device, tick, faulty, random, to);
      if (i == 4) battery = value;
    }
    to.word(faulty ? "fault" : battery < 345 ? "low_battery" : random.one_in(500) ? "late" : "ok");
    to.end_row();
  }

 private:
  static bool is_faulty(std::uint64_t device, std::uint64_t tick) {
    Random random = row_random(0x73656E0002, device << 40 | tick / kFaultTicks);
    return random.one_in(150);
  }

  static std::int64_t append_measurement(std::size_t index, std::uint64_t device,
                                         std::uint64_t tick, bool faulty, Random& random,
                                         RowWriter& to) {
    const Measurement& what = kMeasurements[index];
    const std::uint64_t key = Random(device << 8 | index).next();
    const std::int64_t value = std::max(what.lowest, what.mean + walk(what, key, tick) / 16);
    const bool lacks = what.lacking != 0 && device % what.lacking == 0;
    const bool missing = random.one_in(static_cast<std::uint32_t>(what.missing));
    if (lacks || missing || (faulty && index != 4)) {
      to.empty();
    } else {
      to.decimal(value, what.decimals);
    }
    return value;
  }

  std::uint64_t rows_;
};

}  // namespace

std::unique_ptr<TableGenerator> make_sensor_readings(std::uint64_t hundredths) {
  return std::make_unique<SensorReadings>(hundredths);
}

}  // namespace presso::corpora
