// SPDX-License-Identifier: MIT
// The functions that Python's stable interface lacks are found by name in the running interpreter,
// once, when the module is loaded. Tested by python/tests/test_works.py and
// python/tests/test_starting.py.
#include "python/src/gil.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace presso::python {
namespace nb = nanobind;
namespace {

// 0 until find_main_thread() has run; then no thread is the main one.
std::atomic<unsigned long> main_thread{0};

/// A function of the interpreter, by its new or its old name; null if it has neither. The stable
/// interface, with which a module for all versions from 3.12 on is built, does not declare these.
template <class Function>
Function* of_interpreter(const char* name, const char* old_name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) found = dlsym(RTLD_DEFAULT, old_name);
  return reinterpret_cast<Function*>(found);
}

/// Up to Python 3.12 the names of both functions begin with an underscore.
const auto current_thread_state =
    of_interpreter<PyThreadState*()>("PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet");
const auto is_finalizing = of_interpreter<int()>("Py_IsFinalizing", "_Py_IsFinalizing");

}  // namespace

/// Whether this thread may call Python. Safe without the lock, and after the interpreter's end.
bool this_thread_has_gil() {
  if (Py_IsInitialized() == 0) return false;
  PyThreadState* const current = current_thread_state();
  // Before 3.12 the current one is that of the thread that has the lock.
  // PyGILState_GetThisThreadState() is of this thread whether or not it has the lock.
  return current != nullptr && current == PyGILState_GetThisThreadState();
}

/// Learns which thread is the main one, which alone sees signals, and keeps that right in forked
/// processes.
void find_main_thread() {
  if (current_thread_state == nullptr || is_finalizing == nullptr) {
    throw nb::import_error("presso does not know this version of Python");
  }
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  main_thread = nb::cast<unsigned long>(main.attr("ident"));
  // The only thread of a forked process is its main thread.
  pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

/// Needs no lock, so that any thread may ask at any time.
bool is_main_thread() {
  return main_thread == PyThread_get_thread_ident();
}

/// pause() returns after each signal, hence the loop.
void rest_forever() {
  for (;;) pause();
}

/// Called by a thread that worked without the lock, before it takes the lock again. Returns at once
/// unless another thread has called close_works(), with which the interpreter's end begins. A
/// thread must not take the lock while the interpreter ends, since its frames would be unwound
/// under it, so it rests for ever as soon as it sees that. The interpreter need not end, however,
/// so after two seconds without a sign of it the thread goes on.
void rest_where_python_ends() {
  using std::chrono::steady_clock;
  if (!works_are_closed()) return;
  // An interpreter that ends takes less than two seconds from atexit to its end.
  const auto until = steady_clock::now() + std::chrono::seconds(2);
  while (works_are_closed() && steady_clock::now() < until) {
    if (is_finalizing() != 0) rest_forever();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace presso::python
