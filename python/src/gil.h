// SPDX-License-Identifier: MIT
// Gives up the interpreter's lock (the GIL), and takes it for threads that are not the
// interpreter's own.
//
// Python before 3.14 ends a thread that wants the lock while the interpreter is ending, by
// unwinding its stack, which C++ does not survive. Here such a thread rests for ever, as Python
// 3.14 lets it; and once close_works() was called, threads that come back first wait to see whether
// the interpreter goes on to end. Tested by python/tests/test_works.py. Taking the lock costs
// little beside a block; it is not taken for each line.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "python/src/rest_at_end.h"
#include "python/src/running_work.h"

namespace presso::python {

/// Whether this thread has the lock. Any thread may ask, at any time.
bool this_thread_has_gil();
/// Asks Python which thread is its main one, once, for is_main_thread().
void find_main_thread();
/// Whether this is the main thread, on which alone handlers of signals run.
bool is_main_thread();
/// Never returns; for threads that the interpreter has outlived.
[[noreturn]] void rest_forever();
/// To be called without the lock: if another thread has called close_works(), waits for up to two
/// seconds to see whether the interpreter ends, and rests for ever if it does. It need not end,
/// because a function registered with atexit may be waiting for this thread.
void rest_where_python_ends();

/// While this lives, the thread is without the lock; a thread that does not have it stays without.
class GilReleased {
 public:
  /// Gives the lock up until the end of the scope; nothing where the thread does not have it.
  GilReleased() : state_(this_thread_has_gil() ? PyEval_SaveThread() : nullptr) {}
  ~GilReleased() {
    if (state_ == nullptr) return;
    rest_where_python_ends();
    restore_or_rest(state_);
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

/// While this lives, the thread has the lock.
class GilTaken {
 public:
  /// Takes the lock until the end of the scope; rests for ever where the interpreter has ended.
  GilTaken() : state_(ensure_or_rest()) {}
  ~GilTaken() { PyGILState_Release(state_); }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Calls `call` with the lock. Returns false if the interpreter is ending; then nothing was called.
template <class Call>
bool with_gil(const Call& call) {
  if (Py_IsInitialized() == 0) return false;
  if (this_thread_has_gil()) {
    call();
    return true;
  }
  const PythonCall allowed;
  if (!allowed.is_allowed()) return false;
  const GilTaken taken;
  try {
    call();
  } catch (const std::exception&) {
    throw;
  } catch (...) {  // the unwinding, whose type not every standard library has
    rest_forever();
  }
  return true;
}

}  // namespace presso::python
