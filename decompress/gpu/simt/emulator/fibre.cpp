// SPDX-License-Identifier: MIT
// Fibres by a few instructions of x86-64 or by ucontext, with the calls that AddressSanitizer
// needs.
#include "decompress/gpu/simt/emulator/fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define PRESSO_FIBRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRESSO_FIBRE_ASAN 1
#endif
#endif
#ifdef PRESSO_FIBRE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace presso::simt {
namespace {

// Both sides of the switch in progress: a new fibre has no other way to learn them.
thread_local Fibre* switching_from = nullptr;
thread_local Fibre* switching_to = nullptr;

/// Bytes of a stack for frames that never return because finish() leaves them: those of begin() and
/// of the entry. All others return, or an exception unwinds them.
constexpr std::size_t kLastFrames = 4096;

/// Frames that were left and not returned from stay poisoned for the next user of the memory.
void forget_poison([[maybe_unused]] std::byte* from, [[maybe_unused]] std::size_t bytes) {
#ifdef PRESSO_FIBRE_ASAN
  ASAN_UNPOISON_MEMORY_REGION(from, bytes);
#endif
}

}  // namespace

// MAP_NORESERVE: untouched pages of stacks take no memory.
FibreStacks::FibreStacks(std::size_t count, std::size_t stack_bytes) : count_(count) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stack_bytes_ = (stack_bytes + page - 1) / page * page;
  stride_ = stack_bytes_ + page;
  void* memory = mmap(nullptr, count_ * stride_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < count_; ++i) {
    if (mprotect(memory_ + i * stride_, page, PROT_NONE) != 0) throw std::bad_alloc();
  }
}

// Poison would outlive the mapping and hit whoever maps the place next.
FibreStacks::~FibreStacks() {
  for (std::size_t i = 0; i < count_; ++i) forget_poison(bottom(i), stack_bytes_);
  munmap(memory_, count_ * stride_);
}

// After the guard page, since stacks grow downwards into it.
std::byte* FibreStacks::bottom(std::size_t index) const {
  return memory_ + index * stride_ + (stride_ - stack_bytes_);
}

#ifdef __x86_64__

// presso_fibre_jump(where to save the stack pointer, stack pointer to go on with): the registers
// that a called function must keep lie on the stack above it, then the address to return to.
extern "C" void presso_fibre_jump(void** save, void* load);
asm(  // allow(raw-intrinsic): code of the CPU
    R"(
.text
.p2align 4
.globl presso_fibre_jump
.type presso_fibre_jump, @function
presso_fibre_jump:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size presso_fibre_jump, .-presso_fibre_jump
)");

Fibre::~Fibre() = default;

void Fibre::prepare(std::byte* bottom, std::size_t bytes, void (*entry)(void*), void* argument) {
  forget_poison(bottom + bytes - kLastFrames, kLastFrames);
  bottom_ = bottom;
  bytes_ = bytes;
  entry_ = entry;
  argument_ = argument;
  fake_stack_ = nullptr;
  // Six registers, begin()'s address and a null return address, below which a called function
  // expects a stack pointer that is 8 modulo 16.
  auto* top = reinterpret_cast<std::uintptr_t*>(bottom + bytes) - 8;
  for (int i = 0; i < 8; ++i) top[i] = 0;
  top[6] = reinterpret_cast<std::uintptr_t>(&Fibre::begin);
  context_ = top;
}

// The switch itself, without telling sanitizers.
void Fibre::jump(Fibre& to) {
  presso_fibre_jump(&context_, to.context_);
}

#else

Fibre::~Fibre() {
  delete static_cast<ucontext_t*>(context_);
}

void Fibre::prepare(std::byte* bottom, std::size_t bytes, void (*entry)(void*), void* argument) {
  forget_poison(bottom + bytes - kLastFrames, kLastFrames);
  bottom_ = bottom;
  bytes_ = bytes;
  entry_ = entry;
  argument_ = argument;
  fake_stack_ = nullptr;
  if (context_ == nullptr) context_ = new ucontext_t;
  auto* context = static_cast<ucontext_t*>(context_);
  getcontext(context);
  context->uc_stack.ss_sp = bottom;
  context->uc_stack.ss_size = bytes;
  context->uc_link = nullptr;
  makecontext(context, &Fibre::begin, 0);
}

void Fibre::jump(Fibre& to) {
  if (context_ == nullptr) context_ = new ucontext_t;
  swapcontext(static_cast<ucontext_t*>(context_), static_cast<ucontext_t*>(to.context_));
}

#endif

void Fibre::begin() {
  Fibre* self = switching_to;
#ifdef PRESSO_FIBRE_ASAN
  // The first switch away from the thread's own stack is also how its bounds become known.
  __sanitizer_finish_switch_fiber(nullptr, &switching_from->bottom_, &switching_from->bytes_);
#endif
  self->entry_(self->argument_);
  std::abort();  // entry must end with finish()
}

// Sanitizers must be told before and after: they keep the bounds of the present stack.
void Fibre::switch_to(Fibre& to) {
  switching_from = this;
  switching_to = &to;
#ifdef PRESSO_FIBRE_ASAN
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.bytes_);
#endif
  jump(to);
#ifdef PRESSO_FIBRE_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

// A null fake stack tells the sanitizer that this one is not coming back.
void Fibre::finish(Fibre& to) {
  switching_from = this;
  switching_to = &to;
#ifdef PRESSO_FIBRE_ASAN
  __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.bytes_);
#endif
  jump(to);
  std::abort();
}

}  // namespace presso::simt
