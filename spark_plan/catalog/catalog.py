"""The catalogue: one object that finds profiles by name and decodes only what is asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spark_plan.catalog import lookup, search_path
from spark_plan.catalog.engines import EngineProfile, decode_engine
from spark_plan.catalog.hardware import HardwareProfile, decode_hardware, memory_size_gb
from spark_plan.catalog.links import LinkProfile, decode_link
from spark_plan.catalog.models import ModelProfile, decode_model
from spark_plan.errors import InputFileError, Where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import TypeVar

    from spark_plan.catalog.efficiency import Efficiency
    from spark_plan.catalog.formats import Formats
    from spark_plan.catalog.user_files import UserFiles
    from spark_plan.errors import UnknownNameError

    T = TypeVar("T")

KINDS = ("hardware", "models", "engines", "formats", "links")
SHIPPED = "shipped"


class Catalog:
    """Profiles of every kind, a user's before those that ship.

    Args:
        profiles_dir: a folder to look in first (``--profiles``).
        cwd: the working folder, for tests.
        env: the environment, for tests.
        shipped: another folder in place of the profiles that ship, for tests.

    Raises:
        UsageError: there is no such folder.
    """

    def __init__(
        self,
        profiles_dir: str | Path | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        shipped: Path | None = None,
    ) -> None:
        self.shipped = search_path.shipped_root() if shipped is None else shipped
        self.folders = search_path.user_folders(profiles_dir, cwd=cwd, env=env)
        self._cache: dict[tuple[str, str], Any] = {}
        # What is worked out of profiles and costs more than a look-up (weights, speed terms): a
        # batch asks about the same few models and machines over and over.
        self.memo: dict[tuple[Any, ...], Any] = {}
        self._names: Mapping[str, Any] = self._index("aliases")
        self._user: UserFiles | None = None
        if self.folders:
            from spark_plan.catalog.user_files import UserFiles

            self._user = UserFiles(self.folders, self.shipped_tree)

    @property
    def data_version(self) -> str:
        """The version of the shipped data."""
        return str(self._names["data_version"])

    def hardware(self, name: str) -> HardwareProfile:
        """A system by id, alias or ``ID@SIZE``.

        Raises:
            UnknownNameError: no such system.
            UsageError: a memory size it is not sold with.
        """
        return self._once("hardware", name, lambda: self._hardware(name))

    def _hardware(self, name: str) -> HardwareProfile:
        plain, at, size = name.partition("@")
        data, file, origin = self.tree("hardware", self.find("hardware", plain))
        memory_gb = memory_size_gb(data, size) if at else None
        return decode_hardware(data, file=file, origin=origin, memory_gb=memory_gb)

    def model(self, name: str) -> ModelProfile:
        """A model by id, repository, alias, or a name whose words start its id.

        Raises:
            UnknownNameError: none, or several that a loose name could mean.
        """
        return self._once(
            "models",
            name,
            lambda: self._decoded("models", self.resolve_model(name)[0], decode_model),
        )

    def resolve_model(self, name: str) -> tuple[str, str | None]:
        """A model's id, and ``name-resolved`` when the name was a loose one.

        Raises:
            UnknownNameError: as `model`.
        """
        found = self._exact("models", name)
        if found is not None:
            return found, None
        from spark_plan.catalog import loose_names

        keys = {
            row["id"]: loose_names.ModelKey(row["released"] or "", row["base"])
            for row in self._index("list-models")
        }
        if self._user is not None:
            own = self._user.entries("models")
            keys |= {key: loose_names.ModelKey(row.released, row.base) for key, row in own.items()}
        chosen, candidates = loose_names.resolve(name, keys)
        if chosen is not None:
            return chosen, "name-resolved"
        squeezed = None if candidates else self._squeezed("models", name)
        if squeezed is None:
            raise self._unknown("models", name, candidates)
        return squeezed, None

    def engine(self, name: str) -> EngineProfile:
        """An engine by id or alias.

        Raises:
            UnknownNameError: no such engine.
        """
        return self._once(
            "engines",
            name,
            lambda: self._decoded("engines", self.find("engines", name), decode_engine),
        )

    def link(self, name: str) -> LinkProfile:
        """A link by id or alias.

        Raises:
            UnknownNameError: no such link.
        """
        return self._once(
            "links", name, lambda: self._decoded("links", self.find("links", name), decode_link)
        )

    def _decoded(self, kind: str, key: str, decode: Callable[..., T]) -> T:
        data, file, origin = self.tree(kind, key)
        return decode(data, file=file, origin=origin)

    def formats(self) -> Formats:
        """The registry of number formats and schemes; only the one that ships."""
        from spark_plan.catalog.formats import decode_formats

        return self._once("formats", "", lambda: decode_formats(self._index("formats")))

    def efficiency(self) -> Efficiency:
        """The fitted terms; only those that ship."""
        from spark_plan.catalog.efficiency import Efficiency

        return self._once(
            "efficiency", "", lambda: Efficiency(self._index("efficiency"), origin=SHIPPED)
        )

    def find(self, kind: str, name: str) -> str:
        """The id an exact name or alias stands for.

        Raises:
            UnknownNameError: the catalogue does not hold it.
        """
        if kind == "formats":
            return self.formats().scheme_id(name)
        found = self._exact(kind, name) or self._squeezed(kind, name)
        if found is None:
            raise self._unknown(kind, name)
        return found

    def _exact(self, kind: str, name: str) -> str | None:
        """Ids before aliases, a user's before shipped ones; files are opened for aliases only."""
        folded = lookup.fold(name)
        shipped: str | None = self._names["kinds"][kind].get(folded)
        if self._user is None:
            return shipped
        own = self._user.by_id(kind, folded)
        if own is None and (shipped is None or lookup.fold(shipped) != folded):
            own = self._user.by_alias(kind, folded)
        return own or shipped

    def _squeezed(self, kind: str, name: str) -> str | None:
        """The one id that a name means when separators between digits do not count either."""
        asked = lookup.squeeze(lookup.fold(name))
        names: Mapping[str, str] = self._names["kinds"][kind]
        means = {key for folded, key in names.items() if lookup.squeeze(folded) == asked}
        if self._user is not None:
            folds = ((key, lookup.fold(text)) for text, key in self._user.spoken(kind))
            means |= {key for key, folded in folds if lookup.squeeze(folded) == asked}
        return means.pop() if len(means) == 1 and asked else None

    def tree(self, kind: str, key: str) -> tuple[dict[str, Any], str, str]:
        """A profile's checked mapping, its file (``hardware/x.yaml``) and its origin.

        Raises:
            ProfileError: a user's file with a fault.
            UnknownNameError: no such id.
        """
        if self._user is not None and key in self._user.paths(kind):
            from spark_plan.catalog.user_files import origin

            path = self._user.paths(kind)[key]
            return self._user.tree(kind, key), f"{kind}/{path.name}", origin(path)
        found = self.shipped_tree(kind, key)
        if found is None:
            raise self._unknown(kind, key)
        return found, f"{kind}/{key}.yaml", SHIPPED

    def shipped_tree(self, kind: str, key: str) -> dict[str, Any] | None:
        """The checked mapping of a profile that ships, by its id; None: there is none."""
        if self._names["kinds"][kind].get(lookup.fold(key)) != key:
            return None
        tree: dict[str, Any] = self._index(f"{kind}/{key}")
        return tree

    def ids(self, kind: str) -> tuple[str, ...]:
        """Every id of a kind in order, a user's among them."""
        if kind == "formats":
            return self.formats().scheme_ids()
        shipped = {row["id"] for row in self._index(f"list-{kind}")}
        return tuple(sorted(shipped | set(self._user.paths(kind) if self._user else ())))

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """What `list` shows of each profile of a kind: id, name, its columns, aliases, origin.

        Raises:
            ProfileError: a user's file with a fault.
        """
        found = {row["id"]: row | {"origin": SHIPPED} for row in self._index(f"list-{kind}")}
        if self._user is not None and kind != "formats":
            from spark_plan.catalog.rows import row as row_of
            from spark_plan.catalog.user_files import origin

            for key, path in self._user.paths(kind).items():
                row = row_of(kind, self._user.tree(kind, key))
                found[key] = row | {"origin": origin(path)}
        return list(found.values()) if kind == "formats" else [found[key] for key in sorted(found)]

    def where(self, kind: str, name: str) -> tuple[str, Path, str]:
        """The id, the file and the origin of a profile.

        Raises:
            UnknownNameError: no such name.
        """
        key = self.resolve_model(name)[0] if kind == "models" else self.find(kind, name)
        if kind == "formats":
            return key, self.shipped / "formats.yaml", SHIPPED
        if self._user is not None and key in self._user.paths(kind):
            from spark_plan.catalog.user_files import origin

            path = self._user.paths(kind)[key]
            return key, path, origin(path)
        return key, self.shipped / kind / f"{key}.yaml", SHIPPED

    def _index(self, name: str) -> Any:
        path = self.shipped / "index" / f"{name}.json"
        try:
            return json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise InputFileError(
                f"the catalogue's index is damaged: {path.name}",
                hint="install spark-plan again, or run tools/build_index.py in a checkout",
                where=Where(str(path)),
            ) from error

    def _once(self, kind: str, key: str, make: Callable[[], T]) -> T:
        if (kind, key) not in self._cache:
            self._cache[kind, key] = make()
        found: T = self._cache[kind, key]
        return found

    def _spoken(self, kind: str) -> Iterator[tuple[str, str]]:
        """Every name of a kind as people write it, ids first, with the id it means."""
        rows = self._index(f"list-{kind}")
        if self._user is not None:
            yield from self._user.spoken(kind)
        yield from ((row["id"], row["id"]) for row in rows)
        yield from ((alias, row["id"]) for row in rows for alias in row["aliases"])

    def _unknown(
        self, kind: str, name: str, candidates: tuple[str, ...] = ()
    ) -> InputFileError | UnknownNameError:
        """Why a name is not known: nobody has it, several do, or a user's file cannot be read."""
        from spark_plan.catalog.unknown import unknown

        fault = self._user.first_fault(kind) if self._user is not None and not candidates else None
        return fault or unknown(kind, name, candidates, self._spoken(kind))
