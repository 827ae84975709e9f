"""A user's own profiles: YAML files in `<folder>/<kind>/<id>.yaml`, usable without a build step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.lookup import fold, repo_names
from spark_plan.errors import InputFileError
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MAX_FILES = 2000


class Entry(NamedTuple):
    """What looking names up needs of one file; `fault` is why it could not be read, if so."""

    path: Path
    names: tuple[str, ...]
    released: str
    base: str | None
    fault: InputFileError | None = None


class UserFiles:
    """The user's folders, nearest first; of files with one name the nearest counts."""

    def __init__(
        self, folders: Sequence[Path], shipped_tree: Callable[[str, str], dict[str, Any] | None]
    ) -> None:
        self.folders = folders
        self._shipped_tree = shipped_tree
        self._paths: dict[str, dict[str, Path]] = {}
        self._entries: dict[str, dict[str, Entry]] = {}

    def paths(self, kind: str) -> dict[str, Path]:
        """Id -> file of a kind, by listing folders alone."""
        found = self._paths.get(kind)
        if found is None:
            found = {}
            for folder in self.folders:
                for path in _files(kind, folder):
                    found.setdefault(path.stem, path)
            self._paths[kind] = found
        return found

    def by_id(self, kind: str, folded: str) -> str | None:
        """The id of a file whose name folds to this."""
        return next((key for key in self.paths(kind) if fold(key) == folded), None)

    def by_alias(self, kind: str, folded: str) -> str | None:
        """The id of the nearest file that lists such an alias (or is of such a repository)."""
        for key, entry in self.entries(kind).items():
            if any(fold(name) == folded for name in entry.names):
                return key
        return None

    def entries(self, kind: str) -> dict[str, Entry]:
        """What each file of a kind says of names; opens them all."""
        found = self._entries.get(kind)
        if found is None:
            found = {key: _entry(path) for key, path in self.paths(kind).items()}
            self._entries[kind] = found
        return found

    def spoken(self, kind: str) -> list[tuple[str, str]]:
        """Every name of a kind as people write it, with the id it means."""
        return [
            (name, key) for key, entry in self.entries(kind).items() for name in (key, *entry.names)
        ]

    def first_fault(self, kind: str) -> InputFileError | None:
        """Why the first unreadable file of a kind is so: a name may be missing because of it."""
        faults = (entry.fault for entry in self.entries(kind).values())
        return next((fault for fault in faults if fault is not None), None)

    def tree(self, kind: str, key: str) -> dict[str, Any]:
        """A file's checked mapping.

        Raises:
            InputFileError: the first fault.
        """
        from spark_plan.catalog.overlay import read_profile

        return read_profile(kind, self.paths(kind)[key], self)

    def base(self, kind: str, base_id: str, path: Path) -> Path | dict[str, Any] | None:
        """What a profile extends; its own name means the next one further away."""
        folders = list(self.folders)
        if base_id == path.stem:
            near = [folder for folder in folders if folder / kind == path.parent]
            folders = folders[folders.index(near[0]) + 1 :] if near else folders
        for folder in folders:
            found = folder / kind / f"{base_id}.yaml"
            if found.is_file():
                return found
        sibling = path.with_name(f"{base_id}.yaml")
        if sibling != path and sibling.is_file():
            return sibling
        return self._shipped_tree(kind, base_id)


def origin(path: Path) -> str:
    """How a report names the folder a user's file came from."""
    return f"user:{path.parent.parent}"


def _files(kind: str, folder: Path) -> list[Path]:
    try:
        return sorted((folder / kind).glob("*.yaml"))[:MAX_FILES]
    except OSError:
        return []


def _entry(path: Path) -> Entry:
    from spark_plan.catalog import dialect

    try:
        data = dialect.load(path).data
    except InputFileError as fault:
        return Entry(path, (), "", None, fault)
    if not isinstance(data, dict):
        return Entry(path, (), "", None)
    aliases, repo = data.get("aliases"), data.get("repo")
    names = [item for item in aliases if isinstance(item, str)] if isinstance(aliases, list) else []
    names += repo_names(repo) if isinstance(repo, str) else []
    base = data.get("base")
    return Entry(
        path, tuple(names), str(data.get("released") or ""), base if isinstance(base, str) else None
    )
