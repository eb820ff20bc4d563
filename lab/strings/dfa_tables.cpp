// SPDX-License-Identifier: MIT
#include "lab/strings/dfa_tables.h"

#include <string>

namespace presso::strings {
namespace {

/// An automaton's states with the sinks as -1 and -2.
class SinkNumbers {
 public:
  explicit SinkNumbers(const Dfa& dfa) : dfa_(dfa), number_(dfa.states) {
    for (std::uint32_t state = 0; state < dfa.states; ++state) {
      if (state == dfa.dead) {
        number_[state] = kReject;
      } else if (state == dfa.sink) {
        number_[state] = kAccept;
      } else {
        rejecting_ += state < dfa.first_matching;
        number_[state] = static_cast<std::int32_t>(live_.size());
        live_.push_back(state);
      }
    }
  }

  static constexpr std::int32_t kReject = -1;
  static constexpr std::int32_t kAccept = -2;

  std::size_t states() const { return live_.size(); }
  std::int32_t rejecting() const { return rejecting_; }
  std::int32_t start() const { return number_[dfa_.start]; }
  std::int32_t step(std::size_t state, unsigned byte, std::optional<Byte> pad) const {
    const std::uint32_t from = live_[state];
    if (pad && byte == *pad) return from >= dfa_.first_matching ? kAccept : kReject;
    return number_[dfa_.step(from, static_cast<Byte>(byte))];
  }

 private:
  const Dfa& dfa_;
  std::vector<std::int32_t> number_;  ///< [state of the automaton]
  std::vector<std::uint32_t> live_;   ///< states of the automaton that are no sinks
  std::int32_t rejecting_ = 0;
};

std::int32_t pad_number(std::optional<Byte> pad) {
  return pad ? *pad : -1;
}

}  // namespace

Result<DfaTable32> DfaTable32::make(const Dfa& dfa, std::optional<Byte> pad) {
  if (dfa.states > 4'000'000) {
    return make_error(ErrorCode::kInvalidArgument, "more than 4 million states");
  }
  const SinkNumbers numbers(dfa);
  DfaTable32 made;
  made.entries_.assign(256, Table32View::kAcceptSink);
  made.entries_.resize(512, Table32View::kRejectSink);
  for (std::size_t state = 0; state < numbers.states(); ++state) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      made.entries_.push_back(numbers.step(state, byte, pad) * 256);
    }
  }
  made.view_.start = numbers.start() * 256;
  made.view_.rejecting_end = numbers.rejecting() * 256;
  made.view_.pad = pad_number(pad);
  return made;
}

Table32View DfaTable32::view() const {
  Table32View view = view_;
  view.rows = entries_.data() + 512;
  return view;
}

Result<DfaTable8> DfaTable8::make(const Dfa& dfa, std::optional<Byte> pad) {
  const SinkNumbers numbers(dfa);
  if (numbers.states() > 254) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::to_string(numbers.states()) + " states do not fit one byte");
  }
  DfaTable8 made;
  made.entries_.assign(Table8View::kBytes, Byte{Table8View::kRejectSink});
  for (std::size_t state = 0; state < numbers.states(); ++state) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      made.entries_[state << 8 | byte] = static_cast<Byte>(numbers.step(state, byte, pad));
    }
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    made.entries_[unsigned{Table8View::kAcceptSink} << 8 | byte] = Byte{Table8View::kAcceptSink};
  }
  made.view_.start = static_cast<Byte>(numbers.start());
  made.view_.rejecting_end = numbers.rejecting();
  made.view_.pad = pad_number(pad);
  return made;
}

Table8View DfaTable8::view() const {
  Table8View view = view_;
  view.rows = entries_.data();
  return view;
}

}  // namespace presso::strings
