#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the small tables in data/ that the statements read: the same bytes each time.

Only penguins.csv (palmerpenguins, CC0; its nulls are empty here) and gapminder.csv (18 countries of
gapminder, CC0) are not invented; they are kept as they are.
"""
import csv
import datetime
import json
import pathlib
import random

DATA = pathlib.Path(__file__).parent / "data"
DAY = datetime.timedelta(days=1)
FIRST = ["Ana", "Björn", "Chloé", "Dmitri", "Elif", "Farid", "Grace", "Hiro", "Íñigo", "Jürgen",
         "Kwame", "Lucía", "Mary Ann", "Nils", "Olga", "Priya", "Quinn", "Søren", "Tariq", "Uma"]
LAST = ["Lopez", "Ångström", "O'Brien", "Smith", "Müller", "Nakamura", "van Dijk", "Osei", "Novák",
        "Kaya", "García", "Chen"]


def write_csv(name, header, rows, delimiter=","):
    with open(DATA / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_lines(name, rows):
    with open(DATA / name, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def plain(name):
    swaps = str.maketrans("áéíöüñøÅåč", "aeiounoAac")
    return name.lower().translate(swaps).replace("'", "").replace(" ", ".")


def date(text):
    return datetime.date.fromisoformat(text)


def make_company(rng):
    departments = ["Sales", "Engineering", "Finance", "Marketing", "Support", "Legal", "R&D"]
    write_csv("departments.csv", ["id", "name", "location"],
              [[number, name, rng.choice(["Berlin", "Oslo", "Lisbon", ""])]
               for number, name in enumerate(departments, 1)])
    rows = []
    for number in range(1, 61):
        name = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        boss = "" if number == 1 else 1 if number < 8 else rng.randrange(2, min(number, 25))
        department = rng.choice([1, 1, 2, 2, 2, 3, 4, 5, 5, ""])
        salary = rng.choice([42000, 48000, 52000, 52000, 61000, 75000, 90000, 118500, ""])
        hired = date("2012-01-15") + DAY * rng.randrange(4300)
        rows.append([number, name, department, boss, salary, hired,
                     f"{plain(name)}@example.{rng.choice(['com', 'org', 'COM'])}"])
    write_csv("employees.csv", ["id", "name", "department_id", "manager_id", "salary", "hire_date",
                                "email"], rows)


def make_shop(rng):
    cities = [("Oslo", "NO"), ("São Paulo", "BR"), ("Köln", "DE"), ("Paris", "FR"), ("Lyon", "FR"),
              ("Berlin", "DE"), ("Łódź", "PL"), ("Athína", "GR"), ("New York", "US")]
    rows = []
    for number in range(1, 61):
        name = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        city, country = rng.choice(cities)
        email = f"{plain(name)}@{rng.choice(['mail.com', 'work.net', 'uni.edu'])}"
        rows.append([number, name, rng.choice([email, email, email, email.upper(), ""]), city,
                     country, date("2022-01-01") + DAY * rng.randrange(500),
                     rng.choice(["", "", rng.randrange(1, number + 1)])])
    write_csv("customers.csv", ["customer_id", "name", "email", "city", "country", "signup_date",
                                "referred_by"], rows)
    kinds = {"Coffee": 4.5, "Tea": 3, "Mug": 9.9, "Grinder": 79, "Kettle": 49.5, "Filter": 2.25}
    products = []
    for number in range(1, 31):
        kind = rng.choice(list(kinds))
        price = kinds[kind] * rng.choice([1, 1.1, 1.25, 2])
        products.append([number, f"{kind} No. {number}", kind if rng.random() < 0.93 else "",
                         f"{price:.2f}", rng.choice(["true", "false", "false", "false"])])
    write_csv("products.csv", ["product_id", "product_name", "category", "price", "discontinued"],
              products)
    make_orders(rng, products)


def make_orders(rng, products):
    orders, items = [], []
    for number in range(1001, 1201):
        ordered = date("2023-01-01") + DAY * rng.randrange(450)
        shipped = ordered + DAY * rng.randrange(1, 15) if rng.random() < 0.8 else ""
        total = 0
        for product in rng.sample(products, rng.choice([1, 1, 1, 2, 2, 3])):
            quantity = rng.choice([1, 1, 2, 3, 10])
            discount = rng.choice([0, 0, 0, 0.1, 0.25])
            total += quantity * float(product[3]) * (1 - discount)
            items.append([number, product[0], quantity, product[3], discount])
        status = rng.choice(["shipped", "shipped", "delivered", "cancelled", "pending"])
        orders.append([number, rng.randrange(1, 56), ordered, shipped, status, f"{total:.2f}",
                       rng.choice(["", "", "", "WELCOME10", "SPRING", "vip"])])
    write_csv("orders.csv", ["order_id", "customer_id", "order_date", "shipped_date", "status",
                             "amount", "coupon"], orders)
    write_csv("order_items.csv", ["order_id", "product_id", "quantity", "unit_price", "discount"],
              items)


def make_travel(rng):
    airports = [("JFK", "John F Kennedy Intl", 40.639751, -73.778925, "America/New_York"),
                ("LGA", "La Guardia", 40.777245, -73.872608, "America/New_York"),
                ("EWR", "Newark Liberty Intl", 40.6925, -74.168667, "America/New_York"),
                ("LAX", "Los Angeles Intl", 33.942536, -118.408075, "America/Los_Angeles"),
                ("ORD", "Chicago Ohare Intl", 41.978603, -87.904842, "America/Chicago"),
                ("ATL", "Hartsfield Jackson Atlanta Intl", 33.636719, -84.428067,
                 "America/New_York"),
                ("DEN", "Denver Intl", 39.861656, -104.673178, "America/Denver"),
                ("SFO", "San Francisco Intl", 37.618972, -122.374889, "America/Los_Angeles"),
                ("HNL", "Honolulu Intl", 21.318681, -157.922428, "Pacific/Honolulu")]
    write_csv("airports.csv", ["faa", "name", "lat", "lon", "tzone"], airports)
    carriers = [("UA", "United Air Lines Inc."), ("AA", "American Airlines Inc."),
                ("DL", "Delta Air Lines Inc."), ("B6", "JetBlue Airways"),
                ("WN", "Southwest Airlines Co."), ("HA", "Hawaiian Airlines Inc."),
                ("OO", "SkyWest Airlines Inc.")]
    write_csv("airlines.csv", ["carrier", "name"], carriers)
    rows = []
    for _ in range(200):
        day = date("2013-01-01") + DAY * rng.randrange(365)
        planned = rng.randrange(5, 23) * 100 + rng.choice([0, 5, 15, 29, 30, 45, 59])
        late = rng.choice([-5, -3, -1, 0, 2, 8, 33, 95, rng.randrange(200)])
        to = rng.choice(["LAX", "ORD", "ATL", "DEN", "SFO", "HNL", "BQN"])
        distance = {"LAX": 2475, "ORD": 733, "ATL": 762, "DEN": 1626, "SFO": 2586, "HNL": 4983,
                    "BQN": 1576}[to]
        lost = rng.random() < 0.06
        minutes = planned // 100 * 60 + planned % 100 + late
        real = minutes // 60 % 24 * 100 + minutes % 60
        rows.append([day.year, day.month, day.day, "" if lost else real, planned,
                     "" if lost else late, "" if lost else late + rng.randrange(-25, 30),
                     rng.choice(carriers[:5])[0], rng.randrange(1, 4000),
                     "" if rng.random() < 0.03 else f"N{rng.randrange(100, 999)}{rng.choice('AB')}",
                     rng.choice(["JFK", "LGA", "EWR"]), to, "" if lost else distance // 8 + 30,
                     distance, f"{day} {planned // 100:02}:00:00"])
    write_csv("flights.csv", ["year", "month", "day", "dep_time", "sched_dep_time", "dep_delay",
                              "arr_delay", "carrier", "flight", "tailnum", "origin", "dest",
                              "air_time", "distance", "time_hour"], rows)


def make_events(rng):
    rows = []
    moment = datetime.datetime(2024, 3, 1, 8)
    steps = ["visit", "visit", "visit", "view_item", "view_item", "add_to_cart", "purchase"]
    for number in range(1, 131):
        moment += datetime.timedelta(seconds=rng.choice([5, 40, 300, 2000, 20000]))
        kind = rng.choice(steps)
        props = {"page": rng.choice(["/", "/shop", "/item/12", "/café", "/checkout?step=2"])}
        if kind != "visit":
            props["price"] = rng.choice([9.99, 25, 120.5, None])
            props["items"] = [{"sku": f"SKU-{rng.randrange(100):03}", "qty": rng.randrange(1, 4)}
                              for _ in range(rng.randrange(3))]
        row = {"id": number, "ts": moment.isoformat(), "user_id": rng.randrange(1, 26),
               "event": kind, "device": {"os": rng.choice(["iOS", "Android", "Windows"]),
                                         "browser": rng.choice(["Firefox", "Chrome", "Safari"])},
               "props": props, "tags": rng.sample(["new", "promo", "eu", "mobile"],
                                                  rng.randrange(4))}
        rows.append(row)
    write_lines("events.jsonl", rows)
    genres = ["Drama", "Comedy", "Sci-Fi", "Action", "Horror"]
    write_lines("movies.jsonl", [
        {"title": f"{rng.choice(['The', 'A', 'Last', 'Über'])} "
                  f"{rng.choice(['Night', 'River', 'Robot', 'Garçon', 'Machine'])} {number}",
         "year": rng.randrange(1980, 2024), "genres": rng.sample(genres, rng.randrange(1, 4)),
         "rating": rng.choice([None, round(rng.uniform(2, 9.9), 1)]),
         "votes": rng.randrange(10, 90000), "budget": rng.choice([None, 1500000, 20000000])}
        for number in range(1, 31)])
    write_csv("logins.csv", ["user_id", "login_date"],
              [[rng.randrange(1, 9), date("2024-01-01") + DAY * rng.randrange(40)]
               for _ in range(150)])


def make_series(rng):
    rows = []
    moment = datetime.datetime(2024, 5, 31, 22)
    for _ in range(170):
        moment += datetime.timedelta(seconds=rng.choice([60, 60, 61, 300, 900]))
        rows.append([rng.choice(["s1", "s2", "s3"]), moment,
                     "" if rng.random() < 0.08 else f"{rng.gauss(21, 2):.2f}",
                     rng.randrange(30, 60)])
    write_csv("sensors.csv", ["sensor_id", "ts", "temperature", "humidity"], rows)
    opening = datetime.datetime(2024, 2, 1, 9, 30)
    for name, count in (("trades", 50), ("quotes", 110)):
        moments = sorted(opening + datetime.timedelta(milliseconds=250 * rng.randrange(8000))
                         for _ in range(count))
        rows = []
        for moment in moments:
            symbol = rng.choice(["AAPL", "MSFT", "NVDA"])
            price = {"AAPL": 185, "MSFT": 402, "NVDA": 620}[symbol] + rng.randrange(-200, 200) / 100
            text = moment.isoformat(" ", "milliseconds")
            rows.append([text, symbol, f"{price:.2f}", rng.choice([10, 50, 100, 250])]
                        if name == "trades" else
                        [text, symbol, f"{price - 0.01:.2f}", f"{price + 0.02:.2f}"])
        write_csv(f"{name}.csv", ["ts", "symbol", *(["price", "qty"] if name == "trades"
                                                    else ["bid", "ask"])], rows)
    rows = []
    close = {"AAA": 100.0, "BBB": 20.0, "CCC": 310.0}
    for number in range(84):
        day = date("2024-01-01") + DAY * number
        for ticker in close:
            close[ticker] *= 1 + rng.gauss(0, 0.02)
            if day.weekday() < 5 and rng.random() < 0.98:
                rows.append([day, ticker, f"{close[ticker]:.2f}", rng.randrange(1000, 90000)])
    write_csv("prices.csv", ["date", "ticker", "close", "volume"], rows)
    rows = [[date("2023-12-01") + DAY * number, city,
             "" if rng.random() < 0.04 else f"{rng.gauss(warm, 4):.1f}",
             f"{rng.gauss(warm + 7, 4):.1f}", rng.choice([0, 0, 0, 0.2, 1.5, 12, ""])]
            for number in range(60) for city, warm in (("Bergen", 2), ("Cádiz", 13), ("Izmir", 9))]
    write_csv("weather.tsv", ["day", "city", "tmin", "tmax", "rain_mm"], rows, "\t")


def make_business(rng):
    for month in (1, 2, 3):
        write_csv(f"sales_2023_{month:02}.csv", ["day", "store", "amount"],
                  [[date(f"2023-{month:02}-01") + DAY * rng.randrange(28),
                    rng.choice(["North", "South", "East"]), f"{rng.uniform(5, 900):.2f}"]
                   for _ in range(22)])
    rows = []
    for number in range(1, 61):
        start = date("2023-01-01") + DAY * rng.randrange(330)
        plan, price = rng.choice([("basic", 9), ("pro", 29), ("team", 99)])
        end = "" if rng.random() < 0.5 else start + DAY * rng.randrange(10, 300)
        rows.append([rng.randrange(1, 41), plan, start, end, price])
    write_csv("subscriptions.csv", ["user_id", "plan", "start_date", "end_date", "mrr"], rows)
    rows = []
    for currency, rate in (("USD", 0.92), ("GBP", 1.16), ("NOK", 0.087)):
        for month in range(1, 7):
            begin = datetime.date(2024, month, 1)
            end = datetime.date(2024, month + 1, 1) - DAY
            rows.append([currency, begin, end if month < 6 else "9999-12-31",
                         f"{rate * rng.uniform(0.95, 1.05):.5f}"])
    write_csv("rates.csv", ["currency", "valid_from", "valid_to", "rate"], rows)
    write_csv("invoices.csv", ["invoice_no", "currency", "invoice_date", "amount", "paid"],
              [[f"{number:05}", rng.choice(["USD", "GBP", "NOK", "EUR"]),
                date("2024-01-05") + DAY * rng.randrange(170), f"{rng.uniform(20, 4000):.2f}",
                rng.choice(["Yes", "No"])] for number in range(17, 77)])
    write_csv("scores.csv", ["student", "subject", "score"],
              [[name, subject, "" if rng.random() < 0.07 else rng.randrange(35, 101)]
               for name in FIRST[:15] for subject in ("math", "physics", "history", "art")])
    tools = ["Python", "SQL", "R", "Excel", "Julia"]
    comments = ["", "ok", "Great!", "slow, but works", 'said "never again"', "très bien",
                "  needs docs  "]
    write_csv("survey.csv", ["respondent", "age_group", "tools", "satisfaction", "comment"],
              [[number, rng.choice(["18-25", "26-35", "36-50", "50+", ""]),
                ";".join(rng.sample(tools, rng.randrange(4))), rng.choice([1, 2, 3, 4, 5, 5, ""]),
                rng.choice(comments)] for number in range(1, 71)])


def make_mess(rng):
    rows = []
    for number in range(1, 46):
        first, last = rng.choice(FIRST), rng.choice(LAST)
        name = rng.choice([f"{first} {last}", f"  {first}  {last} ", f"{last}, {first}",
                           f"{first} {last}".upper(), f"{first} {last}".lower()])
        digits = f"{rng.randrange(200, 999)}555{rng.randrange(10000):04}"
        phone = rng.choice([f"({digits[:3]}) {digits[3:6]}-{digits[6:]}",
                            f"{digits[:3]}-{digits[3:6]}-{digits[6:]}", f"+1 {digits}", digits, ""])
        day = date("2019-06-01") + DAY * rng.randrange(1500)
        joined = rng.choice([day.isoformat(), day.strftime("%d/%m/%Y"), day.strftime("%b %d, %Y"),
                             "unknown", ""])
        amount = rng.uniform(-200, 20000)
        balance = rng.choice([f"${amount:,.2f}", f"{amount:.2f}", f"{amount:.0f}", "n/a"])
        email = f"{plain(first)}.{plain(last)}@{rng.choice(['a.io', 'B.io'])}"
        rows.append([number, name, phone, email, joined, balance, f"{rng.randrange(100000):05}"])
    rows += [rows[3], rows[10], rows[10]]
    write_csv("contacts.csv", ["id", "full_name", "phone", "email", "joined", "balance", "zip"],
              rows)
    rows = []
    moment = datetime.datetime(2024, 6, 10, 23, 50)
    agents = ["Mozilla/5.0 (Windows NT 10.0; Win64)", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4)",
              "curl/8.5.0", "python-requests/2.31"]
    for _ in range(130):
        moment += datetime.timedelta(seconds=rng.choice([0, 1, 3, 45, 400]))
        rows.append([moment, f"10.0.{rng.randrange(3)}.{rng.randrange(1, 9)}",
                     rng.choice(["GET", "GET", "GET", "POST", "HEAD"]),
                     rng.choice(["/", "/api/users?id=7", "/api/orders?page=2&sort=asc",
                                 "/static/app.js", "/login"]),
                     rng.choice([200, 200, 200, 304, 404, 500, 503]), rng.choice([0, 512, 20480]),
                     rng.randrange(2, 1800), rng.choice(agents)])
    write_csv("requests.csv", ["ts", "ip", "method", "path", "status", "bytes", "duration_ms",
                               "user_agent"], rows)


def main():
    rng = random.Random(48)
    for make in (make_company, make_shop, make_travel, make_events, make_series, make_business,
                 make_mess):
        make(rng)


if __name__ == "__main__":
    main()
