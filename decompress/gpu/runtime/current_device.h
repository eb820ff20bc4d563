// SPDX-License-Identifier: MIT
// Which device a thread uses, and what is known without starting CUDA on one. CUDA keeps a current
// device a thread; ours is set for the time of a call and the caller's put back.
#pragma once

#include <cuda_runtime_api.h>

#include "presso/error.h"

namespace presso::gpu {

/// Puts the calling thread's device back when it goes.
class CurrentDevice {
 public:
  CurrentDevice() { known_ = cudaGetDevice(&device_) == cudaSuccess; }
  /// Sets the thread's device until this object goes. A failure shows in the next call of CUDA.
  explicit CurrentDevice(int device) : CurrentDevice() {
    if (known_ && device_ == device) {
      known_ = false;  // nothing to put back
    } else {
      static_cast<void>(cudaSetDevice(device));
    }
  }
  ~CurrentDevice() {
    if (known_) static_cast<void>(cudaSetDevice(device_));
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int device_ = 0;
  bool known_ = false;
};

/// CUDA's own version numbers: 1000 * major + 10 * minor.
struct UsableDevices {
  int count = 0;  ///< at least 1
  int driver_version = 0;
  int runtime_version = 0;
};

/// Errors as list_devices(), but CUDA is not started on any device.
Result<UsableDevices> usable_devices();

}  // namespace presso::gpu
