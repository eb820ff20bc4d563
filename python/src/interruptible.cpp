// SPDX-License-Identifier: MIT
#include "python/src/interruptible.h"

#include <utility>

namespace presso::python {
namespace nb = nanobind;

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
