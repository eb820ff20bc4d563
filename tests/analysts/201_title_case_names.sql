-- asked: Names with capital initials
-- source: DuckDB docs, list_transform
-- order: none
SELECT id, array_to_string(list_transform(string_split(lower(trim(full_name)), ' '), lambda w: upper(w[1]) || w[2:]), ' ') AS name
FROM 'contacts.csv';
