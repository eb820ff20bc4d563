# SPDX-License-Identifier: MIT
"""XXH3 with 64 bits, seed 0 and the default secret, in plain Python.

Slow (a few MB/s) and without dependencies: what decode.py and the generators of hand-made files
need. golden_test.py compares it with the C++ library for every length that takes another path.
"""

import struct

MASK64 = (1 << 64) - 1

PRIME32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
PRIME64 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
PRIME_MX1 = 0x165667919E3779F9
PRIME_MX2 = 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)

STRIPE = 64
STRIPES_A_BLOCK = 16


def read32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def read64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def rotate(value, bits):
    return ((value << bits) | (value >> (64 - bits))) & MASK64


def fold(a, b):
    """The two halves of the 128-bit product, one over the other."""
    product = a * b
    return (product & MASK64) ^ (product >> 64)


def avalanche(value):
    value ^= value >> 37
    value = value * PRIME_MX1 & MASK64
    return value ^ (value >> 32)


def avalanche_xxh64(value):
    value ^= value >> 33
    value = value * PRIME64[1] & MASK64
    value ^= value >> 29
    value = value * PRIME64[2] & MASK64
    return value ^ (value >> 32)


def mix16(data, at, secret_at):
    return fold(
        read64(data, at) ^ read64(SECRET, secret_at),
        read64(data, at + 8) ^ read64(SECRET, secret_at + 8),
    )


def hash_up_to_16(data):
    size = len(data)
    if size == 0:
        return avalanche_xxh64(read64(SECRET, 56) ^ read64(SECRET, 64))
    if size <= 3:
        combined = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
        return avalanche_xxh64(combined ^ read32(SECRET, 0) ^ read32(SECRET, 4))
    if size <= 8:
        keyed = (read32(data, size - 4) + (read32(data, 0) << 32)) & MASK64
        keyed ^= read64(SECRET, 8) ^ read64(SECRET, 16)
        keyed ^= rotate(keyed, 49) ^ rotate(keyed, 24)
        keyed = keyed * PRIME_MX2 & MASK64
        keyed ^= (keyed >> 35) + size
        keyed = keyed * PRIME_MX2 & MASK64
        return keyed ^ (keyed >> 28)
    low = read64(data, 0) ^ read64(SECRET, 24) ^ read64(SECRET, 32)
    high = read64(data, size - 8) ^ read64(SECRET, 40) ^ read64(SECRET, 48)
    swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
    return avalanche((size + swapped + high + fold(low, high)) & MASK64)


def hash_up_to_240(data):
    size = len(data)
    total = size * PRIME64[0]
    if size <= 128:
        for pair in range((size - 1) // 32 + 1):
            total += mix16(data, 16 * pair, 32 * pair)
            total += mix16(data, size - 16 * (pair + 1), 32 * pair + 16)
        return avalanche(total & MASK64)
    for part in range(8):
        total += mix16(data, 16 * part, 16 * part)
    total = avalanche(total & MASK64)
    for part in range(8, size // 16):
        total += mix16(data, 16 * part, 16 * (part - 8) + 3)
    total += mix16(data, size - 16, 136 - 17)
    return avalanche(total & MASK64)


def accumulate(lanes, data, at, secret_at):
    words = struct.unpack_from("<8Q", data, at)
    keys = struct.unpack_from("<8Q", SECRET, secret_at)
    for lane in range(8):
        keyed = words[lane] ^ keys[lane]
        lanes[lane ^ 1] = (lanes[lane ^ 1] + words[lane]) & MASK64
        lanes[lane] = (lanes[lane] + (keyed & 0xFFFFFFFF) * (keyed >> 32)) & MASK64


def scramble(lanes):
    for lane in range(8):
        value = lanes[lane] ^ (lanes[lane] >> 47) ^ read64(SECRET, 128 + 8 * lane)
        lanes[lane] = value * PRIME32[0] & MASK64


def hash_long(data):
    lanes = [
        PRIME32[2], PRIME64[0], PRIME64[1], PRIME64[2],
        PRIME64[3], PRIME32[1], PRIME64[4], PRIME32[0],
    ]  # fmt: skip
    size = len(data)
    for stripe in range((size - 1) // STRIPE):
        accumulate(lanes, data, STRIPE * stripe, 8 * (stripe % STRIPES_A_BLOCK))
        if stripe % STRIPES_A_BLOCK == STRIPES_A_BLOCK - 1:
            scramble(lanes)
    accumulate(lanes, data, size - STRIPE, len(SECRET) - STRIPE - 7)
    total = size * PRIME64[0]
    for pair in range(4):
        secret_at = 11 + 16 * pair
        total += fold(
            lanes[2 * pair] ^ read64(SECRET, secret_at),
            lanes[2 * pair + 1] ^ read64(SECRET, secret_at + 8),
        )
    return avalanche(total & MASK64)


def xxh3_64(data):
    data = bytes(data)
    if len(data) <= 16:
        return hash_up_to_16(data)
    if len(data) <= 240:
        return hash_up_to_240(data)
    return hash_long(data)
