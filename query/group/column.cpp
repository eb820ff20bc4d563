// SPDX-License-Identifier: MIT
// Memory of Column (column.h), the growing arrays of groups, tables and join indexes. From 1 MiB on
// it is a mapping aligned to large pages (2 MiB), which it asks for: tables that are accessed at
// random otherwise also wait for page tables, and fresh memory costs a page fault for every 4 KiB.
// NOTES.md has figures.
#include "query/group/column.h"

#include <sys/mman.h>

#include "presso/bytes.h"

namespace presso::query::grouping {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Whether memory of that size is a mapping of its own.
bool is_mapped(std::size_t bytes) {
  return bytes >= kLargePage / 2;
}

}  // namespace

std::size_t rounded_bytes(std::size_t bytes) {
  if (bytes > ~std::size_t{0} / 4) throw std::bad_alloc();
  return is_mapped(bytes) ? static_cast<std::size_t>(round_up(bytes, kLargePage)) : bytes;
}

/// mmap() aligns to small pages only, so a large page more is asked for, and both ends are given
/// back.
void* allocate_zeroed(std::size_t bytes) {
  if (!is_mapped(bytes)) {
    void* memory = std::calloc(bytes, 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  // One large page more than needed; the unaligned ends are returned below.
  void* mapping =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<Byte*>(mapping);
  const std::size_t before =
      static_cast<std::size_t>(round_up(reinterpret_cast<std::uintptr_t>(begin), kLargePage) -
                               reinterpret_cast<std::uintptr_t>(begin));
  if (before != 0) munmap(begin, before);
  if (before != kLargePage) munmap(begin + before + bytes, kLargePage - before);
#ifdef MADV_HUGEPAGE
  static_cast<void>(madvise(begin + before, bytes, MADV_HUGEPAGE));
#endif
  return begin + before;
}

void release(void* memory, std::size_t bytes) {
  if (is_mapped(bytes)) {
    munmap(memory, bytes);
  } else {
    std::free(memory);
  }
}

}  // namespace presso::query::grouping
