# SPDX-License-Identifier: MIT
"""Sections after the blocks read from the document alone: line facts (FORMAT.md 7.3), and filters (7.4),
which say which blocks may hold a string."""

import builder


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def bit(data, at):
    return data[at // 8] >> at % 8 & 1


class Group:
    def __init__(self, data, at, blocks):
        self.n, self.keep, rice = data[at], data[at + 1] + 1, data[at + 2]
        self.blocks, self.rows = blocks, u32(data, at + 4)
        count, common_bytes = u32(data, at + 8), u32(data, at + 12)
        self.common = set(self.cells(data[at + 16 : at + 16 + common_bytes], count, rice))
        bits_at = at + 16 + common_bytes
        self.end = bits_at + (self.rows * blocks + 7) // 8
        self.bits = data[bits_at : self.end]

    @staticmethod
    def cells(data, count, rice):
        at, due = 0, 0
        for _ in range(count):
            while bit(data, at):
                due += 1 << rice
                at += 1
            due += sum(bit(data, at + 1 + i) << i for i in range(rice))
            at += 1 + rice
            yield due
            due += 1

    def may_hold(self, text, block):
        for at in range(min(len(text) - self.n + 1, builder.FILTER_OVERLAP + 1)):
            cell = builder.filter_cell(text[at : at + self.n])
            kept = cell * 0x9E3779B1 % 2**32 >> 24 < self.keep and cell not in self.common
            if kept and not bit(self.bits, (cell * self.rows >> 18) * self.blocks + block):
                return False
        return True


class Filter:
    def __init__(self, payload):
        self.blocks = int.from_bytes(payload[:8], "little")
        self.group_blocks, overlap = u32(payload, 8), u32(payload, 12)
        assert overlap == builder.FILTER_OVERLAP
        at = 16
        self.groups = []
        for first in range(0, self.blocks, self.group_blocks):
            self.groups.append(Group(payload, at, min(self.group_blocks, self.blocks - first)))
            at = self.groups[-1].end
        assert at == len(payload)

    def may_hold(self, text):
        """Numbers of the blocks in which `text` may begin."""
        groups = range(self.blocks)
        return [
            block
            for block in groups
            if self.groups[block // self.group_blocks].may_hold(text, block % self.group_blocks)
        ]


def line_facts(payload):
    """Of each block: line feeds, whether it has a NUL byte and a mark, first and last line feed."""
    facts = []
    for at in range(0, len(payload), 12):
        count, flags = u32(payload, at) & 0xFFFFFF, payload[at + 3]
        facts.append((count, flags & 1, flags >> 1, u32(payload, at + 4), u32(payload, at + 8)))
    return facts


def section_of(data, kind):
    """The payload of the first section of this kind in a file's first member."""
    at = data.index(builder.SYNC + kind + bytes(4))
    size = int.from_bytes(data[at + 8 : at + 16], "little")
    return data[at + 32 : at + 32 + size]
