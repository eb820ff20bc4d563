// SPDX-License-Identifier: MIT
// Calls of the interpreter that end a thread where the interpreter is ending (gil.h): these rest
// for ever in its place, before any frame of C++ is unwound.
#pragma once

#include <Python.h>

namespace presso::python {

/// As PyEval_RestoreThread().
void restore_or_rest(PyThreadState* state);
/// As PyGILState_Ensure().
PyGILState_STATE ensure_or_rest();

}  // namespace presso::python
