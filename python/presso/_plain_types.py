# SPDX-License-Identifier: MIT
"""Types of pyarrow that engines can filter, in place of views.

pyarrow neither filters nor takes rows of views of strings and lists, and Spark does not know them.
What is read for an engine gets the types with offsets instead. Tested by
python/tests/test_nested.py.
"""

from __future__ import annotations

from typing import Any

import pyarrow


def plain_schema(schema: pyarrow.Schema, codes: bool = True) -> pyarrow.Schema:
    """The schema without views and, unless `codes`, without dictionaries."""
    fields = [one.with_type(_plain(one.type, codes)) for one in schema]
    return pyarrow.schema(fields, schema.metadata)


def plain_reader(stream: Any) -> pyarrow.RecordBatchReader:
    """Reads a stream without views."""
    reader = pyarrow.RecordBatchReader.from_stream(stream)
    schema = plain_schema(reader.schema)
    return reader if schema.equals(reader.schema) else reader.cast(schema)


def _plain(type_, codes):
    is_ = pyarrow.types
    if is_.is_string_view(type_):
        return pyarrow.large_string()
    if is_.is_binary_view(type_):
        return pyarrow.large_binary()
    if is_.is_dictionary(type_):
        inner = _plain(type_.value_type, codes)
        return pyarrow.dictionary(type_.index_type, inner, type_.ordered) if codes else inner
    if is_.is_struct(type_):
        return pyarrow.struct([_plain_field(one, codes) for one in type_])
    if is_.is_map(type_):
        key, item = _plain_field(type_.key_field, codes), _plain_field(type_.item_field, codes)
        return pyarrow.map_(key, item, type_.keys_sorted)
    if is_.is_fixed_size_list(type_):
        return pyarrow.list_(_plain_field(type_.value_field, codes), type_.list_size)
    if is_.is_large_list(type_) or is_.is_large_list_view(type_):
        return pyarrow.large_list(_plain_field(type_.value_field, codes))
    if is_.is_list(type_) or is_.is_list_view(type_):
        return pyarrow.list_(_plain_field(type_.value_field, codes))
    return type_


def _plain_field(field, codes):
    return field.with_type(_plain(field.type, codes))
