"""A headless Chromium, spoken to through its debugging pipe: pages as people get them."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage"
    " --disable-background-networking --disable-component-update --disable-sync"
    " --disable-features=AsyncDns --hide-scrollbars --remote-debugging-pipe"
).split()


class Browser:
    """`with` ends it. Every wait is bounded, and raises when the time is over."""

    def __init__(self, folder):
        self.home = tempfile.mkdtemp(prefix="browser.", dir=folder)
        to_read, self.to = os.pipe()
        self.out, to_write = os.pipe()
        self.faults, self.buffer, self.last, self.answers = [], b"", 0, {}

        def move():  # Chromium reads from 3 and writes to 4
            os.dup2(to_read, 13)
            os.dup2(to_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        with open(os.path.join(self.home, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["chromium", *FLAGS, "--user-data-dir=" + self.home, "about:blank"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "HOME": self.home},
                preexec_fn=move,
                close_fds=False,
            )
        os.close(to_read)
        os.close(to_write)
        self.page = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.page = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self, until):
        """Takes in what the browser says next."""
        ready, _, _ = select.select([self.out], [], [], max(0, until - time.monotonic()))
        if not ready:
            raise TimeoutError("the browser does not answer")
        data = os.read(self.out, 1 << 16)
        if not data:
            raise EOFError("the browser has ended")
        *whole, self.buffer = (self.buffer + data).split(b"\0")
        for text in whole:
            said = json.loads(text)
            if "id" in said:
                self.answers[said["id"]] = said
            elif said["method"] == "Runtime.exceptionThrown":
                self.faults.append(said["params"]["exceptionDetails"].get("text", "exception"))
            elif said["method"] == "Log.entryAdded":
                entry = said["params"]["entry"]
                if entry["level"] == "error":
                    self.faults.append(entry["text"] + " " + entry.get("url", ""))

    def ask(self, method, seconds=60, **params):
        self.last += 1
        said = {"id": self.last, "method": method, "params": params}
        if self.page:
            said["sessionId"] = self.page
        os.write(self.to, json.dumps(said).encode() + b"\0")
        until = time.monotonic() + seconds
        while self.last not in self.answers:
            self.read(until)
        answer = self.answers.pop(self.last)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def js(self, expression):
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        until = time.monotonic() + seconds
        while not (value := self.js(expression)):
            if time.monotonic() > until:
                raise TimeoutError("never: " + expression)
            time.sleep(0.05)
        return value

    def open(self, url):
        self.ask("Page.navigate", url=url)
        self.wait(f"document.readyState == 'complete' && location.href == {json.dumps(url)}")

    def key(self, name, code):
        text = {"text": "\r"} if name == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                code=name,
                windowsVirtualKeyCode=code,
                **(text if kind == "keyDown" else {}),
            )

    def show(self, width, height, dark):
        """What the page is shown on from now on."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
