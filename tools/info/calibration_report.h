// SPDX-License-Identifier: MIT
// Shows what presso info --calibrate has measured, in tables for people. Tested by
// tests/unit/tools/calibration_report_test.cpp. The texts are for people and may change; programs
// read --json.
#pragma once

#include <string>

#include "tools/device/calibrate.h"

namespace presso::cli {

/// The tables of rates, and the place where they are kept or why they are not.
std::string calibration_text(const MachineRates& rates, const MeasurementStore& store);

}  // namespace presso::cli
