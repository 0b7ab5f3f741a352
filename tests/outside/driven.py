"""A browser that is driven: DevTools' messages over two pipes, nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from chromium import browser


class PageLeftError(Exception):
    """The page was left while it was asked something."""


class Browser:
    """One page of a headless Chromium; use it with `with`."""

    def __init__(self, width: int = 1280, height: int = 1000) -> None:
        self.size = width, height
        self.number = 0
        self.buffer = b""
        self.said: list[dict[str, Any]] = []  # events

    def __enter__(self) -> Browser:
        ours, theirs = os.pipe(), os.pipe()  # what it reads, what it writes
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += ["--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"]

        def pipes() -> None:
            read, write = os.dup(ours[0]), os.dup(theirs[1])
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [*command, "about:blank"],
            close_fds=False,
            preexec_fn=pipes,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self.write, self.read = ours[1], theirs[0]
        self.session: str | None = None
        pages = self.ask("Target.getTargets")["targetInfos"]
        target = next(p for p in pages if p["type"] == "page")["targetId"]
        made = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = made["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        self.resize(*self.size)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)
        os.close(self.write)
        os.close(self.read)
        self.profile.cleanup()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command; what the browser says in between is kept in `said`."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._next()
            if heard.get("id") == self.number:
                if "navigated" in str(heard.get("error")):
                    raise PageLeftError(str(params))
                assert "error" not in heard, heard
                return dict(heard["result"])
            self.said.append(heard)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            part = os.read(self.read, 1 << 16)
            assert part, "the browser is gone"
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"\0")
        return dict(json.loads(text))

    def resize(self, width: int, height: int, dark: bool = False) -> None:
        """The window's size, and whether it is dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def go(self, address: str) -> None:
        """Opens an address."""
        self.ask("Page.navigate", url=address)

    def value(self, script: str) -> Any:
        """What an expression of the page's gives."""
        made = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in made, made
        return made["result"].get("value")

    def wait(self, script: str, seconds: float = 60.0) -> float:
        """Until an expression is true; how many seconds that took."""
        begun = time.monotonic()
        while True:
            with suppress(PageLeftError):  # the next page may say it
                if self.value(script):
                    return time.monotonic() - begun
            assert time.monotonic() - begun < seconds, f"{script}: not within {seconds} s"
            time.sleep(0.02)

    def picture(self, file: Path) -> None:
        """Writes what is seen."""
        made = self.ask("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(made["data"]))
