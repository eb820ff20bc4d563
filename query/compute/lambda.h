// SPDX-License-Identifier: MIT
// Functions of lists that take a function of an element, written `lambda x: x + 1`: list_transform,
// list_filter and list_reduce. Tested by tests/unit/query/compute/functions_test.cpp.
#pragma once

#include "query/compute/binder.h"
#include "query/compute/functions.h"

namespace presso::query {

/// Whether one of the arguments is a lambda.
bool takes_lambda(const Expression& call);
/// Binds a call whose second argument is a lambda. What the lambda names beside its parameters is
/// bound by `outer`.
Result<NodeId> bind_lambda(Binder& outer, const Expression& expression);
/// The elements that are not null joined by additions; null if there is none.
Result<NodeId> sum_of_list(const Call& call);

}  // namespace presso::query
