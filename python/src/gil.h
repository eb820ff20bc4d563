// SPDX-License-Identifier: MIT
// The interpreter's lock: given up, and taken by threads that are not its own.
//
// Python before 3.14 ends a thread that wants the lock when the interpreter is ending, by unwinding
// its stack, which C++ does not survive. Such a thread rests for ever instead, as Python 3.14 does,
// and from close_works() on threads that come back wait whether the interpreter goes on to end.
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
/// Only on it handlers of signals run.
bool is_main_thread();
[[noreturn]] void rest_forever();
/// After close_works() on another thread, without the lock: waits for some seconds whether the
/// interpreter ends, and rests for ever if it does. It may not: a function registered with atexit
/// may wait for this thread.
void rest_where_python_ends();

/// Without the lock for as long as this lives; a thread that does not have it stays without.
class GilReleased {
 public:
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

class GilTaken {
 public:
  GilTaken() : state_(ensure_or_rest()) {}
  ~GilTaken() { PyGILState_Release(state_); }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Calls with the lock. False: the interpreter is ending, and nothing was called.
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
