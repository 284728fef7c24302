# SPDX-License-Identifier: BSD-2-Clause
"""Frames whose story is known: a text trace of a compositor with two clients, on a ring that takes one job at a time, and a screen
with a vblank each 10 ms. Each frame is written down as what happens, with what must be said of it."""

MS, US = 1_000_000, 1_000
PERIOD = 10 * MS
IRQ = 25 * US  # from a vblank to its event
GAME, VIDEO, COMPOSITOR, HOG, WORKER = 100, 200, 300, 400, 77
NAMES = {GAME: "game", VIDEO: "video", COMPOSITOR: "compositor", HOG: "hog", WORKER: "kworker/u8:1"}
CONTEXT = {GAME: 11, VIDEO: 21, COMPOSITOR: 31, HOG: 41}
DEVICE, RING, FILE = "0000:03:00.0", "gfx", "00000000deadbeef"


class Scene:
    """Times are ns; vblank n is at n periods."""

    def __init__(self):
        self.lines = []  # (ns, order, text)
        self.seqno = dict.fromkeys(CONTEXT, 0)
        self.vblank = 100  # the next frame could be shown at
        self.truth = []  # of each frame: what must be said

    def event(self, ts, tid, text, cpu=0):
        self.lines.append((ts, len(self.lines), f"{NAMES.get(tid, '<idle>'):>16}-{tid:<5} ({tid:7}) [{cpu:03}] ..... {ts // 10**9}.{ts % 10**9:09}: {text}"))

    def job(self, pid, queue, run, done, waits_for=()):
        """Of one process; waits_for: jobs whose fence its thread adds as a dependency."""
        self.seqno[pid] += 1
        fence = f"{CONTEXT[pid]}:{self.seqno[pid]}"
        what = f"dev={DEVICE}, fence={fence}, ring={RING}, job count:0, hw job count:0, client_id:{pid}"
        self.event(queue, pid, f"drm_sched_job_queue: {what}")
        for other in waits_for:  # sched_entity.c, drm_sched_entity_push_job
            self.event(queue + US, pid, f"drm_sched_job_add_dep: fence={fence}, depends on fence={other}")
        self.event(run, WORKER, f"drm_sched_job_run: {what}")
        self.event(done, 0, f"drm_sched_job_done: fence={fence} signaled")
        return fence

    def wait(self, tid, fence, begin, end):
        context, seqno = fence.split(":")
        what = f"driver=drm_sched timeline=gfx context={context} seqno={seqno}"
        self.event(begin, tid, f"dma_fence_wait_start: {what}", 1)
        self.event(end, tid, f"dma_fence_wait_end: {what}", 1)

    def shown(self, at):
        """The flip of vblank `at`."""
        ts = at * PERIOD
        self.event(ts + IRQ - 5 * US, 0, f"drm_vblank_event_delivered: file={FILE}, crtc=0, seq={at}")
        self.event(ts + IRQ, 0, f"drm_vblank_event: crtc=0, seq={at}, time={ts}, high-prec=true")
        self.vblank = at + 1
        return ts + IRQ

    def frame(self, game=(1000, 0, 2000), video=(1500, 0, 1000), compose=(5000, 0, 1000), hog=None, miss=0, fence_wait=False, kernel_waits=True,
              **want):
        """
        (submitted, ready to run after that for so long and not run, executes), us from the vblank before its own. hog: (submitted, executes).
        miss: vblanks that pass before it is shown.
        """
        origin = (self.vblank - 1) * PERIOD
        free = origin  # the ring
        fences, begin = [], None
        if hog:
            run = max(free, origin + hog[0] * US) + 10 * US
            free = run + hog[1] * US
            self.job(HOG, origin + hog[0] * US, run, free)
        for pid, spec in ((GAME, game), (VIDEO, video)):
            if not spec:
                continue
            queue = origin + spec[0] * US
            run = max(free, queue) + 10 * US + spec[1] * US
            free = run + spec[2] * US
            fences.append(self.job(pid, queue, run, free))
            begin = min(begin or queue, queue)
        queue = origin + compose[0] * US
        if fence_wait:  # its thread waits for the clients itself, and submits then
            for fence in fences:
                self.wait(COMPOSITOR, fence, queue, free + 20 * US)
            queue = free + 30 * US
        begin = min(begin or queue, queue)
        run = max(free, queue) + 10 * US + compose[1] * US
        done = run + compose[2] * US
        last = self.job(COMPOSITOR, queue, run, done, () if fence_wait else fences)
        if kernel_waits:
            self.wait(WORKER, last, queue + 50 * US, done + 10 * US)
        before = self.truth[-1]["shown_ns"] if self.truth else None
        shown = self.shown(self.vblank + miss)
        context, seqno = last.split(":")
        truth = {"shown_ns": shown, "begin_ns": begin, "done_ns": done, "context": int(context), "seqno": int(seqno), "missed": miss,
                 "jobs": len(fences) + 1, "clients": len(fences), "comm": "compositor", "crtc": 0, "verdict": "on-time",
                 "link": "fence" if kernel_waits else "last"}
        if before:
            truth["before_ns"] = before
        truth.update(want)
        self.truth.append(truth)
        return done

    def pause(self, vblanks):
        self.vblank += vblanks

    def text(self):
        head = "# tracer: nop\n#\n#           TASK-PID      TGID    CPU#  |||||  TIMESTAMP  FUNCTION\n"
        return head + "".join(line + "\n" for _, _, line in sorted(self.lines))


def story():
    """One of each kind, with frames in time between."""
    s = Scene()
    s.frame(verdict="first")
    for _ in range(4):
        s.frame()
    # Another process has the ring for 9 ms: client and compositor wait for it.
    s.frame(hog=(500, 9000), miss=1, verdict="missed", reason="other-job", reason_comm="hog")
    for _ in range(2):
        s.frame()
    # The client's own job takes 8 ms in place of 2.
    s.frame(game=(1000, 0, 8000), miss=1, verdict="missed", reason="execution", reason_comm="game")
    s.frame()
    # The compositor's job takes 15 ms: it costs two vblanks.
    s.frame(compose=(5000, 0, 16000), miss=2, verdict="missed", reason="execution", reason_comm="compositor")
    s.frame()
    # The client submits 7.5 ms late, while the compositor waits for its fence.
    s.frame(game=(8500, 0, 2000), video=None, fence_wait=True, miss=1, verdict="missed", reason="submitter", reason_comm="game")
    for _ in range(2):
        s.frame(fence_wait=True)
    # The ring is free, and the scheduler does not run the compositor's job for 7 ms.
    s.frame(compose=(5000, 7000, 1000), miss=1, verdict="missed", reason="scheduler", reason_comm="compositor")
    s.frame()
    # Ready 4 ms before its vblank, shown at the next one.
    s.frame(miss=1, verdict="missed", reason="display")
    s.frame()
    # Nobody submits anything until 2 ms after the vblank that it should have been.
    s.frame(game=(12000, 0, 2000), video=None, compose=(15000, 0, 1000), miss=1, verdict="late-start", reason="submitter", reason_comm="game",
            reason_ns=12 * MS - IRQ)
    s.frame()
    s.pause(60)
    s.frame(verdict="resumed")
    s.frame()
    return s
