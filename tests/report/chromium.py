# SPDX-License-Identifier: BSD-2-Clause
"""Headless Chromium, driven over its DevTools protocol through a pipe: messages are JSON, each with a NUL behind it."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """Path of the program, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """One browser; a context manager."""

    def __init__(self, program, width=1440, height=1000):
        self.folder = tempfile.mkdtemp(prefix="xtr-chromium-")
        to_read, self.out = os.pipe()
        self.inward, to_write = os.pipe()

        def descriptors():  # 3: what it reads, 4: what it writes
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}", f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=descriptors, env={**os.environ, "HOME": self.folder})
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inward)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready = select.select([self.inward], [], [], max(0, deadline - time.monotonic()))[0]
            more = os.read(self.inward, 1 << 20) if ready else b""
            if not more:
                raise TimeoutError("Chromium does not answer" if not ready else "Chromium has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, timeout=120, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + timeout
        while True:
            got = self.receive(deadline)
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error'].get('message')}")
                return got["result"]
            self.events.append(got)

    def wait_for(self, method, session, timeout=120):
        deadline = time.monotonic() + timeout
        for i, event in enumerate(self.events):
            if event.get("method") == method and event.get("sessionId") == session:
                return self.events.pop(i)
        while True:
            got = self.receive(deadline)
            if got.get("method") == method and got.get("sessionId") == session:
                return got
            self.events.append(got)


class Page:
    """A tab that shows one file; notes what goes wrong in it and what it asks of the network."""

    def __init__(self, browser, path, scheme="light", width=1440, height=1000):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.scheme(scheme)
        browser.events.clear()
        self.url = "file://" + os.path.abspath(path)
        begin = time.monotonic()
        self.call("Page.navigate", url=self.url)
        browser.wait_for("Page.loadEventFired", self.session)
        self.evaluate("new Promise(requestAnimationFrame)")
        self.seconds = time.monotonic() - begin  # until the first frame after it was loaded

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def scheme(self, name, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": name}])

    def evaluate(self, expression):
        """The value of an expression, which JSON can hold."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            details = got["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return got["result"].get("value")

    def key(self, key, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text or key} if kind == "keyDown" and len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **more)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def faults(self):
        """Errors on the console, exceptions, requests for anything but the page itself."""
        self.evaluate("0")
        found = []
        for e in self.browser.events:
            if e.get("sessionId") != self.session:
                continue
            name, p = e["method"], e["params"]
            if name == "Runtime.exceptionThrown":
                found.append(p["exceptionDetails"].get("exception", {}).get("description", p["exceptionDetails"]["text"]))
            elif name == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append(f"console: {p['args']}")
            elif name == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(f"log: {p['entry']['text']}")
            elif name == "Network.requestWillBeSent" and p["request"]["url"] != self.url:
                found.append(f"asks for {p['request']['url']}")
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
