// SPDX-License-Identifier: MIT
#include "corpora/table_generator.h"

#include "corpora/made_tables.h"
#include "corpora/ssb_tables.h"
#include "corpora/tpch_tables.h"

namespace presso::corpora {

std::unique_ptr<TableGenerator> make_table(std::string_view name, std::uint64_t hundredths) {
  if (hundredths == 0 || hundredths > kMaxScaleHundredths) return nullptr;
  if (name == "weblog") return make_web_log(hundredths);
  if (name == "sensor") return make_sensor_readings(hundredths);
  constexpr std::string_view kStarSchema = "ssb_";
  if (name.starts_with(kStarSchema)) {
    return ssb::make_ssb_table(name.substr(kStarSchema.size()), ssb::Scale{hundredths});
  }
  return tpch::make_tpch_table(name, tpch::Scale{hundredths});
}

}  // namespace presso::corpora
