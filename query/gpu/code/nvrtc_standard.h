// SPDX-License-Identifier: MIT
// What kernels use of the standard headers, for compiling them at run time, where there is no
// standard library: NVRTC finds this text under the name of each of them
// (query/gpu/CMakeLists.txt). Types are the same as on the host (64-bit Linux), so that structs
// passed to a kernel are, too.
#ifndef PRESSO_NVRTC_STANDARD_H
#define PRESSO_NVRTC_STANDARD_H

#if !defined(__CUDACC_RTC__)
#error "only for compiling at run time"
#endif

namespace std {

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using size_t = decltype(sizeof 0);
using ptrdiff_t = long;
using uintptr_t = unsigned long;
static_assert(sizeof(int64_t) == 8 && sizeof(size_t) == 8);

using ::memcpy;
using ::memset;

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;

template <bool condition, class Yes, class No>
struct conditional {
  using type = Yes;
};
template <class Yes, class No>
struct conditional<false, Yes, No> {
  using type = No;
};
template <bool condition, class Yes, class No>
using conditional_t = typename conditional<condition, Yes, No>::type;

template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

template <class A, class B>
struct is_same : false_type {};
template <class A>
struct is_same<A, A> : true_type {};
template <class A, class B>
inline constexpr bool is_same_v = is_same<A, B>::value;

template <class T>
inline constexpr bool is_signed_v = T(-1) < T(0);
template <class T>
inline constexpr bool is_unsigned_v = !is_signed_v<T>;

/// Returns the value of another type that has the bits of `from`.
template <class To, class From>
__host__ __device__ constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace std

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

#endif
