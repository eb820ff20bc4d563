# SPDX-License-Identifier: MIT
"""Bad Bit blocks (FORMAT.md 13): headers, heads, sub-streams, and what sequences may not say."""

import builder
from builder import BitStreams, Seq
from decode import Code

TAIL = b"the tail of a block, which is long enough that its payload is smaller than it"
SEQUENCES = [Seq(b"abcdefgh", 200, 8), Seq(b"xy", 24, 9), Seq(b"", 30, 8), Seq(b"z", 90, 8)]
PLAIN = builder.execute(SEQUENCES, TAIL)


def streams(sequences=SEQUENCES, tail=TAIL, lanes_log2=1):
    return BitStreams(sequences, tail, lanes_log2=lanes_log2)


def header_cases():
    """Name, code, block."""
    bad, size = Code.BAD_HEADER, Code.BAD_PAYLOAD_SIZE
    rows = {
        "layout": (bad, dict(layout=2)),
        "min-match-2": (bad, dict(min_match=2)),
        "rule-5": (bad, dict(rule=5)),
        "group-of-16": (bad, dict(group_log2=4)),
        "literals-above-plain": (bad, dict(literals=len(PLAIN) + 1)),
        "sequences-above-plain": (bad, dict(sequences=len(PLAIN) + 1)),
        "sequences-above-a-third": (bad, dict(sequences=(len(PLAIN) + 2) // 3 + 1)),
        "literal-limit-0": (bad, dict(literal_limit=0)),
        "literal-limit-13": (bad, dict(literal_limit=13)),
        "sequence-limit-0": (bad, dict(sequence_limit=0)),
        "sequence-limit-10": (bad, dict(sequence_limit=10)),
        "command-limit-0": (bad, dict(command_limit=0)),
        "command-limit-11": (bad, dict(command_limit=11)),
        "size-bits-25": (bad, dict(size_bits=25)),
        "lanes-2048": (bad, dict(lanes_log2=11)),
        "head-above-payload": (bad, dict(head_bytes=1 << 20)),
        "reserved-bits": (bad, dict(reserved_bits=1)),
        "reserved-bytes": (bad, dict(reserved=1 << 16)),
        "lanes-with-counts": (bad, dict(count_bits=1)),
        "payload-above-plain": (bad, dict(payload_bytes=len(PLAIN) + 1)),
        "head-without-room-for-sizes": (size, dict(head_bytes=1)),
        "sub-streams-behind-the-payload": (size, dict(least_bits=4000)),
        "sub-streams-of-4-mib": (size, dict(least_bits=(1 << 24) - 1)),
        "sub-streams-too-short": (size, dict(least_bits=1)),
        "literal-limit-too-small": (Code.BAD_TREE, dict(literal_limit=3)),
        "command-limit-too-small": (Code.BAD_TREE, dict(command_limit=1)),
        "sequence-limit-too-small": (Code.BAD_TREE, dict(sequence_limit=1)),
    }
    for name, (code, fields) in rows.items():
        yield name, code, builder.bit_block(streams(), PLAIN, **fields)


def head_cases():
    """Name, block: all kBadTree."""

    def with_items(change, list_lengths=None):
        made = streams()
        made.list_items = builder.list_items(sum(made.lengths, []))
        change(made.list_items)
        made.list_lengths = list_lengths
        return builder.bit_block(made, PLAIN)

    def with_lengths(alphabet, change):
        """Words as they were, but other lengths in the list."""
        made = streams()
        lengths = [list(row) for row in made.lengths]
        change(lengths[alphabet])
        made.list_items = builder.list_items(sum(lengths, []))
        return builder.bit_block(made, PLAIN)

    names = ("literals", "commands", "literal-lengths", "match-lengths", "offsets")
    for alphabet, name in enumerate(names):

        def subscribe(lengths, by):
            used = [symbol for symbol, length in enumerate(lengths) if length > 1]
            if used:
                lengths[used[-1]] += by
            else:  # two words of one bit each
                lengths[max(i for i, length in enumerate(lengths) if length)] = 2 if by > 0 else 0
                if by < 0:
                    lengths[-1] = lengths[-2] = lengths[-3] = 1

        yield f"{name}-under-subscribed", with_lengths(alphabet, lambda row: subscribe(row, 1))
        yield f"{name}-over-subscribed", with_lengths(alphabet, lambda row: subscribe(row, -1))

        def nothing(lengths):
            lengths[:] = [0] * len(lengths)

        yield f"{name}-missing", with_lengths(alphabet, nothing)

    def longer_run(items):
        assert items[-1][0] == 15 and items[-1][1] < 127
        items[-1] = (15, items[-1][1] + 1)

    def single(lengths):
        lengths[:] = [0] * len(lengths)
        lengths[97] = 2

    yield "single-symbol-of-length-2", with_lengths(0, single)
    yield "list-repeats-nothing", with_items(lambda items: items.insert(0, (13, 0)))
    yield "list-too-long", with_items(lambda items: items.append((15, 127)))
    yield "list-run-beyond-its-end", with_items(longer_run)
    # Whatever stands behind the list ends in the next byte but one.
    yield "list-too-short", with_items(lambda items: items.__delitem__(slice(2, 12)))
    under, over = [0] * 16, [0] * 16
    for symbol in (0, 3, 4, 5, 13, 14, 15):
        under[symbol], over[symbol] = 4, 2
    for symbol in (1, 2):
        under[symbol] = over[symbol] = 4
    yield "list-code-under-subscribed", with_items(lambda items: None, under)
    yield "list-code-over-subscribed", with_items(lambda items: None, over)
    made = streams()
    made.list_items = []
    made.list_lengths = [0] * 16
    yield "list-code-without-symbols", builder.bit_block(made, PLAIN)
    made = streams()
    made.after_head = b"\0"
    yield "head-with-a-byte-too-many", builder.bit_block(made, PLAIN)
    made = streams()
    head_bits_used = head_size(made)
    assert head_bits_used % 8 != 0
    payload = bytearray(made.payload())
    payload[head_bits_used // 8] |= 0x80
    yield "head-not-zero-behind-the-list", with_payload(made, bytes(payload))


def head_size(made):
    writer = builder.BitWriter()
    made.payload()
    writer.put(0, made.size_bits << made.lanes_log2)
    made.put_list(writer)
    return writer.size


def with_payload(made, payload):
    """The block of `made`, but with this payload."""
    made.payload = lambda: payload
    return builder.bit_block(made, PLAIN)


def lane_cases():
    """Name, block: all kBadBits."""
    first, second = (lane.size for lane in streams().lanes())
    total = (first + second + 7) // 8

    def sized(sizes):
        made = streams()
        made.sizes = sizes
        return builder.bit_block(made, PLAIN)

    assert (first + second) % 8 not in (0, 7)
    yield "lane-ends-early", sized([first + 1, second - 1])
    yield "lane-ends-late", sized([first - 1, second + 1])
    yield "last-lane-ends-early", sized([first, second + 1])
    yield "last-lane-ends-late", sized([first, second - 1])
    made = streams()
    payload = bytearray(made.payload())
    payload[-1] |= 0x80
    yield "bits-behind-the-last-lane", with_payload(made, bytes(payload))
    made = streams()
    payload = made.payload()
    # One bit for all that follows is one bit, whatever comes: the last lane runs over the payload.
    block = builder.bit_block(streams(), PLAIN, literals=len(made.literals) + 64)
    yield "more-literals-than-bits", block
    yield "fewer-literals-than-bits", builder.bit_block(
        streams(), PLAIN, literals=len(made.literals) - 3
    )
    yield "more-sequences-than-bits", builder.bit_block(streams(), PLAIN, sequences=40)
    assert total + len(made.head) == len(payload)


def sequence_cases():
    """Name, code, block: each fault in the second sequence."""

    def fault(sequences, code, room=0, change=None, **fields):
        made = streams(SEQUENCES[:1] + sequences, lanes_log2=0)
        if change is not None:
            values = [list(row) for row in made.values]
            change(values)
            made = streams(SEQUENCES[:1] + sequences, lanes_log2=0)
            made.values = [tuple(row) for row in values]
            made.lengths[1:] = [
                builder.even_lengths(symbols, size)
                for symbols, size in zip(builder.used_symbols(made.values), builder.ALPHABETS[1:])
            ]
        size = sum(len(s.literals) + s.match for s in SEQUENCES[:1] + sequences) + len(TAIL)
        return code, builder.bit_block(made, bytes(size + room), **fields)

    sound = [Seq(b"abcd", 8, 4)]
    offset, length = Code.BAD_OFFSET, Code.BAD_LENGTH

    def match_without_distance(values):
        values[1][1] = 3

    def literals(count):
        def change(values):
            values[1][0] = count

        return change

    def match(value):
        def change(values):
            values[1][1] = value

        return change

    def last_distance(values):  # of the list's beginning: 4 where three bytes are there
        values[0] = [0, 4, 3]

    yield "offset-0-with-match", *fault([Seq(b"abcd")], offset, change=match_without_distance)
    yield "offset-before-block", *fault([Seq(b"abcd", 8, 213)], offset)
    yield "offset-2-to-the-24", *fault([Seq(b"abcd", 8, (1 << 24) - 4)], offset)
    yield "repeated-offset-before-block", *fault(sound, offset, change=last_distance)
    yield "literals-overrun", *fault(sound, Code.BAD_LITERALS, change=literals(500))
    yield "literals-2-to-the-22", *fault(sound, Code.BAD_LITERALS, change=literals((1 << 22) - 1))
    yield "literals-above-block", *fault(sound, length, change=literals(80), room=-20)
    yield "match-above-block", *fault(sound, length, change=match(500))
    yield "match-2-to-the-22", *fault(sound, length, change=match((1 << 22) - 1))
    yield "block-too-short", *fault(sound, length, room=1)
    yield "tail-too-long", *fault(sound, length, room=-1)
    yield "wrong-content", *fault(sound, Code.CONTENT_CHECKSUM, checksum=1)
    yield "missing-dictionary", *fault(sound, Code.MISSING_DICTIONARY, dictionary_id=4)


def sub_block_cases():
    """Name, code, block."""
    bad, size = Code.BAD_HEADER, Code.BAD_PAYLOAD_SIZE
    tree, bits = Code.BAD_TREE, Code.BAD_BITS
    sequences = SEQUENCES + [Seq(b"0123", 40, 12)] * 6

    def made():
        return BitStreams(sequences, TAIL, lanes_log2=2, joint=True)

    plain = builder.execute(sequences, TAIL)

    def block(streams=None, **fields):
        return builder.bit_block(streams or made(), plain, **fields)

    yield "of-2-sequences", bad, block(lanes_log2=1)
    yield "of-512-sequences", bad, block(lanes_log2=9)
    yield "count-bits-23", bad, block(count_bits=23)
    yield "without-room-for-counts", size, block(head_bytes=3)
    yield "literals-above-the-counts", size, block(literals=len(made().literals) + 1)
    yield "literals-below-the-counts", size, block(literals=len(made().literals) - 1)

    def with_counts(change):
        streams = made()
        right = streams.sub_blocks

        def sub_blocks():
            writers = right()
            change(streams.counts)
            return writers

        streams.sub_blocks = sub_blocks
        return block(streams)

    def move(first, by):
        def change(counts):
            counts[first] += by
            counts[first + 1] -= by

        return change

    yield "with-a-literal-too-many", bits, with_counts(move(0, -1))
    yield "with-a-literal-too-few", bits, with_counts(move(0, 1))
    yield "with-a-match-in-the-tail", bits, with_counts(move(1, -3))

    yield "with-a-command-limit", bad, block(command_limit=5)
    for alphabet, name in ((1, "commands"), (2, "literal-lengths")):
        streams = made()
        streams.lengths[alphabet][:2] = [1, 1]
        items = builder.list_items(sum(streams.lengths, []))
        streams = made()
        streams.list_items = items
        yield f"with-{name}", tree, block(streams)
    first, second, third = (writer.size for writer in made().sub_blocks())
    for name, by in (("early", 1), ("late", -1)):
        streams = made()
        streams.sizes = [first + by, second - by, third]
        yield f"that-ends-{name}", bits, block(streams)


def rule_case():
    """A match of the second wave that reads another; sequential decoders deliver it."""
    sequences = [Seq(b"abcdefgh", 8, 8), Seq(b"x", 4, 5)]
    tail = b"a tail that keeps the payload below the plain size, whatever its codes take" * 3
    plain = builder.execute(sequences, tail)
    block = builder.bit_coded_block(sequences, tail, rule=builder.LITERAL_AWARE)
    return "bit-literal-aware-reads-a-match", block, plain


def cases():
    """Name, code, block."""
    for name, code, block in header_cases():
        yield f"bit-{name}", code, block
    for name, block in head_cases():
        yield f"bit-{name}", Code.BAD_TREE, block
    for name, block in lane_cases():
        yield f"bit-{name}", Code.BAD_BITS, block
    for name, code, block in sequence_cases():
        yield f"bit-{name}", code, block
    for name, code, block in sub_block_cases():
        yield f"bit-sub-block-{name}", code, block
