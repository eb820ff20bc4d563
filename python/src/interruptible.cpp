// SPDX-License-Identifier: MIT
// The thread that waits looks for signals, and the thread that works looks at a flag, so that
// neither has to be stopped from outside. Tested by python/tests/test_works.py.
#include "python/src/interruptible.h"

#include <utility>

namespace presso::python {
namespace nb = nanobind;

/// Waits for the work without the lock. The main thread wakes regularly to look for signals; a
/// signal's exception cancels the work and is raised when that has ended. A thread that is not the
/// main one waits without waking, since signals are not its concern.
void wait_for(RunningWork& work) {
  const bool sees_signals = is_main_thread();
  std::optional<nb::python_error> raised;
  const auto has_ended = [&] {
    const GilReleased released;
    return sees_signals && !raised ? work.wait(kSignalInterval) : work.wait();
  };
  while (!has_ended()) {
    if (PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    work.cancel();
  }
  if (raised) throw std::move(*raised);
}

/// Ends all works when the interpreter ends, before its objects go. A signal's exception ends the
/// wait and goes on; the works stay cancelled.
void end_works() {
  close_works();
  const auto have_ended = [] {
    const GilReleased released;
    return wait_for_works(kSignalInterval);
  };
  while (!have_ended()) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

}  // namespace presso::python
