# SPDX-License-Identifier: MIT
"""Plain contents for the golden tests: the same on every machine and version of Python."""


class Random:
    """A 64-bit linear congruential generator; only its upper bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % limit


LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR")
PLACES = ("server", "storage", "network", "scheduler", "index")
EVENTS = ("request done", "connection closed by peer", "retry", "cache miss for key", "flushed")


def log_lines(size, seed=1):
    """`size` bytes of lines that look like a server's log."""
    dice = Random(seed)
    text = ""
    second = 0
    while len(text) < size:
        second += dice.below(3)
        clock = f"{9 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        level, place = LEVELS[dice.below(6)], PLACES[dice.below(5)]
        event, number = EVENTS[dice.below(5)], dice.below(100000)
        text += f"2026-11-21 {clock} {level} {place}: {event} id={number} ms={dice.below(900)}\n"
    return text.encode()[:size]


def noise(size, seed=2):
    dice = Random(seed)
    return bytes(dice.below(256) for _ in range(size))


def runs(size, seed=3):
    """Repetitions of short patterns, short and long."""
    dice = Random(seed)
    data = b""
    while len(data) < size:
        pattern = noise(1 + dice.below(40), seed=dice.below(1 << 30))
        length = 20000 if dice.below(6) == 0 else 1 + dice.below(400)
        data += (pattern * (length // len(pattern) + 1))[:length]
    return data[:size]
