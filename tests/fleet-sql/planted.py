# SPDX-License-Identifier: BSD-2-Clause
"""Twelve machines in three hours: what is wrong with which of them."""

import functools
import random

from recordings import NS, Recording

GFX, SDMA = "gfx_0.0.0", "sdma0"
HOUR = 3600 * NS
MS = NS // 1000
JOBS = 60  # of each program and recording


def machine(host, hour, number, **options):
    """A piece of a machine's: three programs, `copy` waits for every tenth job of `train` (on n11 for each, which is a
    finding), and `infer` for some of `copy`."""
    rnd = random.Random(number)
    new = host >= 6  # the version of the driver
    labels = {"rack": f"r{host // 4}", "cluster": "c0"}
    r = Recording(f"n{host:02}", 0x1000 + number, hour * HOUR + (10 if new else 5) * NS, NS, kernel=f"6.{15 + hour}.0",
                  driver="6.12.1" if new else "6.10.5", labels=labels, **options)
    wait = 2000 + 50000 * (host // 4)
    for i in range(JOBS):
        at, jitter = r.begin + 1000 + i * 4 * MS, 1000 + 2 * host + rnd.randrange(10)
        train = r.job(GFX, "train", at, (1300 if new else 1000) * jitter + i, wait, dep=None,
                      error=-62 if host == 8 and i in (3, 9) else 0)
        took = 20 * MS + number * 1000 if (host, i) in ((7, 30), (7, 55), (1, 40)) else (1000 if host == 2 else 500) * jitter + i
        r.job(GFX, "infer", at + 100, took, wait)
        copy = r.job(SDMA, "copy", at + 200, 300 * jitter + i, wait, dep=train if i % 10 == 0 or host == 11 else None,
                     error=-125 if host == 9 and i == 20 else 0)
        if host == 10 and i in (5, 20, 25, 40):
            # Both of its rings at once; or queued long before `copy`, and handed over behind it.
            r.job(SDMA, "train", at + 150 if i in (5, 25) else at - MS // 2, 100 * jitter, wait)
        if i % 20 == 10:
            r.wait("infer", copy, at + 300)
    return r


@functools.lru_cache(None)
def planted():
    """Twelve machines in three hours. n03 has nothing of the second, n04 nothing of the third, n05's last one breaks off."""
    found = []
    for hour in (1, 2, 3):
        for host in range(12):
            if (host, hour) not in ((3, 2), (4, 3)):
                options = {"lost": {0: 3, 10: 50}.get(host, 0)} if hour == 2 else {"closed": host != 5} if hour == 3 else {}
                found.append(machine(host, hour, 16 * hour + host, **options))
    return found
