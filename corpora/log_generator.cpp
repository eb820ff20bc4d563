// SPDX-License-Identifier: MIT
// What happens in the shop: each make_ function fills event_ with one thing that happened. How an
// event is written stands in log_render.cpp.
#include "corpora/log_generator.h"

#include "corpora/log_words.h"

namespace presso::corpora {
namespace {

constexpr std::uint64_t kStartOfTime = 1772323200;  // 2026-03-01T00:00:00Z
constexpr std::uint32_t kUsers = 250000;
constexpr std::uint32_t kNumbers = 100000;
constexpr std::uint32_t kKeys = 1u << 20;

template <std::size_t N>
std::string_view pick(Random& random, const std::array<Words, N>& words) {
  return words[random.skewed(N)];
}

}  // namespace

LogGenerator::LogGenerator(LogFormat format, std::uint64_t seed)
    : format_(format), random_(seed), microseconds_(kStartOfTime * 1000000), rendered_second_(0) {
  for (std::uint64_t& trace : traces_) trace = random_.next();
}

void LogGenerator::append_event(std::string& to) {
  advance_clock();
  choose_trace();
  event_.message.clear();
  event_.stack.clear();
  event_.fields.clear();
  event_.logger = {};
  event_.level = "info";
  const std::uint32_t kind = random_.below(100);
  if (kind < 40) {
    make_web_request();
  } else if (kind < 80) {
    make_application_event();
  } else if (kind < 87) {
    make_statement();
  } else if (kind < 95) {
    make_job();
  } else {
    make_login();
  }
  const bool json =
      format_ == LogFormat::kJson || (format_ == LogFormat::kMixed && random_.one_in(8));
  json ? append_json(to) : append_plain(to);
}

void LogGenerator::advance_clock() {
  microseconds_ += 1 + random_.skewed(12000);
  if (microseconds_ / 1000000 != rendered_second_) render_second();
}

/// A trace stays open for some dozen events, then another request takes its place.
void LogGenerator::choose_trace() {
  std::uint64_t& trace = traces_[random_.skewed(kOpenTraces)];
  if (random_.one_in(12)) trace = random_.next();
  event_.trace = trace;
}

void LogGenerator::make_web_request() {
  static constexpr std::array<std::uint32_t, 10> kStatus = {200, 200, 304, 201, 404,
                                                            302, 401, 500, 429, 503};
  set_origin("nginx", "web", 6);
  std::string& line = event_.message;
  append_address(line);
  line += " - - \"";
  line += pick(random_, kMethods);
  line += ' ';
  append_filled(line, pick(random_, kPaths));
  line += " HTTP/1.1\" ";
  const std::uint32_t status = kStatus[random_.skewed(kStatus.size())];
  const std::uint32_t bytes = status == 304 ? 0 : random_.skewed(400000);
  const std::uint32_t duration = milliseconds();
  append_decimal(line, status);
  line += ' ';
  append_decimal(line, bytes);
  line += " \"";
  line += pick(random_, kReferrers);
  line += "\" \"";
  line += pick(random_, kAgents);
  line += "\" rt=";
  append_decimal(line, duration / 1000);
  line += '.';
  append_decimal(line, duration % 1000, 3);
  if (status >= 500) event_.level = "error";
  add_field("status", status);
  add_field("bytes", bytes);
  add_field("duration_ms", duration);
}

void LogGenerator::make_application_event() {
  const std::uint32_t service = random_.skewed(kServices.size());
  set_origin(kServices[service], "app", 24);
  event_.logger = kClasses[service];
  event_.thread = random_.skewed(32);
  const std::uint32_t severity = random_.below(1000);
  if (severity < 12) {
    event_.level = "error";
    append_filled(event_.message, pick(random_, kErrorMessages));
    if (random_.one_in(3)) add_stack_trace();
  } else if (severity < 60) {
    event_.level = "warn";
    append_filled(event_.message, pick(random_, kWarnMessages));
  } else {
    if (severity > 850) event_.level = "debug";
    append_filled(event_.message, pick(random_, kInfoMessages));
  }
  add_field("user", random_.skewed(kUsers));
}

void LogGenerator::add_stack_trace() {
  std::string& stack = event_.stack;
  stack += pick(random_, kExceptions);
  stack += '\n';
  const std::uint32_t first = random_.below(kFrames.size());
  const std::uint32_t depth = 4 + random_.below(10);
  for (std::uint32_t i = 0; i < depth; ++i) {
    const std::uint32_t frame = (first + i) % kFrames.size();
    stack += "\tat ";
    stack += kFrames[frame];
    stack += "(Source.java:";
    append_decimal(stack, 40 + 17 * frame + random_.skewed(4));
    stack += ")\n";
  }
}

void LogGenerator::make_login() {
  set_origin("sshd", "bastion", 2);
  event_.level = "warn";
  std::string& line = event_.message;
  if (random_.one_in(5)) {
    event_.level = "info";
    line += "Accepted publickey for deploy from 10.4.0.";
    append_decimal(line, 2 + random_.below(6));
  } else {
    line += "Failed password for ";
    if (random_.below(3) != 0) line += "invalid user ";
    line += pick(random_, kAccounts);
    line += " from ";
    append_address(line);
  }
  line += " port ";
  append_decimal(line, 32768 + random_.below(28000));
  line += " ssh2";
}

void LogGenerator::make_statement() {
  set_origin("postgres", "db", 3);
  const std::uint32_t duration = milliseconds();
  std::string& line = event_.message;
  line += "duration: ";
  append_decimal(line, duration);
  line += '.';
  append_decimal(line, random_.below(1000), 3);
  line += " ms  statement: ";
  append_filled(line, pick(random_, kStatements));
  add_field("duration_ms", duration);
}

void LogGenerator::make_job() {
  set_origin("worker", "jobs", 8);
  const std::string_view queue = pick(random_, kQueues);
  const std::uint32_t attempt = 1 + random_.skewed(4);
  std::string& line = event_.message;
  line += "job=";
  append_key(line);
  line += " queue=";
  line += queue;
  line += " attempt=";
  append_decimal(line, attempt);
  line += attempt > 2 ? " state=retry wait_s=" : " state=done took_ms=";
  append_decimal(line, milliseconds());
  if (attempt > 2) event_.level = "warn";
  event_.fields += ",\"queue\":\"";
  event_.fields += queue;
  event_.fields += '"';
  add_field("attempt", attempt);
}

void LogGenerator::set_origin(std::string_view service, std::string_view host,
                              std::uint32_t hosts) {
  const std::uint32_t number = 1 + random_.below(hosts);
  event_.service = service;
  event_.host = host;
  event_.host += '-';
  append_decimal(event_.host, number, 2);
  // One process for each service and host, so that the number repeats as it does in life.
  event_.process = 800 + 37 * number + 1009 * static_cast<std::uint32_t>(service.size());
}

/// Clients are a few thousand addresses of 198.18.0.0/15, some of them very busy.
void LogGenerator::append_address(std::string& to) {
  const std::uint32_t client = random_.skewed(6000) * 2654435761u;
  to += (client & 1) != 0 ? "198.18." : "198.19.";
  append_decimal(to, client >> 24);
  to += '.';
  append_decimal(to, (client >> 16) & 255);
}

void LogGenerator::append_filled(std::string& to, std::string_view pattern) {
  for (const char letter : pattern) {
    switch (letter) {
      case '#':
        append_decimal(to, random_.skewed(kNumbers));
        break;
      case '@':
        append_key(to);
        break;
      case '%':
        append_decimal(to, milliseconds());
        break;
      default:
        to += letter;
    }
  }
}

/// Keys come from a set of a million, most of them rare, so that some repeat and most do not.
void LogGenerator::append_key(std::string& to) {
  append_hexadecimal(to, Random(random_.skewed(kKeys)).next(), 12);
}

void LogGenerator::add_field(std::string_view key, std::uint64_t value) {
  event_.fields += ",\"";
  event_.fields += key;
  event_.fields += "\":";
  append_decimal(event_.fields, value);
}

std::uint32_t LogGenerator::milliseconds() {
  return random_.skewed(2500);
}

}  // namespace presso::corpora
