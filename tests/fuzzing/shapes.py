"""Changes of a file that keep its shape: parts of archives are changed inside and packed again, values of JSON by their place.

What changes bytes wherever they lie is in `mutations`; most such changes end at the first check of a reader. These get past it.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

from mutations import WORDS, digits_changed, mutated

NUMBERS = (
    "0", "-0", "1", "-1", "2", "0.5", "1e-310", "-1e-310", "5e-324", "1e308", "-1e308", "1.8e308", "1e400", "-inf", "inf", "nan",
    "NaN", "1_0", "0x10", "²", "٣", "1,5", "+", "-", ".", "", "9" * 400, "1" + "0" * 30, "4294967296", "-9223372036854775809",
)  # fmt: skip
CELLS = (
    *NUMBERS, "target", "nontarget", "TARGET", "f", "x" * 5000, '"', '""', '"a', 'a"b', "'=1+1", "=1+1", "\t", "  ",
    "a b", "|", "cat a|",
    "../../x", "/dev/zero", "\ufeff", "\u2028", "\x85", "\x0b", "\x1b[31m", "\ud7ff", "é", "e\u0301", "null", "None",
    "-999", ",", ";",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 0.5, -0.5, 1e308, -1e308, 5e-324, 10**400, 2**63, -(2**63) - 1, "", "x",
    "x" * 10_000, "²", "\x1b[2J",
    "\ud800", "<script>", "{{7*7}}", "%s", [], {}, [[]], [None], [1, "a"], {"a": 1}, {"": {}}, [[[[]]]], "1e999",
    "eer", "assessment",
)  # fmt: skip
MOST_JSON = 200_000  # characters of a changed text: nesting that doubles each time would fill the disk


def changed(name: str, content: bytes, draw: random.Random) -> bytes:
    """The content of a file of this name after one change, or several: most keep its shape, some do not."""
    shape = shape_of(name, content)
    if draw.random() < (0.25 if shape is not _text else 0.4):
        return bytes_changed(content, draw)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        try:
            content = shape(content, draw)
        except Exception:  # a parent that is broken itself, in whatever way
            return bytes_changed(content, draw)
    return content


def shape_of(name: str, content: bytes) -> Callable[[bytes, random.Random], bytes]:
    """What changes files like this one."""
    if content.startswith(b"PK\x03\x04"):
        return _zip
    if content.startswith(b"\x1f\x8b"):
        return _gzip
    if name.endswith(".safetensors") and len(content) > 8:
        return _tensors
    if name.endswith(".json"):
        return _json
    if content.startswith(b"RIFF"):
        return _chunks
    if content.startswith(b"PAR1"):
        return _footer
    if b"\0" in content or not _is_text(content):
        return bytes_changed
    return _text


def bytes_changed(content: bytes, draw: random.Random) -> bytes:
    """A change that knows nothing of the format."""
    return (digits_changed if draw.random() < 0.3 else mutated)(content, draw.getrandbits(48))


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


# --- text -----------------------------------------------------------------------------------------------------------


def _text(content: bytes, draw: random.Random) -> bytes:
    """Lines lost, doubled, moved, emptied; cells replaced; ends of lines, signs before and after, another encoding."""
    lines = content.split(b"\n")
    at, kind = draw.randrange(len(lines)), draw.randrange(12)
    if kind < 6:
        lines[at] = _cell(lines[at], draw)
    elif kind == 6:
        del lines[at]
    elif kind == 7:
        lines.insert(at, draw.choice((b"", b" ", b"\t\t", b",,,", lines[draw.randrange(len(lines))])))
    elif kind == 8:
        other = draw.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 9:
        lines = lines * draw.choice((2, 30))
    elif kind == 10:
        return _encoded(content, draw)
    else:
        ending = draw.choice((b"\r\n", b"\r", b"\n\r", b"\n\n", b" \n", b"\x85", b"\x0c"))
        return ending.join(lines)
    return b"\n".join(lines)[:4_000_000]


def _cell(line: bytes, draw: random.Random) -> bytes:
    parts = re.split(rb"([ \t,;]+)", line)
    at = draw.randrange(len(parts))
    word = draw.choice((*CELLS, *WORDS, *(p.decode(errors="replace") for p in parts)))
    if draw.random() < 0.15:
        del parts[at]
    elif draw.random() < 0.15:
        parts[at] = f'"{word}"'.encode(errors="replace")
    else:
        parts[at] = word.encode(errors="surrogatepass")
    return b"".join(parts)


def _encoded(content: bytes, draw: random.Random) -> bytes:
    text = content.decode(errors="replace")
    kind = draw.randrange(6)
    if kind == 0:
        return b"\xef\xbb\xbf" * draw.choice((1, 2)) + content
    if kind == 1:
        return text.encode(draw.choice(("utf-16", "utf-16-le", "utf-32")))
    if kind == 2:
        return gzip.compress(content, mtime=0, compresslevel=1)
    if kind == 3:
        return text.replace("a", draw.choice(("ä", "\u00e9", "\u4e00"))).encode("gb18030")
    if kind == 4:
        return content.rstrip(b"\n")
    return content + draw.choice((b"\0", b"\x1a", b"\n\n\n", b"#", b'"', b"\xff"))


# --- JSON and safetensors -------------------------------------------------------------------------------------------


def _json(content: bytes, draw: random.Random) -> bytes:
    data = node_changed(json.loads(content), draw)
    text = json.dumps(data, ensure_ascii=draw.random() < 0.5, indent=draw.choice((None, 2)))
    return text[:MOST_JSON].encode(errors="surrogatepass")


def node_changed(data: Any, draw: random.Random) -> Any:
    """One value somewhere in a tree replaced, removed, doubled, renamed or wrapped."""
    places = list(_places(data))
    if not places:
        return draw.choice(VALUES)
    # Numbers of curves outnumber everything else: take a random depth first, so that all levels have their turn.
    depth = draw.choice(sorted({len(place) for place in places}))
    place = draw.choice([p for p in places if len(p) == depth])
    holder = data
    for step in place[:-1]:
        holder = holder[step]
    last, kind = place[-1], draw.randrange(8)
    if kind < 4:
        holder[last] = draw.choice(VALUES)
    elif kind == 4:
        del holder[last]
    elif kind == 5 and isinstance(holder, dict):
        holder[draw.choice((f"{last}x", "", "²", "kind", "schema", "name", "\ud800"))] = holder.pop(last)
    elif kind == 5:
        holder[last:last] = [holder[last]] * draw.choice((1, 50))
    elif kind == 6:
        other = draw.choice(places)
        found = data
        for step in other:
            found = found[step]
        holder[last] = json.loads(json.dumps(found))
    else:
        holder[last] = draw.choice(([holder[last]], {"a": holder[last]}, [holder[last]] * 3, _deep(holder[last], draw)))
    return data


def _deep(value: Any, draw: random.Random) -> Any:
    for _ in range(draw.choice((5, 60, 400))):
        value = [value]
    return value


def _places(data: Any, here: tuple[Any, ...] = ()) -> Any:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield (*here, key)
        if len(here) < 60:
            yield from _places(value, (*here, key))


def _tensors(content: bytes, draw: random.Random) -> bytes:
    length = int.from_bytes(content[:8], "little")
    head, body = content[8 : 8 + length], content[8 + length :]
    kind = draw.randrange(4)
    if kind == 0:
        head = bytes_changed(head, draw)
    elif kind == 1:
        body = bytes_changed(body, draw)
    else:
        header = json.loads(head)
        about = header.get("__metadata__", {})
        inner = next((name for name in about if str(about[name]).startswith(("{", "["))), None)
        if kind == 2 and inner is not None:
            about[inner] = json.dumps(node_changed(json.loads(about[inner]), draw))
        else:
            header = node_changed(header, draw)
        head = json.dumps(header).encode()[:MOST_JSON]
    return len(head).to_bytes(8, "little") + head + body


# --- archives -------------------------------------------------------------------------------------------------------


def _zip(content: bytes, draw: random.Random) -> bytes:
    """A member changed, renamed, doubled, lost, packed, locked, or one that unpacks to much more than it is."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    at, kind = draw.randrange(len(members)), draw.randrange(10)
    name, data = members[at]
    packing = zipfile.ZIP_STORED
    if kind < 4:
        members[at] = name, _member(data, draw)
    elif kind == 4:
        renamed = draw.choice(
            ("x.npy", "../x.npy", "scores.npy", "label.npy", "speakers.npy", "sex.npy", name[:-4], "²" + name)
        )
        members[at] = renamed, data
    elif kind == 5:
        members.append(members[draw.randrange(len(members))])
    elif kind == 6:
        del members[at]
    elif kind == 7:
        packing = zipfile.ZIP_DEFLATED
        members[at] = name, data + bytes(draw.choice((1000, 20_000_000)))
    elif kind == 8:
        packing = draw.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing, compresslevel=1) as archive:
        for member, inside in members:
            info = zipfile.ZipInfo(member)
            info.compress_type = packing
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of names that stand twice
                archive.writestr(info, inside, compresslevel=1)
    packed = out.getvalue()
    if kind == 9:  # says that it needs a password
        return packed.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
    return packed


_HEADER = re.compile(rb"\{'descr': (.+?), 'fortran_order': (True|False), 'shape': \((.*?)\), \}")
_DESCR = (
    "<f8",
    "<f4",
    "<f2",
    ">f8",
    "|b1",
    "|i1",
    "<i8",
    "<u8",
    "<U1",
    "<U5",
    "|S3",
    "|S0",
    "<U0",
    "|O",
    "<c16",
    "<M8[s]",
    "<m8",
    "|V8",
)


def _member(data: bytes, draw: random.Random) -> bytes:
    """An array with another type or shape in its header, or bytes changed."""
    found = _HEADER.search(data[:1000])
    if found is None or draw.random() < 0.4:
        return bytes_changed(data, draw)
    descr, order, shape = found[1].decode(), found[2].decode(), found[3].decode()
    kind = draw.randrange(4)
    if kind == 0:
        descr = repr(draw.choice(_DESCR))
    elif kind == 1:
        shape = draw.choice(
            (
                "",
                "0,",
                "1,",
                "12, 1",
                "1, 12",
                "0, 5",
                "5, 0",
                "8589934592,",
                "-1,",
                "2, 2, 3",
                "1" + ", 1" * 40,
                "True,",
            )
        )
    elif kind == 2:
        order = "True" if order == "False" else "False"
    else:
        descr = draw.choice(
            ("[('a', '<f8')]", "[('a', '<f4'), ('b', '<U1')]", "('<f8', (2,))", "'f8,f8'", "'<f99'", "1", "[]")
        )
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': ({shape}), }}".ljust(117).encode() + b"\n"
    return (
        b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + data[found.end() :].lstrip(b" ").lstrip(b"\n")
    )


def _gzip(content: bytes, draw: random.Random) -> bytes:
    plain = gzip.decompress(content)
    kind = draw.randrange(6)
    if kind < 3:
        return gzip.compress(changed("x", plain, draw), mtime=0, compresslevel=1)
    if kind == 3:
        return content + draw.choice((content, b"\0\0\0", b"more", content[: len(content) // 2]))
    if kind == 4:
        return gzip.compress(
            plain + draw.choice((b"\0", b" ", b"\n", b"a 1\n")) * draw.choice((1000, 3_000_000)), mtime=0
        )
    return gzip.compress(content, mtime=0, compresslevel=1)  # twice


# --- sound and parquet ----------------------------------------------------------------------------------------------


def _chunks(content: bytes, draw: random.Random) -> bytes:
    """A field of the format of a WAV file, a size of a chunk, or a chunk put in."""
    data, kind = bytearray(content), draw.randrange(4)
    if kind == 0:
        at, width = draw.choice(((20, 2), (22, 2), (24, 4), (28, 4), (32, 2), (34, 2), (16, 4), (4, 4), (40, 4)))
        size = draw.choice((0, 1, 2, 3, 4, 7, 8, 16, 24, 32, 64, 255, 0xFFFE, 0xFFFF, 8000, 16000, 2**31, 2**32 - 1))
        data[at : at + width] = (size % 2 ** (8 * width)).to_bytes(width, "little")
    elif kind == 1:
        data[12:12] = (
            draw.choice((b"LIST", b"fact", b"data", b"fmt ", b"JUNK", b"\0\0\0\0"))
            + draw.choice((0, 1, 4, 2**31)).to_bytes(4, "little")
            + bytes(draw.choice((0, 1, 4)))
        )
    elif kind == 2:
        del data[draw.randrange(len(data)) :]
    else:
        return bytes_changed(content[:60], draw) + content[60:]
    return bytes(data)


def _footer(content: bytes, draw: random.Random) -> bytes:
    """The description at the end of a parquet file."""
    size = min(int.from_bytes(content[-8:-4], "little"), len(content) - 8)
    body, footer = content[: -8 - size], content[-8 - size : -8]
    footer = bytes_changed(footer, draw) if draw.random() < 0.7 else bytes_changed(bytes_changed(footer, draw), draw)
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"
