// SPDX-License-Identifier: MIT
// Devices and strategies are tables of names, from which both the choices in the help and the
// values are made. Tested by tests/cli/test_device.py.
#include "tools/device/flags_device.h"

#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

/// A name of a flag's value and what it stands for.
template <class Value>
struct Choice {
  std::string_view name;
  Value value;
};

constexpr Choice<DeviceFlags::Device> kDevices[] = {
    {"auto", DeviceFlags::Device::kAuto},
    {"cpu", DeviceFlags::Device::kCpu},
    {"gpu", DeviceFlags::Device::kGpu},
};

constexpr Choice<gpu::Strategy> kStrategies[] = {
    {"auto", gpu::Strategy::kAuto},
    {"mrr", gpu::Strategy::kMultiRound},
    {"de", gpu::Strategy::kDependencyFree},
};

/// The least limit of memory: it leaves room for the largest block and dictionary of any file.
constexpr std::uint64_t kLeastLimit = 32u << 20;
constexpr std::uint64_t kMostLimit = UINT64_MAX / 2;

/// The names, for the flag's list of choices.
template <class Value, std::size_t kCount>
std::vector<std::string_view> names(const Choice<Value> (&choices)[kCount]) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) names.push_back(choice.name);
  return names;
}

/// Sets `target` by name; the parser of the command line lets no other names through.
template <class Value, std::size_t kCount>
Apply choice_into(Value& target, const Choice<Value> (&choices)[kCount]) {
  return [&target, &choices](const Given& given) -> Status {
    for (const auto& choice : choices) {
      if (choice.name == given.value) target = choice.value;
    }
    return {};
  };
}

}  // namespace

std::vector<Flag> device_flags(DeviceFlags& flags, std::string_view brief) {
  return {
      {.name = "device",
       .value_name = "WHERE",
       .category = kPerformance,
       .brief = brief,
       .text = "auto takes the GPU if it is predicted to be faster, the time to start it included, "
               "and the CPU if the GPU fails; pipes are left to the CPU. The rates of this "
               "machine's CPU and GPU are measured once, before the first large file ('presso info "
               "--calibrate' shows them). gpu always takes the GPU; it is an error if there is "
               "none.",
       .choices = names(kDevices),
       .default_value = "auto",
       .apply = choice_into(flags.device, kDevices)},
      {.name = "strategy",
       .value_name = "NAME",
       .category = kExpert,
       .brief = "how a GPU orders the copies of a block",
       .text = "mrr: in rounds; de: all at once if the file was compressed for it, otherwise as "
               "mrr. The result is the same.",
       .choices = names(kStrategies),
       .default_value = "auto",
       .apply = choice_into(flags.strategy, kStrategies)},
      {.name = "max-device-memory",
       .value_name = "SIZE",
       .category = kPerformance,
       .brief = "use at most SIZE bytes of a GPU's memory",
       .text = "At least 32M. Files may be larger. Without it a few hundred MiB are used.",
       .apply = number_into(flags.max_device_bytes, kLeastLimit, kMostLimit)},
      {.name = "max-pinned-memory",
       .value_name = "SIZE",
       .category = kExpert,
       .brief = "use at most SIZE bytes of page-locked memory for a GPU",
       .text = "At least 32M. Without it a few hundred MiB are used.",
       .apply = number_into(flags.max_pinned_bytes, kLeastLimit, kMostLimit)},
  };
}

/// --strategy is about decoding and does not apply; the texts speak of queries.
std::vector<Flag> query_device_flags(DeviceFlags& flags) {
  std::vector<Flag> query_flags = device_flags(flags, "ask the CPU or a GPU");
  std::erase_if(query_flags, [](const Flag& flag) { return flag.name == "strategy"; });
  for (Flag& flag : query_flags) {
    if (flag.name == "max-device-memory") {
      flag.text =
          "At least 32M. Files may be larger. Without it a query may take whatever is free.";
    }
  }
  query_flags.front().text =
      "auto takes the GPU where the query is predicted to take it less time, its start included, "
      "from rates that were measured on this machine ('presso info --calibrate'); without them, "
      "and where the GPU fails, it is the CPU. gpu: the GPU tests conditions on numbers, dates and "
      "strings, joins, and adds up groups of numbers, dates and dictionaries; the CPU does what a "
      "GPU does not do yet. It is an error if there is no GPU. The answer is always the same; "
      "--verbose says what was predicted and who did what.";
  query_flags.push_back(
      {.name = "no-code-cache",
       .category = kExpert,
       .brief = "neither use nor keep code that was compiled for a GPU",
       .text = "A GPU answers with code that is compiled for the query, which takes some tenths of "
               "a second. It is kept in $XDG_CACHE_HOME/presso/kernels or "
               "~/.cache/presso/kernels, up to 256 MiB, for queries that differ in constants only.",
       .apply = [&flags](const Given&) -> Status {
         flags.code_cache = false;
         return {};
       }});
  return query_flags;
}

}  // namespace presso::cli
