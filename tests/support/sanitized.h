// SPDX-License-Identifier: MIT
// Whether the address sanitizer is at work, under which kernels in the emulator take ten to thirty
// times as long: tests of many like cases then take some of them.
#pragma once

namespace presso::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace presso::test
