// SPDX-License-Identifier: MIT
// Gives a query's answer as an Arrow C stream that its reader consumes at its own pace. A thread
// runs the query and puts batches into a bounded queue; when the queue is full, the query waits.
// Releasing the stream stops the query and joins the thread. Memory: at most the queued batches,
// beside what the query itself needs.
// Tested by tests/unit/query/answer/answer_stream_test.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "presso/query.h"

namespace presso::query {

/// Runs a query into `sink`. `cancelled` becomes true once nobody wants the rest; the function
/// should then return soon. It is called on another thread, at most once.
using RunAnswer = std::function<Status(ResultSink& sink, const std::atomic<bool>& cancelled)>;

/// Opens a stream over the answer of `run`. `schema` is the answer's; `coded` says which columns
/// are dictionaries, as export_schema() takes it. `watched`, which may be nullptr, is the caller's
/// wish to stop: get_next() then fails with ECANCELED. Other errors of `run` become EINVAL (a
/// computation without a result), ENOMEM or EIO, with their text. At most `queued_batches` batches
/// wait in the queue.
Status stream_answer(const TableSchema& schema, std::vector<bool> coded, RunAnswer run,
                     const std::atomic<bool>* watched, std::size_t queued_batches,
                     ArrowArrayStream& out);

}  // namespace presso::query
