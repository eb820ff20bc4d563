// SPDX-License-Identifier: MIT
// Fibres: functions with a stack of their own that give way to each other by name, without the
// operating system. A switch saves six registers (x86-64; elsewhere ucontext does it, slower), and
// AddressSanitizer is told of it, so that it knows which stack the program is on.
#pragma once

#include <cstddef>

namespace presso::simt {

/// Equal stacks in one mapping, each after a page that nothing may touch.
class FibreStacks {
 public:
  FibreStacks(std::size_t count, std::size_t stack_bytes);
  ~FibreStacks();
  FibreStacks(const FibreStacks&) = delete;
  FibreStacks& operator=(const FibreStacks&) = delete;

  std::byte* bottom(std::size_t index) const;
  std::size_t count() const { return count_; }
  std::size_t stack_bytes() const { return stack_bytes_; }

 private:
  std::size_t count_ = 0;
  std::size_t stack_bytes_ = 0;
  std::size_t stride_ = 0;
  std::byte* memory_ = nullptr;
};

/// One context. The one of the thread itself is a Fibre that prepare() was never called on.
class Fibre {
 public:
  Fibre() = default;
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre();

  /// `entry(argument)` begins at the first switch to this fibre. It must end with finish().
  void prepare(std::byte* bottom, std::size_t bytes, void (*entry)(void*), void* argument);
  /// Goes on in `to`; returns when something switches back to this fibre, which must be running.
  void switch_to(Fibre& to);
  /// Like switch_to(), for a fibre that is done: nothing may switch back to it before prepare().
  [[noreturn]] void finish(Fibre& to);

 private:
  static void begin();
  void jump(Fibre& to);

  void* context_ = nullptr;  ///< the saved stack pointer, or a ucontext_t
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace presso::simt
