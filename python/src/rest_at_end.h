// SPDX-License-Identifier: MIT
// Calls of the interpreter that would end a thread while the interpreter is ending (gil.h). Here
// such a thread rests for ever, before any frame of C++ is unwound. Tested by
// python/tests/test_works.py.
#pragma once

#include <Python.h>

namespace presso::python {

/// Does what PyEval_RestoreThread() does.
void restore_or_rest(PyThreadState* state);
/// Does what PyGILState_Ensure() does.
PyGILState_STATE ensure_or_rest();

}  // namespace presso::python
