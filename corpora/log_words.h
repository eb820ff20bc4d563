// SPDX-License-Identifier: MIT
// The vocabulary of the log generator: what the made-up shop's services, clients and programmers
// are called. In every list the first entries are drawn most often (Random::skewed). Names and
// addresses are invented or reserved for documentation and tests (RFC 2606, RFC 2544).
#pragma once

#include <array>
#include <string_view>

namespace presso::corpora {

using Words = std::string_view;

inline constexpr std::array<Words, 5> kMethods = {"GET", "POST", "PUT", "DELETE", "HEAD"};

/// "#" stands for a number, "@" for a short hexadecimal key.
inline constexpr std::array<Words, 24> kPaths = {"/api/v2/products/#",
                                                 "/api/v2/search?q=@&page=#",
                                                 "/static/js/app.@.js",
                                                 "/static/css/site.@.css",
                                                 "/api/v2/orders/#",
                                                 "/api/v2/cart/@/items",
                                                 "/healthz",
                                                 "/api/v2/users/#/recommendations",
                                                 "/images/products/#/large.webp",
                                                 "/api/v2/users/#/orders?limit=20",
                                                 "/login",
                                                 "/api/v2/cart/@/checkout",
                                                 "/",
                                                 "/api/v2/products/#/reviews?page=#",
                                                 "/api/v1/session/@",
                                                 "/favicon.ico",
                                                 "/api/v2/orders/#/invoice.pdf",
                                                 "/metrics",
                                                 "/api/v2/stock/#",
                                                 "/robots.txt",
                                                 "/admin/reports/daily?day=#",
                                                 "/wp-login.php",
                                                 "/.env",
                                                 "/api/v2/payments/@/callback"};

inline constexpr std::array<Words, 9> kAgents = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/133.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.3 Mobile/15E148 Safari/604.1",
    "shop-app/5.14.2 (Android 15; build 8841)",
    "Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
    "shop-app/5.13.0 (iOS 18.1; build 8702)",
    "kube-probe/1.31",
    "Prometheus/2.53.3",
    "Mozilla/5.0 (compatible; examplebot/2.1; +https://bot.example/about)",
    "curl/8.11.1"};

inline constexpr std::array<Words, 6> kReferrers = {
    "-",
    "https://shop.example/",
    "https://shop.example/cart",
    "https://shop.example/category/kitchen?sort=price",
    "https://search.example/?q=cast+iron+pan",
    "https://news.example/2026/03/gift-guide"};

inline constexpr std::array<Words, 8> kServices = {"orders",  "catalog", "payment",  "inventory",
                                                   "pricing", "mailer",  "shipping", "recommender"};

inline constexpr std::array<Words, 8> kClasses = {
    "com.example.orders.OrderService",         "com.example.catalog.ProductRepository",
    "com.example.payment.CardGateway",         "com.example.inventory.StockKeeper",
    "com.example.pricing.DiscountEngine",      "com.example.mail.TemplateRenderer",
    "com.example.shipping.LabelPrinterClient", "com.example.recommend.ModelServer"};

/// "#" a number, "@" a key, "%" a duration in milliseconds.
inline constexpr std::array<Words, 20> kInfoMessages = {
    "request finished in % ms",
    "loaded product # from cache",
    "order # accepted, # items, cart @",
    "cache refresh took % ms, # entries",
    "user # signed in from a known device",
    "publishing event OrderPlaced for order #",
    "reserved # units of article # in warehouse north",
    "payment @ authorised by the card network after % ms",
    "rendered template order-confirmation for user #",
    "price rule spring-sale applied to cart @",
    "label @ printed for parcel #",
    "connection pool: # active, # idle, 0 waiting",
    "model version 2026-02-27 scored # candidates in % ms",
    "stock level of article # is now #",
    "session @ extended by 1800 s",
    "feature flag checkout-v3 is on for user #",
    "scheduled job cleanup-carts removed # carts in % ms",
    "invoice # written to the archive",
    "mail to user # queued as @",
    "configuration reloaded, # keys changed"};

inline constexpr std::array<Words, 10> kWarnMessages = {
    "slow query on table orders: % ms",
    "retry # of 5 for payment @ after a time-out",
    "article # is below its minimum stock",
    "circuit breaker for carrier-api is half open",
    "response from tax service took % ms, limit is 800 ms",
    "cart @ holds article # that is no longer sold",
    "connection pool exhausted for % ms, # waiting",
    "clock of host differs by % ms from the reference",
    "rate limit reached for client key @",
    "token of user # expires in # s"};

inline constexpr std::array<Words, 8> kErrorMessages = {
    "payment @ declined: insufficient funds",
    "could not reserve article # for order #",
    "order # failed, rolling back",
    "upstream catalog answered 503 after % ms",
    "mail server refused message @: mailbox unavailable",
    "deadlock detected while updating article #, transaction @ aborted",
    "checksum of upload @ does not match",
    "out of disk space on volume invoices, order # kept in memory"};

inline constexpr std::array<Words, 7> kExceptions = {
    "java.util.concurrent.TimeoutException: no answer within 2000 ms",
    "java.lang.IllegalStateException: order is already closed",
    "org.postgresql.util.PSQLException: ERROR: could not serialize access due to concurrent update",
    "java.net.SocketTimeoutException: Read timed out",
    "java.lang.NullPointerException: Cannot invoke \"Cart.items()\" because \"cart\" is null",
    "com.example.payment.GatewayException: HTTP 502 from card network",
    "java.lang.OutOfMemoryError: Java heap space"};

inline constexpr std::array<Words, 16> kFrames = {
    "com.example.orders.OrderService.place",
    "com.example.orders.OrderController.post",
    "com.example.http.Dispatcher.handle",
    "com.example.http.Filters.authenticate",
    "com.example.payment.CardGateway.authorise",
    "com.example.db.Transaction.commit",
    "com.example.db.ConnectionPool.borrow",
    "com.example.inventory.StockKeeper.reserve",
    "com.example.catalog.ProductRepository.find",
    "org.postgresql.jdbc.PgStatement.execute",
    "org.postgresql.core.v3.QueryExecutorImpl.processResults",
    "java.util.concurrent.ThreadPoolExecutor.runWorker",
    "java.util.concurrent.FutureTask.run",
    "java.lang.reflect.Method.invoke",
    "io.netty.channel.AbstractChannelHandlerContext.invokeChannelRead",
    "java.lang.Thread.run"};

/// "#" a number, "@" a key.
inline constexpr std::array<Words, 10> kStatements = {
    "SELECT id, name, price, stock FROM articles WHERE id = #",
    "UPDATE articles SET stock = stock - # WHERE id = # AND stock >= #",
    "SELECT o.id, o.placed_at, o.total FROM orders o WHERE o.user_id = # ORDER BY o.placed_at DESC "
    "LIMIT 20",
    "INSERT INTO orders (id, user_id, cart, total) VALUES (#, #, '@', #)",
    "SELECT count(*) FROM carts WHERE touched_at < now() - interval '30 days'",
    "SELECT a.id, avg(r.stars) FROM articles a JOIN reviews r ON r.article_id = a.id WHERE "
    "a.category = # GROUP BY a.id",
    "DELETE FROM sessions WHERE key = '@'",
    "UPDATE payments SET state = 'settled' WHERE key = '@'",
    "COPY stock_history FROM STDIN",
    "VACUUM (ANALYZE) carts"};

inline constexpr std::array<Words, 12> kAccounts = {"root",  "admin", "deploy", "backup",
                                                    "test",  "user",  "oracle", "postgres",
                                                    "guest", "pi",    "ubuntu", "nagios"};

inline constexpr std::array<Words, 9> kQueues = {"mail-out",      "order-events",  "thumbnails",
                                                 "search-index",  "invoices",      "exports",
                                                 "stock-imports", "webhook-retry", "audit"};

}  // namespace presso::corpora
