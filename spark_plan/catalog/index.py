"""Building `profiles/index`: the shipped YAML, checked, as JSON that opens in a millisecond.

One file an id, one of names, one list a kind. `tools/build_index.py` writes them; `check` and a
test compare them with the YAML they were made from.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spark_plan.catalog import dialect, efficiency, rows
from spark_plan.catalog.coherence import Known
from spark_plan.catalog.formats import fold_names
from spark_plan.catalog.lookup import fold, repo_names
from spark_plan.catalog.overlay import examine_profile
from spark_plan.catalog.validation import examine
from spark_plan.errors import InputFileError, ProfileError, Where
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

PROFILE_KINDS = ("hardware", "models", "engines", "links")
VERSION_FILE = "version.yaml"

Tree = dict[str, Any]


class Built(NamedTuple):
    """Index files by their path under `index/`, and what was wrong with the profiles."""

    files: dict[str, str]
    faults: list[InputFileError]


class _Shipped:
    """Shipped profiles extend one another by file."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def base(self, kind: str, base_id: str, path: Path) -> Path | None:
        """The shipped file of that id."""
        found = self.root / kind / f"{base_id}.yaml"
        return found if found.is_file() and found != path else None


def build(root: Path) -> Built:
    """The index of the profiles under `root`; faulty profiles are left out of it.

    Args:
        root: the folder that holds hardware/, models/ and so on.

    Raises:
        InputFileError: version.yaml cannot be read.
    """
    faults: list[InputFileError] = []
    formats = _single(root / "formats.yaml", "formats", faults)
    known = _known(root, formats)
    files: dict[str, str] = {}
    names: dict[str, dict[str, str]] = {}
    for kind in PROFILE_KINDS:
        trees = _trees(root, kind, known, faults)
        names[kind], clashes = folded_names(root / kind, trees)
        faults += clashes
        files |= {f"{kind}/{key}.json": _dump(tree) for key, tree in trees.items()}
        files[f"list-{kind}.json"] = _dump([rows.row(kind, tree) for tree in trees.values()])
    schemes = formats.get("schemes", {})
    names["formats"] = fold_names(formats) if formats else {}
    files["formats.json"] = _dump(formats | {"aliases": names["formats"]})
    files["list-formats.json"] = _dump([rows.scheme_row(k, item) for k, item in schemes.items()])
    files["efficiency.json"] = _dump(_efficiency(root, faults))
    version = _single(root / VERSION_FILE, "version", faults).get("data_version", "")
    files["aliases.json"] = _dump({"data_version": version, "kinds": names})
    return Built(files, faults)


def _trees(
    root: Path, kind: str, known: Known | None, faults: list[InputFileError]
) -> dict[str, Tree]:
    trees: dict[str, Tree] = {}
    for path in sorted((root / kind).glob("*.yaml")):
        try:
            tree, found = examine_profile(kind, path, _Shipped(root), known)
        except InputFileError as fault:
            faults.append(fault)
            continue
        faults += found
        if not found:
            trees[path.stem] = tree
    return trees


def _single(path: Path, kind: str, faults: list[InputFileError]) -> Tree:
    try:
        tree, found = examine(kind, dialect.load(path))
    except InputFileError as fault:
        faults.append(fault)
        return {}
    faults += found
    return {} if found else tree


def _known(root: Path, formats: Tree) -> Known | None:
    """Names across files, by listing folders; None where formats.yaml itself is faulty."""
    if not formats:
        return None
    stems = {kind: {path.stem for path in (root / kind).glob("*.yaml")} for kind in PROFILE_KINDS}
    return Known(
        schemes=formats["schemes"],
        number_formats=formats["number_formats"],
        kv_formats=formats["kv_formats"],
        links=stems["links"],
        engines=stems["engines"],
        models=stems["models"],
    )


def _efficiency(root: Path, faults: list[InputFileError]) -> Tree:
    packed = []
    for path in sorted((root / "efficiency").glob("*.yaml")):
        tree = _single(path, "efficiency", faults)
        if tree:
            packed.append(efficiency.pack(tree, f"efficiency/{path.name}"))
    return efficiency.shorten(efficiency.join(packed))


def folded_names(folder: Path, trees: dict[str, Tree]) -> tuple[dict[str, str], list[ProfileError]]:
    """Folded name -> id over a kind, and the names that would mean two profiles.

    Ids come before aliases and repositories; the last part of a repository counts only where it
    means one profile and nothing else is called so.
    """
    names = {fold(key): key for key in trees}
    faults: list[ProfileError] = []

    def clash(key: str, path: str, message: str) -> None:
        document = dialect.load(folder / f"{key}.yaml")
        faults.append(document.fault(path, message))

    for key in trees:
        if names[fold(key)] != key:
            clash(key, "$.id", f"reads like {names[fold(key)]} (case, - _ . do not count)")
    for key, tree in trees.items():
        said = [(f"$.aliases[{i}]", alias) for i, alias in enumerate(tree.get("aliases", ()))]
        said += [("$.repo", tree["repo"])] if "repo" in tree else []
        for path, name in said:
            other = names.setdefault(fold(name), key)
            if other != key:
                clash(key, path, f"{name!r} already means {other}")
    last_parts: dict[str, list[str]] = {}
    for key, tree in trees.items():
        for name in repo_names(tree["repo"])[1:] if "repo" in tree else ():
            last_parts.setdefault(fold(name), []).append(key)
    for folded, keys in last_parts.items():
        if len(keys) == 1:
            names.setdefault(folded, keys[0])
    return dict(sorted(names.items())), faults


def _dump(tree: Any) -> str:
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"


def stale(root: Path, built: Built) -> list[str]:
    """Index files that differ from what `built` holds, are missing, or are no longer wanted."""
    index = root / "index"
    present = {
        path.relative_to(index).as_posix(): path.read_text(encoding="utf-8")
        for path in index.rglob("*.json")
    }
    names = sorted({*present, *built.files})
    return [name for name in names if present.get(name) != built.files.get(name)]


def write(root: Path, built: Built) -> list[str]:
    """Bring `index/` up to date; the names of the files that changed."""
    changed = stale(root, built)
    for name in changed:
        path = root / "index" / name
        if name not in built.files:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(built.files[name], encoding="utf-8")
    return changed


def stale_fault(name: str) -> ProfileError:
    """The fault of an index file that does not match its YAML."""
    message = "is not what the YAML says: run tools/build_index.py"
    return ProfileError(f"{name}:1: $: {message}", where=Where(name, 1, "$"))
