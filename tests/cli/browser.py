"""A browser without a window that tests tell what to do: Chromium of Debian, over the pipe of its
developer tools. One of them serves a whole file of tests.

    with Browser() as browser:
        page = browser.open("/tmp/page.html", width=1400, height=900)
        page.run("document.title"); page.key("Tab"); page.picture(); page.lines; page.requests
"""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = float(os.environ.get("TPQ_TEST_PATIENCE", 60))


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tpq-browser-")
        asks, self.ask = os.pipe()
        self.answer, answers = os.pipe()

        def pipes():  # the browser reads from 3 and writes to 4
            reading, writing = os.dup(asks), os.dup(answers)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--hide-scrollbars", f"--user-data-dir={self.folder}"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(asks)
        os.close(answers)
        self.rest, self.numbers, self.pages, self.closed = b"", itertools.count(1), {}, []
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)
        os.close(self.ask)
        os.close(self.answer)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.answer, 1 << 20)
            if not more:
                raise RuntimeError("the browser is gone")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **parameters):
        number = next(self.numbers)
        text = {"id": number, "method": method, "params": parameters}
        if session:
            text["sessionId"] = session
        data = json.dumps(text).encode() + b"\0"
        while data:
            data = data[os.write(self.ask, data):]
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            page = self.pages.get(message.get("sessionId"))
            if page:
                page.hear(message)

    def open(self, path, width=1400, height=900, dark=False, fragment="", wait=True):
        if self.closed:  # a tab with a process that runs already opens in half the time
            page = self.closed.pop()
            page.lines, page.requests = [], []
            page.call("Page.bringToFront")
        else:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            page = self.pages[session] = Page(self, session)
            for domain in ("Page", "Runtime", "Network", "Log"):
                page.call(domain + ".enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        page.call("Page.navigate", url="file://" + os.path.realpath(path) + fragment)
        if wait:
            page.until("document.readyState === 'complete'")
            page.until("typeof opened !== 'undefined' && Boolean(opened && opened.handle)")
        return page


class Page:
    """One page: `lines` of the console and exceptions, `requests` but those for data in it."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.lines, self.requests = [], []

    def hear(self, message):
        method, given = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.lines.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.lines.append(str([argument.get("value") for argument in given["args"]]))
        elif method == "Log.entryAdded":
            self.lines.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, expression):
        """The value of an expression, awaited; under the policy of the page."""
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                         returnByValue=True, allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in done:
            details = done["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return done["result"].get("value")

    def until(self, expression):
        end = time.monotonic() + PATIENCE
        while not self.run(expression):
            if time.monotonic() > end:
                raise RuntimeError(f"never: {expression}; {self.lines}")
            time.sleep(0.02)

    def key(self, key, text=None):
        text = text if text is not None else key if len(key) == 1 else ""
        text = "\r" if key == "Enter" else text
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37,
                "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(key, 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                  windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self):
        """PNG bytes of what is seen."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def print(self):
        return base64.b64decode(self.call("Page.printToPDF")["data"])

    def close(self):
        self.call("Page.navigate", url="about:blank")
        self.browser.closed.append(self)
