// SPDX-License-Identifier: MIT
#include "tools/python/src/gil.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace presso::python {
namespace nb = nanobind;
namespace {

std::atomic<unsigned long> main_thread{0};

}  // namespace

bool this_thread_has_gil() {
  if (Py_IsInitialized() == 0) return false;
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* const current = PyThreadState_GetUnchecked();
#else
  PyThreadState* const current = _PyThreadState_UncheckedGet();
#endif
  // Before 3.12 the current one is that of the thread that has the lock.
  return current != nullptr && current == PyGILState_GetThisThreadState();
}

void find_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  main_thread = nb::cast<unsigned long>(main.attr("ident"));
  // The only thread of a forked process is its main thread.
  pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

bool is_main_thread() {
  return main_thread == PyThread_get_thread_ident();
}

void rest_forever() {
  for (;;) pause();
}

void rest_where_python_ends() {
  using std::chrono::steady_clock;
  if (!works_are_closed()) return;
  const auto until = steady_clock::now() + std::chrono::seconds(2);
  while (works_are_closed() && steady_clock::now() < until) {
#if PY_VERSION_HEX >= 0x030D0000
    if (Py_IsFinalizing() != 0) rest_forever();
#else
    if (_Py_IsFinalizing() != 0) rest_forever();
#endif
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace presso::python
