"""Where profiles are looked for: a user's folders, nearest first, then what ships."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from spark_plan.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

ENVIRONMENT = "SPARK_PLAN_PROFILES"
_IN_FOLDER = Path(".spark-plan") / "profiles"
_PACKAGE = Path(__file__).resolve().parent.parent
_MAX_PARENTS = 40


def shipped_root() -> Path:
    """The profiles that ship: inside the package from a wheel, beside it in a checkout."""
    inside = _PACKAGE / "profiles"
    return inside if inside.is_dir() else _PACKAGE.parent / "profiles"


def user_folders(
    profiles_dir: str | Path | None,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> tuple[Path, ...]:
    """The user's profile folders that exist, nearest first.

    ``--profiles DIR``, ``$SPARK_PLAN_PROFILES``, ``.spark-plan/profiles`` in the working folder or
    a parent, ``$XDG_CONFIG_HOME/spark-plan/profiles`` (``~/.config`` where that is not set).

    Raises:
        UsageError: a folder that was named does not exist.
    """
    environment = os.environ if env is None else env
    found = []
    for how, named in (
        ("--profiles", profiles_dir),
        (f"${ENVIRONMENT}", environment.get(ENVIRONMENT)),
    ):
        if named:
            if not _is_dir(Path(named)):
                raise UsageError(f"{how} {named}: no such folder")
            found.append(Path(named))
    found += [folder for folder in (_in_work(cwd), _in_config(environment)) if folder is not None]
    return tuple(dict.fromkeys(found))


def _in_work(cwd: Path | None) -> Path | None:
    """The nearest folder of the working folder or a parent."""
    try:
        start = Path.cwd() if cwd is None else cwd
    except OSError:  # the working folder was removed
        return None
    for folder in (start, *list(start.parents)[:_MAX_PARENTS]):
        if _is_dir(folder / _IN_FOLDER):
            return folder / _IN_FOLDER
    return None


def _in_config(environment: Mapping[str, str]) -> Path | None:
    home = environment.get("HOME")
    config = environment.get("XDG_CONFIG_HOME") or (str(Path(home) / ".config") if home else "")
    folder = Path(config) / "spark-plan" / "profiles"
    return folder if config and _is_dir(folder) else None


def _is_dir(folder: Path) -> bool:
    try:
        return folder.is_dir()
    except (OSError, ValueError):  # no permission; a name with a NUL
        return False
