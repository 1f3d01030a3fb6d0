"""A headless Chromium, driven by Selenium: one tab, what went wrong in it, mouse, wheel, keys and fingers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
PATIENCE = 60.0
Point = tuple[float, float]


def find_chromium() -> tuple[str, str] | None:
    """Paths of the browser and of its driver, if they are there."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One tab; a dialog in it makes the next call fail."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the DevTools protocol."""
        return dict(self.driver.execute_cdp_cmd(method, params))

    def problems(self) -> list[str]:
        """Console errors, uncaught exceptions and requests that left the page, since they were last asked for."""
        said = [
            entry["message"]
            for entry in self.driver.get_log("browser")
            # a hint to the tests that they read pixels back
            if entry["level"] in ("WARNING", "SEVERE") and entry["source"] != "rendering"
        ]
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return said + [f"request: {url}" for url in urls if not url.startswith(("file:", "data:"))]

    def size(self, width: int, height: int, scale: float = 1, *, touch: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=2 if touch else 1)

    def scheme(self, name: str) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path: Path) -> None:
        self.driver.get(path.resolve().as_uri())
        ready = "document.documentElement.dataset.ready === 'yes'"
        WebDriverWait(self.driver, PATIENCE, 0.02).until(lambda _: self.js(ready))
        self.settle()

    def js(self, expression: str) -> Any:
        """The value of an expression; of a promise, what it comes to."""
        return self.driver.execute_script(f"return {expression}")

    def settle(self) -> None:
        """Two frames later all drawing is done."""
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def point(self, x: float, y: float) -> None:
        """Move the mouse there."""
        self.drag((x, y), pressed=False)

    def click(self, x: float, y: float) -> None:
        self.drag((x, y))

    def drag(self, *way: Point, pressed: bool = True) -> None:
        """Move the mouse to the first point and, with the button pressed, to the others."""
        actions = ActionBuilder(self.driver, duration=0)
        pointer = actions.pointer_action
        pointer.move_to_location(*_whole(way[0]))
        if pressed:
            pointer.pointer_down()
            for at in way[1:]:
                pointer.move_to_location(*_whole(at))
            pointer.pointer_up()
        actions.perform()
        self.settle()

    def wheel(self, x: float, y: float, delta: int, *, ctrl: bool = False) -> None:
        actions = ActionChains(self.driver, duration=0)
        if ctrl:
            actions.key_down(Keys.CONTROL)
        actions.scroll_from_origin(ScrollOrigin.from_viewport(*_whole((x, y))), 0, delta)
        if ctrl:
            actions.key_up(Keys.CONTROL)
        actions.perform()
        self.settle()

    def touch(self, *fingers: list[Point]) -> None:
        """Put down a finger at the first point of each way, move all at the same time, and lift them."""
        actions = ActionBuilder(self.driver, duration=0)
        for n, (first, *rest) in enumerate(fingers):
            finger = actions.add_pointer_input("touch", f"finger {n}")
            finger.create_pointer_move(0, *_whole(first))
            finger.create_pointer_down(button=0)
            for at in rest:
                finger.create_pointer_move(0, *_whole(at))
            finger.create_pointer_up(0)
        actions.perform()
        self.settle()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()
        self.settle()


def _whole(point: Point) -> tuple[int, int]:
    return int(point[0]), int(point[1])


@contextmanager
def chromium(browser: str, driver: str, home: Path) -> Iterator[Browser]:
    """A browser with a profile of its own."""
    options = ChromeOptions()
    options.binary_location = browser
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = ChromeService(driver, env={**os.environ, "HOME": str(home)})
    chrome = Chrome(options, service)
    try:
        yield Browser(chrome)
    finally:
        chrome.quit()
