// SPDX-License-Identifier: MIT
// The kernels that decode a batch of blocks of tokens in their order, a template over what runs
// them, as column_steps.h is. A Launcher has that file's functions, and survey, places
// (token_survey.cuh) and tokens (token_decoder.cuh).
#pragma once

#include "decompress/columns/gpu/columns_on_gpu.h"
#include "lab/gpu/token_batch.h"

namespace presso::gpu {

template <class Launcher>
Status enqueue_tokens(const TokenBatch& batch, const ColumnOptions& options, Launcher& launcher) {
  if (batch.count == 0) return {};
  PRESSO_TRY(launcher.clear(batch.status, batch.count));
  if (options.verify) PRESSO_TRY(launcher.check(batch));
  if (batch.vectors > 0) PRESSO_TRY(launcher.survey(batch));
  PRESSO_TRY(launcher.places(batch));
  if (batch.vectors > 0) PRESSO_TRY(launcher.tokens(batch));
  return launcher.settle(batch.status, batch.count);
}

}  // namespace presso::gpu
