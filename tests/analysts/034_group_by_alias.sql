-- asked: Group by an alias
-- source: SQLite forum, alias in group by
select substr(order_date::varchar, 1, 4) as yr, round(sum(amount), 2) as revenue from 'orders.csv' group by yr order by yr;
