// SPDX-License-Identifier: MIT
// The powers of ten of ALP (FORMAT.md 16.2), by which encoder and decoders multiply. Negative
// powers are the doubles nearest to them. No function is here, so that code for CPU levels may use
// it.
#pragma once

namespace presso {

// clang-format off
constexpr double kAlpPowers[19] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18};
constexpr double kAlpInversePowers[19] = {
    1e-0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15, 1e-16, 1e-17, 1e-18};
// clang-format on

}  // namespace presso
