"""A page in headless Chromium, driven through the DevTools protocol over a pipe.

No library: messages are JSON, each ends with a zero byte. The browser's clock is the real one, so that times measured in
the page are times.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def chromium():
    """The browser's path."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "chromium is not there: ./dev setup installs it"
    return found


class Page:
    """Opens `path`. `problems` holds what the page complained of: exceptions, console errors, refused requests."""

    def __init__(self, path, width=1500, height=1000, dark=False, timeout=60):
        self.deadline = time.monotonic() + timeout
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.problems, self.requests, self.number, self.buffer = [], [], 0, b""
        self._start(width, height)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if dark:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")

    def _start(self, width, height):
        self.session = None
        to_browser, self.out = os.pipe()
        self.back, from_browser = os.pipe()

        def descriptors():
            # The browser reads from 3 and writes to 4.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self.process = subprocess.Popen(
            [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             f"--user-data-dir={self.folder.name}", f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)

    def _message(self):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, self.deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser did not answer in time")
            data = os.read(self.back, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:2000])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(params["args"])[:2000])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") != self.number:
                self._note(answer)
                continue
            assert "error" not in answer, answer
            return answer["result"]

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait(self, expression):
        """Waits until the expression is true, and returns its value."""
        while True:
            value = self.evaluate(expression)
            if value:
                return value
            assert time.monotonic() < self.deadline, f"never true: {expression}"
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.mouse(kind, x, y, button="left", clickCount=1)

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.back)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()
