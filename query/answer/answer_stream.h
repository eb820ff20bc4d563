// SPDX-License-Identifier: MIT
// A query's answer as a stream of Arrow batches that is read when its reader likes: a thread of its
// own runs the query and puts batches into a short queue; where that is full it waits. The release
// of the stream stops the query and joins the thread.
// Tested by tests/unit/query/answer/answer_stream_test.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "presso/query.h"

namespace presso::query {

/// Runs the query: `cancelled` becomes true where nobody wants the rest.
using RunAnswer = std::function<Status(ResultSink& sink, const std::atomic<bool>& cancelled)>;

/// `schema`: the answer's; `coded`: as export_schema() wants it. `watched`, which may be nullptr,
/// is the caller's wish to stop: get_next() then fails with ECANCELED. Other errors of `run` are
/// EINVAL for a computation without a result, ENOMEM, or EIO, with their text. `queued_batches`: at
/// most so many wait.
Status stream_answer(const TableSchema& schema, std::vector<bool> coded, RunAnswer run,
                     const std::atomic<bool>* watched, std::size_t queued_batches,
                     ArrowArrayStream& out);

}  // namespace presso::query
