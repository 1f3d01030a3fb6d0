"""A headless Chromium, spoken to over the DevTools protocol: one tab, its console, mouse, keys and screenshots."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-port=0",
)
PATIENCE = 60.0
KEYS = {
    "Enter": 13,
    "Escape": 27,
    "Home": 36,
    "End": 35,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Tab": 9,
}


def find_chromium() -> str | None:
    """The browser's path, if there is one."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One tab. ``problems`` holds console errors, uncaught exceptions, dialogs and requests that left the page."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.numbers = itertools.count(1)
        self.problems: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                result: dict[str, Any] = message["result"]
                return result
            self.note(message)

    def note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(params["exceptionDetails"])[:2000])
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.problems.append(json.dumps(params["args"])[:2000])
            case "Log.entryAdded" if params["entry"]["source"] == "rendering":
                pass  # a hint to the tests that they read pixels back
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.problems.append(json.dumps(params["entry"])[:2000])
            case "Page.javascriptDialogOpening":
                self.problems.append(f"dialog: {params['message']}")
                self.socket.send(
                    json.dumps(
                        {
                            "id": next(self.numbers),
                            "method": "Page.handleJavaScriptDialog",
                            "params": {"accept": True},
                        }
                    )
                )
            case "Network.requestWillBeSent" if not params["request"]["url"].startswith(("file:", "data:")):
                self.problems.append(f"request: {params['request']['url']}")

    def size(self, width: int, height: int, scale: float = 1, *, touch: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=2 if touch else 1)

    def scheme(self, name: str) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path: Path) -> None:
        self.problems.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        ready = "document.documentElement?.dataset.ready === 'yes'"
        self.wait(f"location.href === {json.dumps(path.resolve().as_uri())} && {ready}")
        self.settle()

    def js(self, expression: str) -> Any:
        out = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in out:
            raise AssertionError(f"{expression}: {json.dumps(out['exceptionDetails'])[:1000]}")
        return out["result"].get("value")

    def wait(self, expression: str) -> None:
        end = time.monotonic() + PATIENCE
        while not self.js(expression):
            assert time.monotonic() < end, f"never came true: {expression}; {self.problems}"
            time.sleep(0.02)

    def settle(self) -> None:
        """Two frames later all drawing is done."""
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        for step in (0.3, 0.7, 1.0):
            at = (a + (b - a) * step for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", *at, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        self.call(
            "Input.dispatchTouchEvent",
            type=kind,
            touchPoints=[{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)],
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
            text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def screenshot(self, *, whole: bool = False) -> bytes:
        more: dict[str, Any] = {}
        if whole:
            box = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more = {"clip": {**box, "scale": 1}, "captureBeyondViewport": True}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"])


@contextmanager
def chromium(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own, gone at the end with all its files."""
    with tempfile.TemporaryDirectory(prefix="ibdscan-chromium-", ignore_cleanup_errors=True) as folder:
        command = [program, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        env = {**os.environ, "HOME": folder}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        try:
            with connect(_address(Path(folder), process), max_size=None, proxy=None) as socket:
                yield Browser(socket)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(folder: Path, process: subprocess.Popen[bytes]) -> str:
    """The web socket of the first tab."""
    import urllib.request

    port_file = folder / "DevToolsActivePort"
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, f"chromium ended with {process.returncode}"
        if port_file.exists() and len(lines := port_file.read_text().splitlines()) >= 2:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"http://127.0.0.1:{lines[0]}/json/list", timeout=PATIENCE) as answer:
                for tab in json.load(answer):
                    if tab["type"] == "page":
                        return str(tab["webSocketDebuggerUrl"])
        time.sleep(0.05)
    raise AssertionError("chromium did not open its DevTools port")
