"""bytes -> pages -> structures -> measures -> views: each stage, and each room of a stage, imports only from
those before it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ibdscan

PACKAGE = Path(ibdscan.__file__).parent
STAGES = ("errors", "layout", "pages", "structures", "measures", "views")
ON_TOP = {
    "api": STAGES,
    "cli": (*STAGES, "api"),
    "testing": (*STAGES, "api"),
    "pytest_plugin": (*STAGES, "api", "testing"),
}
ROOMS = {
    "pages": ("format", "source", "decode", "space", "page", "check"),
    "structures": ("finding", "space", "tree", "rows", "definition", "read"),
    "measures": ("index", "file", "detail", "verify", "scan"),
    "views": ("table", "bars", "data", "text", "export", "images", "terminal", "report", "notebook"),
}
MOST_FILES = 12
"""In a folder; more than that are not found in a minute. ``cli`` has one file a command, named as it is typed."""
SOURCES = sorted(PACKAGE.rglob("*.py"))


def allowed(part: str) -> tuple[str, ...]:
    """The parts of the package that ``part`` may import, itself included."""
    before = ON_TOP[part] if part in ON_TOP else STAGES[: STAGES.index(part)]
    return (*before, part)


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line and parts (stage, room, ...) of every import of the package in a file, wherever it stands in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "ibdscan" and rest:
                yield node.lineno, rest.split(".")


def in_package(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


@pytest.mark.parametrize("path", SOURCES, ids=[str(p.relative_to(PACKAGE)) for p in SOURCES])
def test_imports_only_stages_before(path: Path) -> None:
    part = part_of(path)
    if part in ("__init__", "__main__"):  # the public names, loaded lazily; the command line
        return
    for line, imported in imported_parts(path):
        if in_package(imported[0]):
            assert imported[0] in allowed(part), f"{path}:{line}: {part} imports {imported[0]}"


@pytest.mark.parametrize("path", SOURCES, ids=[str(p.relative_to(PACKAGE)) for p in SOURCES])
def test_imports_only_rooms_before(path: Path) -> None:
    stage, *inner = path.relative_to(PACKAGE).with_suffix("").parts
    if stage not in ROOMS or inner == ["__init__"]:
        return
    order = ROOMS[stage]
    assert inner[0] in order, f"{path}: in no room of {stage}"
    for line, (imported, *rest) in imported_parts(path):
        if imported == stage and rest[0] in order:
            before = order[: order.index(inner[0]) + 1]
            assert rest[0] in before, f"{path}:{line}: {inner[0]} imports {rest[0]}"


@pytest.mark.parametrize("stage", ROOMS)
def test_each_room_says_what_it_is(stage: str) -> None:
    """What lives there, and what it may import."""
    for room in ROOMS[stage]:
        folder = PACKAGE / stage / room
        if folder.is_dir():
            said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
            assert re.search(r"[Ii]mport", said), folder


def test_no_folder_is_large() -> None:
    for folder in {path.parent for path in SOURCES} - {PACKAGE / "cli"}:
        assert len(list(folder.glob("*.py"))) <= MOST_FILES, folder


def test_layout_does_no_io() -> None:
    for path in (PACKAGE / "layout").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not {"io", "pathlib", "mmap"} & set(names), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                assert node.attr in ("path", "PathLike", "fspath"), path
            assert not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"
            ), path


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {"numpy", "PIL", "construct", "click", "rich"}


def test_importing_the_package_is_light() -> None:
    assert not HEAVY & modules_after("import ibdscan")


def test_the_errors_are_light() -> None:
    assert not HEAVY & modules_after("import ibdscan; ibdscan.IbdError; ibdscan.ShrunkError")


def test_the_plugin_is_light() -> None:
    assert not HEAVY & modules_after("import ibdscan.pytest_plugin")


def test_opening_a_file_does_not_load_pillow() -> None:
    path = PACKAGE.parent / "fixtures" / "mysql97" / "empty.ibd.xz"
    assert "PIL" not in modules_after(f"import ibdscan; ibdscan.open({str(path)!r}).close()")


def test_every_public_name_is_there() -> None:
    for name in ibdscan.__all__:
        assert getattr(ibdscan, name) is not None
    assert set(ibdscan.__all__) <= set(dir(ibdscan))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ibdscan.nothing  # noqa: B018
