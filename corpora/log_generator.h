// SPDX-License-Identifier: MIT
// Makes the merged log of an invented shop: web front ends, eight application services with stack
// traces now and then, sshd, a database, queue workers. Requests keep their trace id across
// services for a while, words and users are skewed as in real logs, time only goes forward.
//
// The bytes depend on format and seed alone: the same on every machine, and append-only (the first
// N bytes do not depend on how much is generated). tests/unit/corpora/log_generator_test.cpp pins
// them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/random.h"

namespace presso::corpora {

enum class LogFormat {
  kPlain,  ///< text lines in the habits of syslog, nginx, logback, sshd, PostgreSQL
  kJson,   ///< one JSON object a line
  kMixed,  ///< both: every eighth line or so is JSON, as where services differ
};

/// One thing that happened, before it is written in either format.
struct LogEvent {
  std::string_view service;
  std::string_view level;
  std::string_view logger;  ///< empty for services that have none
  std::string host;
  std::uint32_t process = 0;
  std::string message;
  std::string stack;   ///< lines of a stack trace, each with its newline; mostly empty
  std::string fields;  ///< the JSON format's further members, each as `,"key":value`
  std::uint64_t trace = 0;
  std::uint32_t thread = 0;
};

/// Not thread-safe.
class LogGenerator {
 public:
  LogGenerator(LogFormat format, std::uint64_t seed);

  /// Appends one event: a line, in the plain format followed by its stack trace.
  void append_event(std::string& to);

 private:
  void advance_clock();
  void render_second();
  void choose_trace();

  void make_web_request();
  void make_application_event();
  void make_login();
  void make_statement();
  void make_job();
  void add_stack_trace();

  void append_plain(std::string& to) const;
  void append_json(std::string& to) const;

  void set_origin(std::string_view service, std::string_view host, std::uint32_t hosts);
  void append_address(std::string& to);
  /// `pattern` with # replaced by a number, @ by a short key, % by a duration.
  void append_filled(std::string& to, std::string_view pattern);
  void append_key(std::string& to);
  void add_field(std::string_view key, std::uint64_t value);
  std::uint32_t milliseconds();

  static constexpr std::size_t kOpenTraces = 64;

  LogFormat format_;
  Random random_;
  std::uint64_t microseconds_;     ///< since 1970
  std::uint64_t rendered_second_;  ///< which second date_ shows
  std::string date_;               ///< "2026-03-01T00:00:00"
  std::array<std::uint64_t, kOpenTraces> traces_{};
  LogEvent event_;
};

void append_decimal(std::string& to, std::uint64_t value, unsigned width = 1);
void append_hexadecimal(std::string& to, std::uint64_t value, unsigned digits);

}  // namespace presso::corpora
