"""Files that are damaged or made up, for tests of readers: seeded mutations of a good file."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from stripeless.errors import MOST, StripelessError

SIZES = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**33, 2**36, 2**63 - 1, 2**64 - 1)
WORDS = ("²", "٣", "nan", "-1", "1e400", "9" * 20, "null", "{}", "[]", '""', "true", "[" * 2000, "\x1b[2J", "\0")


def mutated(content: bytes, seed: int) -> bytes:
    """The content with one to three changes: signs, sizes, words, pieces lost, moved or doubled, a cut."""
    draw, data = random.Random(seed), bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at = draw.randrange(len(data)) if data else 0
        length = draw.choice((1, 2, 4, 8, 16, 64))
        kind = draw.randrange(8)
        if kind == 0:
            data[at : at + 1] = bytes([draw.randrange(256)])
        elif kind == 1:
            data[at : at + 1] = bytes([data[at] ^ (1 << draw.randrange(8))]) if data else b""
        elif kind == 2:
            width = draw.choice((2, 4, 8))
            size = draw.choice(SIZES) & (2 ** (8 * width) - 1)
            data[at : at + width] = size.to_bytes(width, draw.choice(("little", "little", "big")))
        elif kind == 3:
            data[at : at + draw.choice((0, length))] = draw.choice(WORDS).encode()
        elif kind == 4:
            del data[at : at + length]
        elif kind == 5:
            data[at:at] = data[at : at + length] * draw.choice((1, 2, 50))
        elif kind == 6:
            there = draw.randrange(len(data)) if data else 0
            data[at : at + length] = data[there : there + length]
        else:
            del data[at:]
    return bytes(data)


def digits_changed(content: bytes, seed: int) -> bytes:
    """The content with another number in place of one that it spells out, as headers of JSON and NumPy do."""
    draw = random.Random(seed)
    digits = [at for at, byte in enumerate(content) if chr(byte).isdigit()]
    if not digits:
        return mutated(content, seed)
    at = draw.choice(digits)
    return content[:at] + draw.choice((*WORDS, *map(str, SIZES))).encode() + content[at + 1 :]


def complaints(read: Callable[[], object], tries: Iterable[tuple[Path, bytes]]) -> list[str]:
    """Write each try, read it, and say what came out other than a result or one printable sentence."""
    wrong = []
    for number, (path, content) in enumerate(tries):
        before = path.read_bytes() if path.exists() else b""
        path.write_bytes(content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read()
        except StripelessError as error:
            if not str(error).isprintable() or len(str(error)) > MOST:
                wrong.append(f"{number} {path.name}: {error!r}")
        except Exception as error:
            wrong.append(f"{number} {path.name}: {error!r}")
        path.write_bytes(before)
    return wrong
