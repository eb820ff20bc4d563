// SPDX-License-Identifier: MIT
// This file is compiled without exceptions, so that pthread_cleanup_push() is that of C: glibc then
// jumps to the handler and does not unwind to it. It would unwind by libgcc, and the tables that
// frames of C++ have for that are understood only by the library that they were compiled with,
// which zig's is not. Tested by python/tests/test_works.py, which ends the interpreter while
// threads want the lock.
#include "python/src/rest_at_end.h"

#include <pthread.h>
#include <unistd.h>

namespace presso::python {
namespace {

/// The handler: the thread sleeps until the process ends. The thread keeps what it holds, so it
/// must hold no lock that the end needs.
void rest(void*) {
  for (;;) pause();
}

}  // namespace

void restore_or_rest(PyThreadState* state) {
  pthread_cleanup_push(&rest, nullptr);
  PyEval_RestoreThread(state);
  pthread_cleanup_pop(0);
}

PyGILState_STATE ensure_or_rest() {
  PyGILState_STATE state;
  pthread_cleanup_push(&rest, nullptr);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}

}  // namespace presso::python
