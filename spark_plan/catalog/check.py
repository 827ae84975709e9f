"""What is wrong with profiles: those that ship, or a user's file or folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spark_plan.catalog import dialect, index
from spark_plan.catalog.coherence import Known
from spark_plan.catalog.overlay import examine_profile
from spark_plan.catalog.user_files import UserFiles
from spark_plan.catalog.validation import examine
from spark_plan.errors import InputFileError, Where
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.catalog import Catalog


class Fault(NamedTuple):
    """One thing that is wrong; `line` counts from 1, `path` is like ``$.memory[0].kind``."""

    file: str
    line: int | None
    path: str | None
    message: str


def check(kind: str, path: str | Path | None, catalog: Catalog) -> list[Fault]:
    """Every fault that can be told apart; none means the profiles load.

    Args:
        kind: hardware, models, engines, links or formats.
        path: a file, a folder of profiles, an id, or None for what ships.
        catalog: where ids and bases are looked up.

    Raises:
        InputFileError: no such file.
        UnknownNameError: no such id.
    """
    if path is None:
        return _shipped(kind, catalog.shipped)
    found = Path(path)
    if not found.exists():
        if isinstance(path, Path) or found.suffix or found.name != path:
            raise InputFileError(f"{found}: no such file or folder", where=Where(str(found)))
        _, found, origin = catalog.where(kind, path)
        if origin == "shipped":
            return [fault for fault in _shipped(kind, catalog.shipped) if _about(fault, found)]
    return _own(kind, found, catalog)


def _about(fault: Fault, path: Path) -> bool:
    """Whether a fault is of this profile: of its file, or of its page of the index."""
    parts = Path(fault.file).parts
    return parts[-2:] == path.parts[-2:] or parts[-2:] == (path.parent.name, f"{path.stem}.json")


def _shipped(kind: str, root: Path) -> list[Fault]:
    built = index.build(root)
    folder = root / kind
    faults = [_fault(error) for error in built.faults]
    faults = [
        fault._replace(file=Path(fault.file).relative_to(root).as_posix())
        for fault in faults
        if Path(fault.file).parent == folder or Path(fault.file).name == f"{kind}.yaml"
    ]
    if not built.faults:  # a faulty profile is left out of the index: it would only echo
        faults += [
            _fault(index.stale_fault(f"index/{name}"))
            for name in index.stale(root, built)
            if name.startswith((f"{kind}/", f"{kind}.", f"list-{kind}.", "aliases.", "efficiency."))
        ]
    return faults


def _own(kind: str, path: Path, catalog: Catalog) -> list[Fault]:
    known = _known(catalog)
    if kind == "formats":
        target = path / "formats.yaml" if path.is_dir() else path
        try:
            return [_fault(error) for error in examine(kind, dialect.load(target))[1]]
        except InputFileError as error:
            return [_fault(error)]
    if path.is_dir():
        folder = path / kind if (path / kind).is_dir() else path
        paths = sorted(folder.glob("*.yaml"))
        if not paths:
            raise InputFileError(f"{path}: holds no {kind} profiles (*.yaml)")
    else:
        folder, paths = path.parent, [path]
    # Its own folder first, so that a file may extend its neighbours.
    folders = (folder.parent, *catalog.folders) if folder.name == kind else catalog.folders
    files = UserFiles(folders, catalog.shipped_tree)
    faults: list[Fault] = []
    trees = {}
    for each in paths:
        try:
            tree, found = examine_profile(kind, each, files, known)
        except InputFileError as error:
            faults.append(_fault(error))
            continue
        faults += [_fault(error) for error in found]
        if not found:
            trees[each.stem] = tree
    return faults + [_fault(error) for error in index.folded_names(folder, trees)[1]]


def _known(catalog: Catalog) -> Known:
    formats = catalog.formats()
    return Known(
        schemes=formats.scheme_ids(),
        number_formats=formats.number_format_ids(),
        kv_formats=tuple(formats.kv_formats),
        links=catalog.ids("links"),
        engines=catalog.ids("engines"),
        models=catalog.ids("models"),
    )


def _fault(error: InputFileError) -> Fault:
    where = error.where
    if where is None:
        return Fault("", None, None, error.message)
    prefix = f"{Path(where.file).name}:{where.line}: {where.path}: "
    return Fault(where.file, where.line, where.path, error.message.removeprefix(prefix))
