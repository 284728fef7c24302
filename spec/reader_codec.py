# SPDX-License-Identifier: BSD-2-Clause
"""CRC, LZ4 and the row-delta filter (sections 1.1, 4.2 and 5.2 of xtr.md) for reader.py."""
import struct

from reader_cbor import Bad

# ---- 1.1 Conventions -----------------------------------------------------------------------------


def crc_tables():
    first = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        first.append(i)
    tables = [first]
    for _ in range(3):
        tables.append([first[x & 255] ^ x >> 8 for x in tables[-1]])
    return tables


T0, T1, T2, T3 = crc_tables()


def crc32c(data):
    crc, words = 0xFFFFFFFF, len(data) // 4
    for word in struct.unpack_from("<%dI" % words, data):
        crc ^= word
        crc = T3[crc & 255] ^ T2[crc >> 8 & 255] ^ T1[crc >> 16 & 255] ^ T0[crc >> 24]
    for byte in data[words * 4:]:
        crc = T0[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def varint(data, at, limit=1 << 64):
    """The varint at `at`, which must be below limit: (value, offset behind it)."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Bad("filter")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if value >= limit or (byte == 0 and shift > 7):
        raise Bad("filter")
    return value, at


def unzigzag(v):
    return v >> 1 ^ -(v & 1)


# ---- 4.2 Codec 1, LZ4 block ----------------------------------------------------------------------


def lz4(block, raw_len):
    out, at = bytearray(), 0
    if raw_len == 0 and block != b"\0":
        raise Bad("lz4")

    def more(length):
        nonlocal at
        if length == 15:
            byte = 255
            while byte == 255:
                byte = block[at]
                at += 1
                length += byte
        return length

    try:
        while True:
            token = block[at]
            at += 1
            literals = more(token >> 4)
            if literals > len(block) - at or literals > raw_len - len(out):
                raise Bad("lz4")
            out += block[at:at + literals]
            at += literals
            if at == len(block):
                break
            offset = block[at] | block[at + 1] << 8
            at += 2
            start, length = len(out), more(token & 15) + 4
            if (not 0 < offset <= start or start > raw_len - 12
                    or length > raw_len - 5 - start):
                raise Bad("lz4")
            if offset >= length:
                out += out[start - offset:start - offset + length]
            else:
                out += (bytes(out[start - offset:]) * (length // offset + 1))[:length]
    except IndexError:
        raise Bad("lz4") from None
    if len(out) != raw_len:
        raise Bad("lz4")
    return bytes(out)


# ---- 5.2 Filter 1, row-delta ---------------------------------------------------------------------


def read_layouts(data):
    count, at = varint(data, 0, 1025)
    layouts = []
    for _ in range(count):
        kind, at = varint(data, at, 1 << 16)
        size, at = varint(data, at, 65529)
        n_fields, at = varint(data, at, 65)
        widths = data[at:at + n_fields]
        at += n_fields
        if (len(widths) != n_fields or size % 8 or size < 16
                or any(w not in (1, 2, 4, 8) and w < 0x81 for w in widths)
                or sum(w & 127 for w in widths) != size - 16):
            raise Bad("filter")
        layouts.append([kind, size, widths, 0, [0 if w < 0x80 else bytes(w & 127) for w in widths]])
    return layouts, at


def read_value(data, at, width, old):
    """A changed field: (its new value, offset behind it)."""
    if width > 0x80:
        if len(data) - at < width & 127:
            raise Bad("filter")
        return data[at:at + (width & 127)], at + (width & 127)
    value, at = varint(data, at, 1 << 8 * width)
    return old + unzigzag(value) & (1 << 8 * width) - 1, at


def unfilter(data, n_records, rec_len):
    layouts, at = read_layouts(data)
    out, ts = bytearray(), 0
    for _ in range(n_records):
        head, at = varint(data, at)
        if head >> 1 >= len(layouts):
            raise Bad("filter")
        layout = layouts[head >> 1]
        kind, size, widths, tid, values = layout
        delta, at = varint(data, at)
        ts = ts + unzigzag(delta) & (1 << 64) - 1
        if head & 1:
            delta, at = varint(data, at, 1 << 32)
            tid = layout[3] = tid + unzigzag(delta) & 0xFFFFFFFF
        if widths:
            mask, at = varint(data, at, 1 << len(widths))
            for i in range(mask.bit_length()):
                if mask >> i & 1:
                    values[i], at = read_value(data, at, widths[i], values[i])
        out += struct.pack("<QHHI", ts, kind, size, tid)
        for width, value in zip(widths, values):
            out += value if width > 0x80 else value.to_bytes(width, "little")
        if len(out) > rec_len:
            raise Bad("filter")
    if at != len(data) or len(out) != rec_len:
        raise Bad("filter")
    return bytes(out)
