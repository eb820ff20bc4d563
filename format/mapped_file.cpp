// SPDX-License-Identifier: MIT
#include "presso/mapped_file.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace presso {
namespace {

// --- SIGBUS

/// Where a thread goes on whose read of a mapping has raised SIGBUS. Known to a signal handler, so
/// never allocated on first use.
__attribute__((tls_model("initial-exec"))) thread_local sigjmp_buf* volatile way_out = nullptr;

struct sigaction action_before;

void leave_read(int number, siginfo_t* about, void* context) {
  if (way_out != nullptr) siglongjmp(*way_out, 1);
  if ((action_before.sa_flags & SA_SIGINFO) != 0) {
    action_before.sa_sigaction(number, about, context);
  } else if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN) {
    action_before.sa_handler(number);
  } else {
    sigaction(SIGBUS, &action_before, nullptr);  // the same read raises it again
  }
}

/// False where the system refuses.
bool handle_bus_errors() {
  static std::once_flag once;
  static bool installed = false;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = leave_read;
    // Not blocked inside: a jump leaves the handler, and must not leave the signal blocked.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    installed = sigaction(SIGBUS, &action, &action_before) == 0;
  });
  return installed;
}

// --- copying

#if defined(__SSE2__)
constexpr std::size_t kLine = 64;
/// One page: hardware does not prefetch across its end.
constexpr std::size_t kPrefetchAhead = 4096;

/// Whole cache lines at `to`, which is aligned to one.
void stream_lines(Byte* to, const Byte* from, std::size_t lines) {
  for (; lines > 0; --lines, to += kLine, from += kLine) {
    _mm_prefetch(reinterpret_cast<const char*>(from) + kPrefetchAhead, _MM_HINT_T0);
    const auto* in = reinterpret_cast<const __m128i*>(from);
    auto* out = reinterpret_cast<__m128i*>(to);
    for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
  }
  _mm_sfence();
}
#endif

/// No destructors here and below: bus errors leave by a jump.
void copy_past_caches(Byte* to, const Byte* from, std::size_t bytes) {
#if defined(__SSE2__)
  const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % kLine);
  const std::size_t lines = (bytes - head) / kLine;
  std::memcpy(to, from, head);
  stream_lines(to + head, from + head, lines);
  const std::size_t done = head + lines * kLine;
  std::memcpy(to + done, from + done, bytes - done);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// False where the mapping has no page there any more.
bool copy_or_fail(Byte* to, const Byte* from, std::size_t bytes) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) {
    way_out = nullptr;
    return false;
  }
  way_out = &here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy_past_caches(to, from, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  way_out = nullptr;
  return true;
}

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

MappedFile::MappedFile(int fd, std::uint64_t size) : fd_(fd), file_(fd, size) {
  if (size < kLeastMappedRead || !handle_bus_errors()) return;
  void* const mapped = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) mapping_ = static_cast<const Byte*>(mapped);
}

MappedFile::~MappedFile() {
  if (mapping_ == nullptr) return;
  munmap(const_cast<Byte*>(mapping_), static_cast<std::size_t>(size()));
}

/// Whether the page that holds this byte is. From storage, pread asks for more at a time.
bool MappedFile::is_cached(std::uint64_t offset) const {
  unsigned char state = 0;
  Byte* const page = const_cast<Byte*>(mapping_) + offset / page_bytes() * page_bytes();
  return mincore(page, 1, &state) == 0 && (state & 1) != 0;
}

/// False where pread has to say what is there. Behind the end of a file that was cut, the rest of
/// its last page reads as zeroes.
bool MappedFile::copy(std::uint64_t offset, MutableBytes into) const {
  if (!is_cached(offset) || !is_cached(offset + into.size() - 1)) return false;
  if (!copy_or_fail(into.data(), mapping_ + offset, into.size())) return false;
  struct stat about {};
  return fstat(fd_, &about) == 0 &&
         static_cast<std::uint64_t>(about.st_size) >= offset + into.size();
}

Status MappedFile::read_at(std::uint64_t offset, MutableBytes into) const {
  const bool in_mapping = mapping_ != nullptr && into.size() >= kLeastMappedRead &&
                          offset <= size() && into.size() <= size() - offset;
  if (in_mapping && copy(offset, into)) return {};
  return file_.read_at(offset, into);
}

}  // namespace presso
