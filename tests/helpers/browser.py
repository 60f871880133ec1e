"""Chromium without a window, where it is installed, driven over its pipe."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: Seconds for an answer.
_PATIENCE = 60.0
#: The browser reads from 3 and writes to 4, whatever the numbers of the pipes here.
_CALL = """
import os, sys, fcntl
ends = [fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page: what it asked for, what it said, and what it computes."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="page", ignore_cleanup_errors=True)
        to_browser, self.out = os.pipe()
        self.back, from_browser = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
            f"--user-data-dir={self.folder.name}"]  # fmt: skip
        ends = to_browser, from_browser
        self.process = subprocess.Popen([sys.executable, "-c", _CALL, *map(str, ends),
            str(CHROMIUM), *options], pass_fds=ends, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.asked, self.rest, self.session = 0, b"", ""
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.out)
        self.process.terminate()
        self.process.wait()
        os.close(self.back)
        self.folder.cleanup()

    # -------------------------------------------------------------------------- messages
    def send(self, method, **params):
        """Call, and wait for the answer; events on the way are kept."""
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode("utf-8") + b"\0")
        while (found := self._receive()).get("id") != self.asked:
            self.events.append(found)
        assert "error" not in found, found["error"]
        return found["result"]

    def _receive(self):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.back], [], [], _PATIENCE)
            assert ready, "the browser does not answer"
            more = os.read(self.back, 1 << 20)
            assert more, "the browser has ended"
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    # ------------------------------------------------------------------------------ page
    def open(self, path):
        """Load a file, whole."""
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def look(self, width, scheme="light"):
        """Show the page so wide, to a user of a light or of a dark scheme."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900,
            deviceScaleFactor=1, mobile=False)  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features)

    def value(self, expression):
        """What an expression of JavaScript is on the page."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    @property
    def requests(self):
        """Addresses that were asked for."""
        return [event["params"]["request"]["url"] for event in self.events
            if event.get("method") == "Network.requestWillBeSent"]  # fmt: skip

    @property
    def said(self):
        """Messages of the console, and errors."""
        methods = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in methods]
