// SPDX-License-Identifier: MIT
// Statements that take more than one query: their answers, which are those of DuckDB 2.0.1 to the
// same statements over the same tables, and what is refused.
#include "presso/statement.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/query/run/join_fixture.h"

namespace presso {
namespace {

constexpr const char* kEmp =
    "id,name,dept,salary,hired\n"
    "1,Ann,sales,100,2020-01-01\n"
    "2,Bob,sales,200,2020-02-01\n"
    "3,Cid,it,300,2020-03-01\n"
    "4,Dan,it,250,2021-01-01\n"
    "5,Eve,hr,,2021-05-05\n"
    "6,Fay,,300,2021-06-01\n";
constexpr const char* kDept =
    "dept,boss,floor\n"
    "sales,Ann,1\n"
    "it,Cid,2\n"
    "ops,Zed,\n";
constexpr const char* kPay =
    "emp,day,amount\n"
    "1,2024-01-01,10.50\n"
    "1,2024-01-03,4.25\n"
    "2,2024-01-02,7.00\n"
    "3,2024-01-01,1.10\n"
    "3,2024-01-04,2.20\n"
    "3,2024-01-09,3.30\n";

struct Case {
  const char* statement;
  const char* rows;
};

constexpr Case kCases[] = {
    {"select * from (select dept, sum(salary) as s from emp group by dept) t where s > 100 order "
     "by s, t.dept",
     "sales,300\n,300\nit,550\n"},
    {"with t as (select dept, count(*) as n from emp group by 1), u as (select * from t where n "
     "> 1) select * from u order by dept",
     "it,2\nsales,2\n"},
    {"with recursive t(n) as (select 1 union all select n * 2 from t where n < 100) select "
     "sum(n), max(n) from t",
     "255,128\n"},
    {"with recursive up(n) as (select 5 union select (n + 1) % 7 from up) select count(*) from up",
     "7\n"},
    {"from emp where id < 3", "1,Ann,sales,100,2020-01-01\n2,Bob,sales,200,2020-02-01\n"},
    {"select x + 1 as y from (values (1), (null), (3)) as t(x)", "2\n\n4\n"},
    {"select dept from emp union select dept from dept order by dept", "hr\nit\nops\nsales\n\n"},
    {"select dept from emp union all select dept from dept order by dept",
     "hr\nit\nit\nit\nops\nsales\nsales\nsales\n\n"},
    {"select dept from emp except select dept from dept order by dept", "hr\n\n"},
    {"select dept from emp intersect select dept from dept order by dept", "it\nsales\n"},
    {"select id as a, name as b from emp where id < 2 union all by name select 'x' as b, 2.5 as "
     "c order by b",
     "1,Ann,\n,x,2.5\n"},
    {"select amount from pay where emp = 2 union all select 12.34 union all select 1",
     "7.00\n12.34\n1.00\n"},
    {"select amount from pay intersect select 7.00", "7.00\n"},
    {"select distinct 4, 'x' from emp where false", ""},
    {"select 1 + 1 as a, count(*) as n from emp where false group by all", "2,0\n"},
    {"select id, (select coalesce(max(day), date '2024-01-09') from pay where emp = id and amount "
     "> "
     "5) as d from emp where id < 4",
     "1,2024-01-01\n2,2024-01-02\n3,2024-01-09\n"},
    {"select id, last_value(abs(salary) ignore nulls) over (order by id) as a, last_value(salary) "
     "ignore nulls over (order by id) as b from emp where id in (4, 5)",
     "4,250,250\n5,250,250\n"},
    {"select dept, median(salary) as m, sum(count(*)) over (order by dept) as n from emp where id "
     "< 5 group by all order by dept",
     "it,275,2\nsales,150,4\n"},
    {"select id, (select max(floor) from dept where 3 = id) as f from emp where id in (2, 3)",
     "2,\n3,2\n"},
    {"select id in (2, 3, cast(null as int)), dept in ('it', cast(null as varchar)) from emp where "
     "id < 4",
     ",\ntrue,\ntrue,true\n"},
    {"select 'x' in (select dept from emp), 0 in (select salary from emp), 0 in (select id from "
     "emp)",
     ",,false\n"},
    {"select id, 150 > any (select salary from emp), 400 > all (select salary from emp), 50 > any "
     "(select salary from emp), 250 > all (select salary from emp) from emp where id = 1",
     "1,true,,,false\n"},
    {"select count(*) from emp where not (50 > any (select salary from emp))", "0\n"},
    {"select count(*) from emp where salary >= all (select salary from emp where salary > 0)",
     "2\n"},
    {"select distinct 4, 'x' from emp", "4,x\n"},
    {"with recursive t as (select 1 as n union all select 2) select sum(n) from t", "3\n"},
    {"select e.id, dept from emp e right join dept d using (dept) where 'Zed' = (select max(boss) "
     "from (select dept as unit, boss from dept) x where unit = dept)",
     ",ops\n"},
    {"select dept, dept || '!' as d, count(*) from emp where id < 4 group by grouping sets ((dept "
     "|| '!'), (dept)) order by 1, 2",
     "it,,1\nsales,,2\n,it!,1\n,sales!,2\n"},
    {"select 1 as a union all select 2.5 union all select null order by a", "1.0\n2.5\n\n"},
    {"(select id from emp order by id desc limit 1) union all (select id from emp order by id "
     "limit 1) order by 1",
     "1\n6\n"},
    {"select name from emp where salary > (select avg(salary) from emp) order by name",
     "Cid\nDan\nFay\n"},
    {"select name from emp where dept in (select dept from dept) order by name",
     "Ann\nBob\nCid\nDan\n"},
    {"select name from emp where dept not in (select dept from dept where dept is not null) "
     "order by name",
     "Eve\n"},
    {"select name from emp where dept not in (select dept from emp where id > 4) order by name",
     ""},
    {"select name from emp where salary not in (select salary from emp where false) order by name",
     "Ann\nBob\nCid\nDan\nEve\nFay\n"},
    {"select boss from dept d where exists (select 1 from emp e where e.dept = d.dept and salary "
     "> 250) order by 1",
     "Cid\n"},
    {"select boss from dept d where not exists (select 1 from emp e where e.dept = d.dept) order "
     "by 1",
     "Zed\n"},
    {"select name, (select boss from dept d where d.dept = e.dept) as boss from emp e order by "
     "name",
     "Ann,Ann\nBob,Ann\nCid,Cid\nDan,Cid\nEve,\nFay,\n"},
    {"select name, (select count(*) from pay p where p.emp = e.id) as n from emp e order by name",
     "Ann,2\nBob,1\nCid,3\nDan,0\nEve,0\nFay,0\n"},
    {"select name, (select count(*) from emp x where x.salary > e.salary) as higher from emp e "
     "order by name",
     "Ann,4\nBob,3\nCid,0\nDan,2\nEve,0\nFay,0\n"},
    {"select name, (select p.amount from pay p where p.emp = e.id order by day desc limit 1) as "
     "last from emp e order by name",
     "Ann,4.25\nBob,7.00\nCid,3.30\nDan,\nEve,\nFay,\n"},
    {"select name, e.dept in (select dept from dept where floor = 1) as first from emp e order "
     "by name",
     "Ann,true\nBob,true\nCid,false\nDan,false\nEve,false\nFay,\n"},
    {"select name, exists (select 1 from pay p where p.emp = e.id and p.amount > 7) as big from "
     "emp e order by name",
     "Ann,true\nBob,false\nCid,false\nDan,false\nEve,false\nFay,false\n"},
    {"select boss, exists (select name from emp e where e.dept = d.dept group by name) as x, 1 in "
     "(select count(*) from emp e where e.dept = d.dept group by name) as y from dept d order by "
     "boss",
     "Ann,true,true\nCid,true,true\nZed,false,false\n"},
    {"select name, (dept, salary) in (select dept, 200 from emp where id < 3 or dept is null) as x "
     "from emp order by name",
     "Ann,false\nBob,true\nCid,false\nDan,false\nEve,\nFay,false\n"},
    {"select name from emp e where (dept, salary) not in (select dept, 200 from emp where id < 3) "
     "order by name",
     "Ann\nCid\nDan\nEve\nFay\n"},
    {"select name from emp e where salary = (select max(salary) from emp m where m.dept = "
     "e.dept) order by name",
     "Bob\nCid\n"},
    {"select dept, sum(salary) as s from emp group by dept having sum(salary) > (select "
     "avg(salary) from emp) order by dept",
     "it,550\nsales,300\n,300\n"},
    {"select name from emp where salary > all (select salary from emp where dept = 'sales') "
     "order by name",
     "Cid\nDan\nFay\n"},
    {"select name from emp where salary = any (select salary from emp where dept = 'it') order "
     "by name",
     "Cid\nDan\nFay\n"},
    {"select name from emp where (dept, salary) in (select dept, max(salary) from emp group by "
     "dept) order by name",
     "Bob\nCid\n"},
    {"select e.name, f.name as other from emp e join emp f on e.salary < f.salary and e.id < 3 "
     "order by 1, 2",
     "Ann,Bob\nAnn,Cid\nAnn,Dan\nAnn,Fay\nBob,Cid\nBob,Dan\nBob,Fay\n"},
    {"select count(*) from emp cross join dept", "18\n"},
    {"select name, boss from emp natural join dept order by name",
     "Ann,Ann\nBob,Ann\nCid,Cid\nDan,Cid\n"},
    {"select p.emp, p.day, q.amount from pay p asof join pay q on p.emp = q.emp and p.day > "
     "q.day order by 1, 2",
     "1,2024-01-03,10.50\n3,2024-01-04,1.10\n3,2024-01-09,2.20\n"},
    {"select d.dept, t.name from dept d, lateral (select name from emp e where e.dept = d.dept "
     "order by salary desc limit 1) t order by 1",
     "it,Cid\nsales,Bob\n"},
    {"select dept, count(*) as n from emp group by all order by all", "hr,1\nit,2\nsales,2\n,1\n"},
    {"select dept, floor, count(*) as n from emp left join dept using (dept) group by rollup "
     "(dept, floor) order by dept, floor, n",
     "hr,,1\nhr,,1\nit,2,2\nit,,2\nsales,1,2\nsales,,2\n,,1\n,,1\n,,6\n"},
    {"select dept, grouping(dept) as g, sum(salary) as s from emp group by grouping sets "
     "((dept), ()) order by g, 1",
     "hr,0,\nit,0,550\nsales,0,300\n,0,300\n,1,1150\n"},
    {"select dept, sum(salary) filter (where id > 1) as s, count(*) filter (where salary is "
     "null) as n from emp group by dept order by dept",
     "hr,,1\nit,550,0\nsales,200,0\n,300,0\n"},
    {"select dept, median(salary) as m, max(name) as x from emp group by dept order by dept",
     "hr,,Eve\nit,275,Dan\nsales,150,Bob\n,300,Fay\n"},
    {"select quantile_cont(salary, 0.25) as q, mode(salary) as m, stddev_pop(salary) as s from "
     "emp",
     "200,300,74.83314773547883\n"},
    {"select dept, string_agg(name, '-' order by name desc) as names from emp group by dept "
     "order by dept",
     "hr,Eve\nit,Dan-Cid\nsales,Bob-Ann\n,Fay\n"},
    {"select arg_max(name, salary) as a, arg_min(name, salary) as b, any_value(dept) as c from "
     "emp",
     "Cid,Ann,sales\n"},
    {"select count(distinct (dept, salary)) as n, sum(distinct salary) as s, bool_or(salary > "
     "250) as b from emp",
     "6,850,true\n"},
    {"select distinct on (dept) dept, name from emp order by dept, salary desc nulls last, name",
     "hr,Eve\nit,Cid\nsales,Bob\n,Fay\n"},
    {"select name, row_number() over (partition by dept order by salary, name) as n from emp "
     "order by name",
     "Ann,1\nBob,2\nCid,2\nDan,1\nEve,1\nFay,1\n"},
    {"select name, rank() over (order by salary) as r, dense_rank() over (order by salary) as d "
     "from emp order by name",
     "Ann,1,1\nBob,2,2\nCid,4,4\nDan,3,3\nEve,6,5\nFay,4,4\n"},
    {"select day, sum(amount) over (order by day, p.emp) as running from pay p order by day, "
     "p.emp",
     "2024-01-01,10.50\n2024-01-01,11.60\n2024-01-02,18.60\n2024-01-03,22.85\n2024-01-04,25.05\n"
     "2024-01-09,28.35\n"},
    {"select day, avg(amount) over (order by day, p.emp rows between 1 preceding and 1 "
     "following) as a from pay p order by day, p.emp",
     "2024-01-01,5.8\n2024-01-01,6.2\n2024-01-02,4.116666666666666\n"
     "2024-01-03,4.483333333333333\n2024-01-04,3.25\n2024-01-09,2.75\n"},
    {"select emp, day, amount - lag(amount) over w as change, lead(day, 1, day) over w as next "
     "from pay window w as (partition by emp order by day) order by 1, 2",
     "1,2024-01-01,,2024-01-03\n1,2024-01-03,-6.25,2024-01-03\n2,2024-01-02,,2024-01-02\n"
     "3,2024-01-01,,2024-01-04\n3,2024-01-04,1.10,2024-01-09\n3,2024-01-09,1.10,2024-01-09\n"},
    {"select emp, day, count(*) over (partition by emp order by day range between interval 2 "
     "days preceding and current row) as n from pay order by 1, 2",
     "1,2024-01-01,1\n1,2024-01-03,2\n2,2024-01-02,1\n3,2024-01-01,1\n3,2024-01-04,1\n"
     "3,2024-01-09,1\n"},
    {"select dept, sum(salary) as s, sum(sum(salary)) over () as total from emp group by dept "
     "order by dept",
     "hr,,1150\nit,550,1150\nsales,300,1150\n,300,1150\n"},
    {"select name, first_value(name) over (partition by dept order by id) as f, ntile(2) over "
     "(order by id) as t from emp order by name",
     "Ann,Ann,1\nBob,Ann,1\nCid,Cid,1\nDan,Cid,2\nEve,Eve,2\nFay,Fay,2\n"},
    {"select name from emp qualify row_number() over (partition by dept order by salary desc, "
     "id) = 1 order by name",
     "Bob\nCid\nEve\nFay\n"},
    {"select * exclude (hired, name) from emp where id = 1", "1,sales,100\n"},
    {"select * replace (salary * 2 as salary) from emp where id = 2",
     "2,Bob,sales,400,2020-02-01\n"},
    {"select salary as s, s + 1 as t from emp where s > 250 order by t, id", "300,301\n300,301\n"},
    {"select name from emp order by id limit 50%", "Ann\nBob\nCid\n"},
    {"pivot pay on emp using sum(amount) group by day order by day",
     "2024-01-01,10.50,,1.10\n2024-01-02,,7.00,\n2024-01-03,4.25,,\n2024-01-04,,,2.20\n"
     "2024-01-09,,,3.30\n"},
    {"unpivot dept on dept, boss into name k value v order by v, k",
     "1,boss,Ann\n2,boss,Cid\n,boss,Zed\n2,dept,it\n,dept,ops\n1,dept,sales\n"},
    {"select d::date as d from generate_series(date '2024-01-30', date '2024-03-31', interval 1 "
     "month) as t(d)",
     "2024-01-30\n2024-02-29\n2024-03-29\n"},
    {"select unnest([3, 1, 2]) as x order by x", "1\n2\n3\n"},
    {"select boss from dept d where exists (select 1 from emp e where e.dept = d.dept limit 1) "
     "order by 1",
     "Ann\nCid\n"},
    {"select boss from dept d where not exists (select 1 from emp e where e.dept = d.dept limit "
     "1) order by 1",
     "Zed\n"},
    {"select boss from dept d where exists (select 1 from emp e where e.dept = d.dept limit 1 "
     "offset 1) order by 1",
     "Ann\nCid\n"},
    {"select boss, exists (select 1 from emp e where e.dept = d.dept limit 0) as x from dept d "
     "order by 1",
     "Ann,false\nCid,false\nZed,false\n"},
    {"select boss from dept d where 'Ann' in (select name from emp e where e.dept = d.dept order "
     "by id limit 1) order by 1",
     "Ann\n"},
    {"select boss, 'Bob' in (select name from emp e where e.dept = d.dept order by id limit 1) "
     "as x from dept d order by 1",
     "Ann,false\nCid,false\nZed,false\n"},
    {"select name, (select amount from pay p where p.emp = e.id order by 1 desc limit 1) as most "
     "from emp e order by name",
     "Ann,10.50\nBob,7.00\nCid,3.30\nDan,\nEve,\nFay,\n"},
    {"select name, count(*) over (order by hired range between interval '1 month 10 days' "
     "preceding and current row) as n from emp order by name",
     "Ann,1\nBob,2\nCid,2\nDan,1\nEve,1\nFay,2\n"},
    {"select e.dept, median(salary) as m from emp e group by dept order by e.dept",
     "hr,\nit,275\nsales,150\n,300\n"},
    {"select e.dept, sum(salary) as s from emp e group by rollup (dept) order by e.dept, s",
     "hr,\nit,550\nsales,300\n,300\n,1150\n"},
    {"select 1 as a union all select 2 union all select 2.5 union all select null order by a",
     "1.0\n2.0\n2.5\n\n"},
    {"select 1 as a union select 1 union select 2 order by a", "1\n2\n"},
    {"select id as a from emp union all by name select boss as b from dept union all by name "
     "select emp as a, day as c from pay order by a, b, c limit 3",
     "1,,2024-01-01\n1,,2024-01-03\n1,,\n"},
    {"select name, id as salary from (select id * 10 as salary, salary as id, name from emp where "
     "salary < 300) t where t.salary > 10 order by salary, name",
     "Bob,200\nDan,250\n"},
    {"with t as (select *, salary + id as s from emp where id > 1), u as (select s * 2 as s, dept "
     "from t where s < 303) select dept, sum(s) as total from u group by dept having sum(s) > 500 "
     "order by dept",
     "it,508\n"},
    {"with t(a, b) as (select e.id, amount from emp e join pay on emp = e.id where amount > 2) "
     "select a, sum(b) over (order by b rows unbounded preceding) as r from t qualify r < 20 order "
     "by r",
     "3,2.20\n3,5.50\n1,9.75\n2,16.75\n"},
    {"with t as (select id, dept in (select dept from dept) as known, (select max(amount) from pay "
     "where emp = e.id) as most from emp e) select known, count(*), sum(most) from t group by all "
     "order by all",
     "false,1,\ntrue,4,20.80\n,1,\n"},
    {"with a as (select id as x from emp), b as (select x + x as x from a), c as (select x + x as "
     "x from b), d as (select x + x as x from c), e as (select x + x as x from d), f as (select x "
     "+ x as x from e), g as (select x + x as x from f), h as (select x + x as x from g), i as "
     "(select x + x as x from h), j as (select x + x as x from i), k as (select x + x as x from j) "
     "select max(x) from k",
     "6144\n"},
    {"select e.id from emp e where exists (select 1 from (select emp as who from pay where amount "
     "> 3) p where p.who = e.id) order by 1",
     "1\n2\n3\n"},
    {"select count(*), (select count(*) from (select dept from emp where id > 2)) from (select id, "
     "dept as name from emp) where name = 'it'",
     "2,4\n"},
    {"select t.*, n from (select id % 2 as odd, * exclude (salary, hired, name) from emp) t, "
     "(select count(*) as n from pay) order by 1, 2 limit 2 offset 1",
     "0,4,it,6\n0,6,,6\n"},
    {"with t as (select name, emp.dept, floor from emp left join dept using (dept)) select "
     "distinct coalesce(floor, 0) as f from t where floor is null or floor > 1 order by f",
     "0\n2\n"},
    {"select * from (select id, name from pay right join (select id as emp, name, id from emp) "
     "using "
     "(emp)) order by name desc, id limit 2",
     "6,Fay\n5,Eve\n"},
    {"select emp as e, day as emp from (select emp, day from emp right join (select emp + 3 as id, "
     "emp, "
     "day from pay) using (id)) order by emp limit 2",
     "1,2024-01-01\n3,2024-01-01\n"},
    {"select * from (select id, name from (select emp as id, amount from pay) right join emp using "
     "(id)) "
     "order by id desc limit 2",
     "6,Fay\n5,Eve\n"},
    {"select len(list(name)), list(salary)[2] + 1, array_agg(name order by id desc)[1:2] from emp",
     "6,201,\"[\"\"Fay\"\",\"\"Eve\"\"]\"\n"},
    {"select dept, unnest(l) as n from (select dept, list(name order by id desc) as l from emp "
     "group by "
     "dept) where len(l) > 1 order by dept",
     "it,Dan\nit,Cid\nsales,Bob\nsales,Ann\n"},
    {"select id, unnest(string_split(name, 'n')) as part from emp where id < 3 or dept in ['hr'] "
     "order by "
     "id, part",
     "1,\"\"\n1,\"\"\n1,A\n2,Bob\n5,Eve\n"},
    {"select dept from emp except all select dept from dept order by dept", "hr\nit\nsales\n\n"},
    {"select emp from pay intersect all (select 1 union all select 3 union all select 3 union all "
     "select "
     "4) order by 1",
     "1\n3\n3\n"},
    {"select dept from emp intersect all select dept from emp where id <> 1 order by dept limit 4",
     "hr\nit\nit\nsales\n"},
    {"select count(*) from (select null as x union all select null except all select null)", "1\n"},
    {"select count(*) from (select day + interval (emp * 5) hour as t from pay) where t::time "
     "between time "
     "'05:00:00' and '10:00'",
     "3\n"},
    {"select max((day + interval (emp) hour)::time), cast('10:30' as time) from pay",
     "03:00:00,10:30:00\n"},
    {"select name from (select name as dept, dept as name from emp) order by dept desc limit 2",
     "\nhr\n"},
    {"select x, n from (values (1), (2)) t(x), lateral (select y, count(*) over () n from "
     "(values (1), (1), (2)) u(y) where y = x) order by all",
     "1,2\n1,2\n2,1\n"},
    {"select x, w from (values (1), (3), (9)) t(x), lateral (select id as w from emp where id <= "
     "x qualify row_number() over (order by id desc) = 1) order by all",
     "1,1\n3,3\n9,6\n"},
    {"select d.dept, (select max(salary) over () from emp e where e.dept = d.dept limit 1) from "
     "dept d order by all",
     "it,300\nops,\nsales,200\n"},
    {"select x from (values (1), (2)) t(x) where 2 in (select sum(y) over () from (values (1), "
     "(1), (2)) u(y) where y = x) order by all",
     "1\n2\n"},
    {"select x, 2 not in (select sum(y) over () from (values (1), (1), (3)) u(y) where y = x) "
     "from (values (1), (3)) t(x) order by all",
     "1,false\n3,true\n"},
    {"select x from (values (1), (2), (3)) t(x) where exists (select count(*) from (values (1), "
     "(1), (2)) u(y) where y = x having count(*) > 1)",
     "1\n"},
    {"select x, exists (select count(*) from (values (1), (1), (2)) u(y) where y = x having "
     "count(*) < 2) from (values (1), (2), (3)) t(x) order by all",
     "1,false\n2,true\n3,true\n"},
    {"select x, (select count(*) from (values (1), (1), (2)) u(y) where y = x having count(*) < "
     "2) from (values (1), (2), (3)) t(x) order by all",
     "1,\n2,1\n3,0\n"},
    {"select t.x, u.n from (values (1), (2), (3)) t(x), lateral (select count(*) n from (values "
     "(1), (1), (2)) u(y) where y = x having count(*) < 2) u order by all",
     "2,1\n3,0\n"},
    {"select * from (values (1), (2), (3)) t(x) left join lateral (select count(*) n from "
     "(values (1), (1), (2)) u(y) where y = x having count(*) < 2) u on true order by all",
     "1,\n2,1\n3,0\n"},
    {"select x, n from (values (1), (3), (0)) t(x), lateral (select 5 n from emp where id <= x "
     "having count(*) = 0) order by all",
     "0,5\n"},
    {"select x, y from (values (1), (2)) t(x), lateral (select distinct on (g) y from (values "
     "(1, 'a'), (2, 'a'), (2, 'b')) u(y, g) where y <= x order by g, y desc) order by all",
     "1,1\n2,2\n2,2\n"},
    {"select x from (values (1), (2)) t(x) where 1 in (select distinct on (g) y from (values (1, "
     "'a'), (2, 'a')) u(y, g) where y <= x order by g, y desc)",
     "1\n"},
    {"select x from (values (1), (0)) t(x) where x in (select count(*) from (values (1), (1), "
     "(2)) u(y) where y = x)",
     "0\n"},
    {"select x, x not in (select count(*) from (values (1), (1), (2)) u(y) where y = x), x = any "
     "(select max(y) from (values (1), (1), (2)) u(y) where y = x) from (values (1), (0), (2)) "
     "t(x) order by all",
     "0,false,\n1,true,true\n2,true,true\n"},
    {"select x, x in (select count(*) from (values (1), (1), (2)) u(y) where y = x having "
     "count(*) > 0) from (values (1), (0), (2)) t(x) order by all",
     "0,false\n1,false\n2,false\n"},
    {"select x, x in (select count(*) from (values (1), (1), (2)) u(y) where y = x group by y) "
     "from (values (1), (0), (2)) t(x) order by all",
     "0,false\n1,false\n2,false\n"},
    {"select x from (values (1), (2)) t(x) where x in (select y from (values (1), (2)) u(y) "
     "using sample 0 rows)",
     ""},
    {"select x from (values (1), (2)) t(x) where x in (select y from (values (1), (2), (3), (4)) "
     "u(y) order by y limit 25%)",
     "1\n"},
    {"select x, (select count(*) from (values (1), (1), (2)) u(y) where y = x limit 1) from "
     "(values (1), (2), (3)) t(x) order by all",
     "1,2\n2,1\n3,0\n"},
    {"select x, g, n from (values (1), (2), (3)) t(x), lateral (select y + 1 as g, count(*) n "
     "from (values (1), (1), (2)) u(y) where y = x group by all) order by all",
     "1,2,2\n2,3,1\n"},
    {"select x from (values (1), (2), (3)) t(x) where exists (select y from (values (1), (1), "
     "(2)) u(y) where y = x group by all having count(*) > 1)",
     "1\n"},
    {"select x, y from (values (1), (2), (3)) t(x), lateral (select y from (values (1), (1), "
     "(2)) u(y) where y >= x order by all desc limit 1) order by all",
     "1,2\n2,2\n"},
    {"select d.dept, (select floor(salary / 100) from emp e where e.dept = d.dept group by all "
     "order by count(*) desc, 1 limit 1) from dept d order by all",
     "it,2\nops,\nsales,1\n"},
    {"select x, s from (values (1), (2), (5)) t(x), lateral (select sum(count(*)) over () s from "
     "emp where id <= x group by dept) order by all",
     "1,1\n2,2\n5,5\n5,5\n5,5\n"},
    {"select d.dept, (select name from emp e where e.dept = d.dept qualify row_number() over "
     "(order by id desc) = 1) from dept d order by all",
     "it,Dan\nops,\nsales,Bob\n"},
    {"select x in (select unnest(l) from (values ([1, 5]), ([3])) u(l)) from (values (5)) t(x)",
     "true\n"},
    {"select x from (values (0), (4), (7)) t(x) where x in (select b from (values (5)) l(a) asof "
     "join (values (0), (4)) r(b) on a >= b)",
     "4\n"},
    {"select sum((select count(*) from pay where emp = id)) from emp", "6\n"},
    {"select id % 2 as k, max((select count(*) from pay where emp = id)) from emp group by all "
     "order by all",
     "0,1\n1,3\n"},
    {"select (select count(*) from pay where emp = id) % 2 + 1 as c, count(*) from emp group by "
     "c order by all",
     "1,4\n2,2\n"},
    {"select x, u from (values (1), (2)) t(x), unnest([1, 2, null]) as u(u) order by all",
     "1,1\n1,2\n1,\n2,1\n2,2\n2,\n"},
    {"select unnest from unnest(['b', 'a']) order by 1", "a\nb\n"},
};

class StatementTest : public JoinTest {
 protected:
  Result<StatementQuery> lowered(const std::string& text, const QueryOptions& options = {}) {
    PRESSO_ASSIGN(const SqlStatement parsed, parse_statement(text));
    StatementContext context;
    context.options = options;
    context.parameters = parameters;
    context.open = [this](const SqlSource& source) -> Result<StatementTables> {
      const auto found = tables.find(source.path);
      if (found == tables.end()) return make_error(ErrorCode::kInvalidArgument, "no such table");
      return StatementTables{{found->second}, {source.path}};
    };
    return lower_statement(parsed, text, context);
  }

  Result<std::string> answer(const std::string& text, const QueryOptions& options = {}) {
    PRESSO_ASSIGN(const StatementQuery last, lowered(text, options));
    TextSink sink;
    PRESSO_TRY(last.query.run(options, sink));
    return sink.text;
  }

  /// The queries before the last one, a line each.
  std::string steps(const std::string& text) {
    const auto query = lowered(text);
    std::string lines;
    if (query.ok()) {
      for (const std::string& step : query->steps) lines += step + "\n";
    }
    return query.ok() ? lines : query.error().message();
  }

  std::map<std::string, Table> tables = {
      {"emp", table(kEmp)}, {"dept", table(kDept)}, {"pay", table(kPay)}};
  std::map<std::string, Expression> parameters;
};

TEST_F(StatementTest, AnswersAreThoseOfDuckDb) {
  for (const Case& each : kCases) {
    for (const unsigned threads : {1u, 3u}) {
      QueryOptions options;
      options.threads = threads;
      const auto rows = answer(each.statement, options);
      ASSERT_TRUE(rows.ok()) << each.statement << "\n" << rows.error().message();
      EXPECT_EQ(*rows, each.rows) << each.statement;
    }
  }
}

TEST_F(StatementTest, LittleMemoryGivesTheSameAnswers) {
  QueryOptions options;
  options.memory_bytes = 1 << 20;
  for (const Case& each : kCases) {
    const auto rows = answer(each.statement, options);
    ASSERT_TRUE(rows.ok()) << each.statement << "\n" << rows.error().message();
    EXPECT_EQ(*rows, each.rows) << each.statement;
  }
}

TEST_F(StatementTest, ParametersAreLiterals) {
  parameters = {{"1", number(2)}, {"name", string("Ann")}};
  EXPECT_EQ(*answer("select id from emp where id < ? or name = $name"), "1\n");
  const auto missing = answer("select id from emp where id = $x");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message().find("the parameter $x has no value"), std::string::npos);
}

TEST_F(StatementTest, ASampleIsTheSameEachTime) {
  const auto sample = answer("select id from emp using sample 3 rows");
  EXPECT_EQ(std::count(sample->begin(), sample->end(), '\n'), 3);
  EXPECT_EQ(*answer("select id from emp using sample 3 rows"), *sample);
  EXPECT_EQ(*answer("select count(*) from (select id from emp using sample 50%)"), "3\n");
}

TEST_F(StatementTest, FilesAreThoseThatNoWithNames) {
  const auto parsed = parse_statement(
      "with a as (select * from x) select * from a, y where exists (select 1 from z) and b in "
      "(with c as (select 1) select * from c)");
  ASSERT_TRUE(parsed.ok());
  std::string names;
  for (const SqlSource& file : files_of(*parsed)) names += file.path + " ";
  EXPECT_EQ(names, "x y z ");
}

TEST_F(StatementTest, StatementsThatOnlyChooseAreNotKept) {
  EXPECT_EQ(
      steps("with t as (select *, id * 2 as d from emp where id > 1) select d from (select d, "
            "dept from t where d < 9) where dept = 'it'"),
      "");
  EXPECT_EQ(steps("with t as (select id, dept from emp) select count(*) from t group by dept"), "");
  EXPECT_EQ(steps("with t as (select id from emp where id > 1) select * from t, t as u"),
            "t: 5 rows\n");
  EXPECT_EQ(steps("with t as (select distinct dept from emp) select count(*) from t"),
            "t: 4 rows\n");
}

TEST_F(StatementTest, MistakesShowTheirPlace) {
  constexpr Case kMistakes[] = {
      {"select (select id from emp)", "gives 6 rows, where one must stand"},
      {"select id from emp where id in (select id, name from emp)", "selects 2 columns"},
      {"select foo(id) over () from emp", "there is no window function 'foo'"},
      {"select sum(id) over w from emp", "there is no window 'w'"},
      {"select sum(name) over () from emp", "takes numbers"},
      {"select id from emp union select id, name from emp", "1 columns, the other 2"},
      {"select * exclude (nam) from emp", "there is no column 'nam'"},
      {"select median(id), name from emp", "has many values in a group"},
      {"select * from foo(1)", "cannot be called in FROM"},
      {"select * from emp t(a, b, c, d, e, f)", "6 names for 5 columns"},
      {"select name from emp e where (select count(*) from pay group by e.id) > 1",
       "can stand in its WHERE only"},
      {"select name from emp e where exists (select 1 from (select id from pay where emp = e.id "
       "limit 1))",
       "'e.id' is a column of the SELECT around this subquery"},
      {"select (select name from emp x where x.dept = e.dept) from emp e",
       "up to 2 rows for one row around it"},
      {"with recursive t(n) as (select 1 union select n, n from t) select * from t",
       "the same number of columns"},
      {"select lag(id, 1) over (order by) from emp", "expected a value"},
      {"select day - timestamp '2020-01-01' as d, count(*) from pay group by 1",
       "    select day - "},
      {"select cast(id as time) from emp", "int64 is not cast to a time"},
      {"select time '25:00:00' from emp", "is not cast to a time"},
      {"select name from (select id from emp)", "there is no column 'name'"},
      {"with t as (select id + nam as x from emp) select x from t", "there is no column 'nam'"},
      {"select x from (values (1)) t(x), lateral (select id from emp where id > x limit 50%)",
       "LIMIT with % is not supported in a subquery with columns of the SELECT around it"},
      {"select x from (values (1)) t(x) where exists (select id from emp where id = x using sample "
       "1)",
       "USING SAMPLE is not supported in a subquery"},
      {"select x from (values (1)) t(x), lateral (select count(*) from emp where id = x group by "
       "rollup (dept))",
       "GROUPING SETS, ROLLUP or CUBE is not supported in a subquery"},
      {"select x from (values (1)) t(x) where exists (select id from emp where id = x group by "
       "cube "
       "(id))",
       "GROUPING SETS, ROLLUP or CUBE is not supported in a subquery"},
      {"select x, (select unnest([id]) from emp where id = x limit 1) from (values (1)) t(x)",
       "unnest() is not supported in a subquery"},
      {"select x, (select max(b) from (values (1)) l(a) asof join (values (0)) r(b) on a >= b "
       "where "
       "a = x) from (values (1)) t(x)",
       "ASOF JOIN is not supported in a subquery"},
      {"select x from (values (1)) t(x), lateral (select distinct on (dept) id from emp where id > "
       "x order by dept, id limit 1)",
       "QUALIFY or DISTINCT ON with LIMIT is not supported in a subquery"},
      {"select x, (select id from emp where id > x order by count(*) over () limit 1) from (values "
       "(1)) t(x)",
       "ORDER BY a window function with LIMIT or DISTINCT ON is not supported"},
      {"select x, (select count(*) + count(*) over () from emp where id > x) from (values (1)) "
       "t(x)",
       "a window function beside aggregates is not supported"},
      {"select x, (select sum(count(*)) over () from emp where id > x) from (values (1)) t(x)",
       "a window function over aggregates without GROUP BY is not supported"},
      {"select x, (select count(*) from emp where id > x offset 1) from (values (1)) t(x)",
       "LIMIT 0 or OFFSET of aggregates is not supported"},
      {"select x, (select id + count(*) from emp where id = x) from (values (1)) t(x)",
       "the column 'id' has many values in a group"},
      {"select dept, (select count(*) from pay where emp = id) from emp group by dept",
       "names a column of the SELECT around it that is no key of its groups"},
      {"select id, (select count(*) from pay where emp = id) from emp group by rollup (id)",
       "is not supported beside GROUPING SETS, ROLLUP and CUBE"},
      {"select * from unnest('abc')", "unnest() in FROM takes a list such as [1, 2]"},
  };
  for (const Case& each : kMistakes) {
    const auto rows = answer(each.statement);
    ASSERT_FALSE(rows.ok()) << each.statement;
    EXPECT_NE(rows.error().message().find(each.rows), std::string::npos) << each.statement << "\n"
                                                                         << rows.error().message();
  }
}

TEST_F(StatementTest, CanBeCancelled) {
  std::atomic<bool> cancelled = true;
  QueryOptions options;
  options.cancelled = &cancelled;
  const auto rows = answer("select sum(n) over () from (select count(*) as n from emp)", options);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace presso
