// SPDX-License-Identifier: MIT
// Arrow structs that own what they describe: each has one object of ours in private_data, which
// includes the structs of its children. A consumer may move a child out (it copies the struct
// and marks the original as released); what the child owns is then the consumer's. Tested by
// tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "presso/arrow_abi.h"

namespace presso {

/// Children by value and, as the interface demands, by pointer.
template <class Struct>
struct ArrowChildren {
  std::vector<Struct> structs;
  std::vector<Struct*> pointers;

  /// Children start as released, so that the owner may be destroyed before they are filled.
  explicit ArrowChildren(std::size_t count) : structs(count) {
    for (Struct& child : structs) pointers.push_back(&child);
  }
  ArrowChildren(const ArrowChildren&) = delete;
  ArrowChildren& operator=(const ArrowChildren&) = delete;
  ~ArrowChildren() {
    for (Struct& child : structs) {
      if (child.release != nullptr) child.release(&child);
    }
  }
};

/// The release function of a struct whose private_data is an `Owned`.
template <class Struct, class Owned>
void release_arrow(Struct* released) {
  delete static_cast<Owned*>(released->private_data);
  released->release = nullptr;
  released->private_data = nullptr;
}

/// Makes an array that owns `owned`. `Owned` must have two members: `buffers`, an array of pointers
/// of which the Arrow array has as many as the parameter `buffers` says, and `children`, which is
/// an ArrowChildren<ArrowArray>.
template <class Owned>
ArrowArray owning_array(std::unique_ptr<Owned> owned, std::int64_t length, std::int64_t nulls,
                        std::int64_t buffers) {
  ArrowArray array = {};
  array.length = length;
  array.null_count = nulls;
  array.n_buffers = buffers;
  array.n_children = static_cast<std::int64_t>(owned->children.structs.size());
  array.buffers = owned->buffers.data();
  array.children = owned->children.pointers.data();
  array.release = release_arrow<ArrowArray, Owned>;
  array.private_data = owned.release();
  return array;
}

}  // namespace presso
