// SPDX-License-Identifier: MIT
// What presso info --calibrate has measured, for people.
#pragma once

#include <string>

#include "tools/device/calibrate.h"

namespace presso::cli {

/// Tables of rates, and where they are kept.
std::string calibration_text(const MachineRates& rates, const MeasurementStore& store);

}  // namespace presso::cli
