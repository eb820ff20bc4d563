// SPDX-License-Identifier: MIT
// The access log of a made-up shop as a table. Clients and pages follow Zipf's law. A client comes
// in sessions: the same address and agent, assets after a page, each request's referrer the page
// before it. Names are reserved for documentation (RFC 2606), addresses for tests (RFC 2544).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "corpora/log_words.h"
#include "corpora/made_tables.h"

namespace presso::corpora {
namespace {

constexpr std::uint64_t kRowsPerHundredth = 50'000;
constexpr std::uint64_t kGroupRows = 16384;
constexpr std::uint32_t kMeanGap = 37;  // milliseconds between requests
constexpr std::uint64_t kGroupMilliseconds = kGroupRows * (kMeanGap + 1);
constexpr int kFirstDay = 20513;  // 2026-03-01
constexpr std::uint32_t kPages = 6000;
constexpr std::uint32_t kClients = 60'000;
constexpr std::uint32_t kSessions = 256;

constexpr std::array<Words, 12> kSections = {"kitchen", "garden", "lamps",  "tools",
                                             "books",   "toys",   "sports", "music",
                                             "office",  "travel", "pets",   "outlet"};
constexpr std::array<Words, 28> kThings = {
    "cast-iron", "pan",    "folding",  "chair",  "oak",   "table",   "desk",
    "garden",    "hose",   "steel",    "kettle", "wool",  "blanket", "led",
    "bulb",      "set",    "cordless", "drill",  "paper", "lantern", "mug",
    "blue",      "travel", "bag",      "linen",  "shirt", "running", "shoes"};
constexpr std::array<Words, 5> kResources = {"cart", "stock", "prices", "users", "reviews"};
constexpr std::array<Words, 4> kAssets = {".js", ".css", ".webp", ".woff2"};
constexpr std::array<Words, 4> kProbes = {"/wp-login.php", "/.env", "/admin/config.php",
                                          "/.git/config"};
constexpr std::array<Words, 4> kEntries = {"-", "https://search.example/", "https://news.example/",
                                           "https://social.example/feed"};
constexpr Words kSite = "https://shop.example";

/// Draws 0 to count - 1, each n with a weight of 1 / (n + 1).
class Zipf {
 public:
  explicit Zipf(std::uint32_t count) {
    std::uint32_t total = 0;
    for (std::uint32_t i = 0; i < count; ++i) sums_.push_back(total += (1u << 27) / (i + 1));
  }
  std::uint32_t draw(Random& random) const {
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), random.below(sums_.back()));
    return static_cast<std::uint32_t>(found - sums_.begin());
  }

 private:
  std::vector<std::uint32_t> sums_;
};

struct Page {
  std::string path;
  std::uint32_t bytes;
  bool dynamic;  ///< size and duration differ from request to request
};

void append_hexadecimal(std::uint64_t value, unsigned digits, std::string& to) {
  for (; digits > 0; --digits, value >>= 4) to += "0123456789abcdef"[value & 15];
}

void append_slug(Random& random, char separator, std::string& to) {
  const std::uint32_t count = 2 + random.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != 0) to += separator;
    to += kThings[random.below(kThings.size())];
  }
}

Page make_product(Random& random) {
  std::string path = "/products/";
  path += kSections[random.below(kSections.size())];
  path += '/';
  append_slug(random, '-', path);
  path += '-' + std::to_string(10000 + random.below(90000));
  return {path, 9000 + random.below(60000), true};
}

Page make_article(Random& random) {
  std::string path = "/blog/202" + std::to_string(3 + random.below(3)) + '/';
  path += std::to_string(10 + random.below(3)) + '/';
  append_slug(random, '-', path);
  return {path, 20000 + random.below(50000), true};
}

Page make_search(Random& random) {
  std::string path = "/search?q=";
  append_slug(random, '+', path);
  if (random.one_in(3)) path += "&page=" + std::to_string(2 + random.skewed(20));
  return {path, 15000 + random.below(20000), true};
}

Page make_asset(Random& random) {
  std::string path = "/static/";
  append_slug(random, '-', path);
  path += '.';
  append_hexadecimal(random.next(), 8, path);
  path += kAssets[random.below(kAssets.size())];
  return {path, 500 + random.skewed(400000), false};
}

/// The most popular pages are the start page and its assets.
std::vector<Page> make_pages() {
  Random random(0x77656200);
  std::vector<Page> pages = {{"/", 18211, true}, {"/cart", 7400, true}, {"/login", 3120, false}};
  while (pages.size() < kPages) {
    const std::uint32_t kind = random.below(20);
    pages.push_back(kind < 9    ? make_product(random)
                    : kind < 11 ? make_article(random)
                    : kind < 14 ? make_search(random)
                                : make_asset(random));
  }
  return pages;
}

struct Session {
  std::uint32_t requests_left = 0;
  std::uint32_t address = 0;
  std::uint32_t agent = 0;
  const Page* page = nullptr;  ///< the last that was no asset
  std::uint32_t entry = 0;
};

class WebLog final : public TableGenerator {
 public:
  explicit WebLog(std::uint64_t hundredths)
      : rows_(hundredths * kRowsPerHundredth),
        pages_(make_pages()),
        page_ranks_(kPages),
        client_ranks_(kClients) {}

  std::uint64_t rows() const override { return rows_; }

  std::string_view columns() const override {
    return "time,client,method,path,status,bytes,referrer,agent,duration";
  }

  void append_row(std::uint64_t row, RowWriter& to) override {
    if (row != next_ || row % kGroupRows == 0) seek(row);
    make_row(to);
    next_ = row + 1;
  }

 private:
  /// Makes the rows of the group that come before `row` for their effect on the sessions.
  void seek(std::uint64_t row) {
    const std::uint64_t group = row / kGroupRows;
    random_ = row_random(0x7765620001, group);
    time_ = group * kGroupMilliseconds;
    sessions_.fill(Session{});
    for (std::uint64_t i = row % kGroupRows; i > 0; --i) {
      make_row(dropped_);
      dropped_.clear();
    }
  }

  void make_row(RowWriter& to) {
    const std::uint64_t end = time_ / kGroupMilliseconds * kGroupMilliseconds + kGroupMilliseconds;
    time_ = std::min(time_ + random_.skewed(8 * kMeanGap), end - 1);
    Session& session = sessions_[random_.skewed(kSessions)];
    if (session.requests_left == 0) open(session);
    --session.requests_left;
    to.begin_row();
    append_time(to);
    append_client(session.address, to);
    const std::uint32_t kind = random_.below(1000);
    if (kind < 15) {
      append_probe(session, to);
    } else if (kind < 150) {
      append_call(session, to);
    } else {
      append_page(session, to);
    }
    to.end_row();
  }

  void open(Session& session) {
    const std::uint64_t client = Random(client_ranks_.draw(random_)).next();
    session.requests_left = 1 + random_.skewed(120);
    session.address = static_cast<std::uint32_t>(client);
    session.agent = static_cast<std::uint32_t>((client >> 32) % kAgents.size());
    session.page = nullptr;
    session.entry = random_.skewed(kEntries.size());
  }

  void append_time(RowWriter& to) const {
    const std::uint64_t seconds = time_ / 1000;
    to.append_date(kFirstDay + static_cast<int>(seconds / 86400));
    to.append(' ');
    to.append_number(seconds / 3600 % 24, 2);
    to.append(':');
    to.append_number(seconds / 60 % 60, 2);
    to.append(':');
    to.append_number(seconds % 60, 2);
    to.append('.');
    to.append_number(time_ % 1000, 3);
    to.end_field();
  }

  static void append_client(std::uint32_t address, RowWriter& to) {
    to.append((address & 1) != 0 ? "198.18." : "198.19.");
    to.append_number(address >> 24);
    to.append('.');
    to.number((address >> 16) & 255);
  }

  void append_page(Session& session, RowWriter& to) {
    const Page& page = pages_[page_ranks_.draw(random_)];
    const std::uint32_t chance = random_.below(1000);
    const bool unchanged = !page.dynamic && chance < 300;
    const std::uint32_t status = unchanged ? 304 : chance == 999 ? 500 : chance > 990 ? 302 : 200;
    to.word("GET");
    to.word(page.path);
    const std::uint32_t bytes = page.bytes + (page.dynamic ? random_.skewed(600) : 0);
    append_rest(session, status,
                status == 200   ? bytes
                : status == 500 ? 1187
                                : 0,
                page.dynamic ? 20 + random_.skewed(900) : random_.skewed(12), to);
    if (page.dynamic) session.page = &page;
  }

  void append_call(const Session& session, RowWriter& to) {
    const std::uint32_t resource = random_.skewed(kResources.size());
    const bool post = resource == 0 && random_.one_in(2);
    to.word(post ? "POST" : "GET");
    to.append("/api/v2/");
    to.append(kResources[resource]);
    to.append('/');
    to.number(random_.skewed(250'000));
    const std::uint32_t chance = random_.below(100);
    const std::uint32_t bytes = 90 + random_.skewed(4000);
    append_rest(session,
                chance == 0  ? 503
                : chance < 4 ? 401
                : post       ? 201
                             : 200,
                bytes, 3 + random_.skewed(400), to);
  }

  void append_probe(const Session& session, RowWriter& to) {
    to.word("GET");
    to.word(kProbes[random_.below(kProbes.size())]);
    append_rest(session, 404, 548, 1 + random_.skewed(5), to);
  }

  static void append_rest(const Session& session, std::uint32_t status, std::uint32_t bytes,
                          std::uint32_t milliseconds, RowWriter& to) {
    to.number(status);
    to.number(bytes);
    if (session.page != nullptr) {
      to.append(kSite);
      to.append(session.page->path);
      to.end_field();
    } else {
      to.word(kEntries[session.entry]);
    }
    to.text_field(kAgents[session.agent]);
    to.decimal(milliseconds, 3);
  }

  std::uint64_t rows_;
  std::vector<Page> pages_;
  Zipf page_ranks_;
  Zipf client_ranks_;
  std::uint64_t next_ = 0;
  Random random_{0};
  std::uint64_t time_ = 0;  ///< milliseconds since the first day
  std::array<Session, kSessions> sessions_{};
  RowWriter dropped_{TableFormat::kCsv};
};

}  // namespace

std::unique_ptr<TableGenerator> make_web_log(std::uint64_t hundredths) {
  return std::make_unique<WebLog>(hundredths);
}

}  // namespace presso::corpora
