// SPDX-License-Identifier: MIT
// Programs that link largest_allocation.cpp count what they ask of operator new.
#pragma once

#include <cstddef>

namespace presso::test {

/// The largest single allocation of any thread since the last reset.
std::size_t largest_allocation();
void reset_largest_allocation();

/// Lets the allocation after `count` further ones fail with bad_alloc, once; ~0: none.
void fail_allocation_after(std::size_t count);

}  // namespace presso::test
