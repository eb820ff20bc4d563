// SPDX-License-Identifier: MIT
// Conditions over token codes (FORMAT.md 17), without decoding them: an automaton whose steps are
// codes, made from the automaton over bytes and a token dictionary. If every match has a literal,
// codes are swept for it (code_sweep.h) and only rows with a hit are read by the automaton. 2 to 11
// GB/s of text, see NOTES.md. Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>

#include "query/strings/row_test.h"
#include "query/strings/string_test.h"
#include "query/strings/token_plan.h"

namespace presso::query {

/// `test` decides for strings what `plan` decides for codes; it is used where there is no
/// automaton. `tokens` is kept by reference.
std::unique_ptr<const StringTest::TokenAutomaton> make_token_test(
    std::shared_ptr<const TokenPlan> plan, const TokenDictionary& tokens,
    std::shared_ptr<const RowTest> test);

}  // namespace presso::query
