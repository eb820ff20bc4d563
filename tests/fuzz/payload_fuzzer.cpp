// SPDX-License-Identifier: MIT
// Payloads that no encoder would write (payload_maker.h, bit_payload_maker.h). Every fast decoder
// must agree with the reference decoder on the outcome and the bytes, touching nothing outside the
// slack it was promised: payload, output and dictionary are allocated with exactly that, for the
// address sanitizer to watch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "decompress/cpu/reference_decoder.h"
#include "presso/decompress.h"
#include "tests/fuzz/bit_payload_maker.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {
namespace {

struct FreeMemory {
  void operator()(Byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<Byte, FreeMemory>;

Memory allocate(std::size_t bytes, int fill) {
  Memory memory(static_cast<Byte*>(std::malloc(bytes)));
  std::memset(memory.get(), fill, bytes);
  return memory;
}

void decode_everywhere(const BlockHeader& header, const std::vector<Byte>& payload,
                       const Dictionary* dictionary) {
  const Bytes content = dictionary != nullptr ? dictionary->content() : Bytes{};
  std::vector<Byte> expected(header.plain_bytes);
  const Status reference =
      reference_decode_payload(header, payload.data(), content, false, expected.data());
  const ErrorCode code = reference.ok() ? ErrorCode::kOk : reference.error().code;
  for (const CpuLevel level : supported_cpu_levels()) {
    const Memory in = allocate(payload.size() + Buffer::kSlack, 0xA5);
    std::copy(payload.begin(), payload.end(), in.get());
    const Memory out = allocate(header.plain_bytes + Buffer::kSlack, 0x5A);
    const Status status = decode_block(header, in.get(), dictionary, {level, false}, out.get());
    PRESSO_FUZZ_CHECK((status.ok() ? ErrorCode::kOk : status.error().code) == code);
    if (status.ok()) {
      PRESSO_FUZZ_CHECK(std::equal(expected.begin(), expected.end(), out.get()));
    }
  }
}

}  // namespace

void fuzz_payload(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  const bool bit = choices.one_in(2);
  const auto made = bit ? make_bit_payload_case(choices) : make_payload_case(choices);
  if (!made) return;
  std::shared_ptr<const Dictionary> dictionary;
  if (made->header.dictionary_id != 0) dictionary = Dictionary::from_plain(made->dictionary);
  decode_everywhere(made->header, made->payload, dictionary.get());
}

}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_payload(data, size);
  return 0;
}
