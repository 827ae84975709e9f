"""Which inputs a plan used, and where each comes from: collected while the plan is resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from spark_plan.errors import NoAnswerError
from spark_plan.result import Citation

if TYPE_CHECKING:
    from spark_plan.catalog.figures import Figure


class Profile(Protocol):
    """Whatever stands in a file of the catalogue."""

    @property
    def file(self) -> str:
        """Where it stands, such as ``hardware/dgx-spark.yaml``."""
        ...

    @property
    def origin(self) -> str:
        """``shipped`` or ``user:<folder>``."""
        ...


class Evidence:
    """The citations of one plan, one for each quantity and profile."""

    def __init__(self) -> None:
        self._cited: dict[tuple[str, str], Citation] = {}
        self.notes: dict[str, str] = {}

    def use(self, quantity: str, figure: Figure | None, profile: Profile) -> float:
        """The value of a figure, cited.

        Raises:
            NoAnswerError: the profile has no such figure.
        """
        if figure is None or figure.value is None:
            why = f" ({figure.note})" if figure is not None and figure.note else ""
            raise NoAnswerError(
                f"{profile.file}: {quantity} is not known{why}",
                hint="a profile of your own can state it: see `spark-plan hardware where`",
            )
        source = next((s for s in figure.sources if s.url), None) or next(
            iter(figure.sources), None
        )
        self._add(
            Citation(
                quantity=quantity,
                value=figure.value,
                kind=figure.kind,
                url=source.url if source else None,
                seen=source.seen if source else None,
                profile=profile.file,
                origin=profile.origin,
                note=figure.note or None,
            )
        )
        return figure.value

    def rule(
        self, quantity: str, value: Any, kind: str, profile: Profile, note: str, base: Figure | None
    ) -> None:
        """Cite a value that follows from a rule of ours, resting on the figure `base` if any."""
        source = next((s for s in base.sources if s.url), None) if base is not None else None
        self._add(
            Citation(
                quantity=quantity,
                value=value,
                kind=kind if source is not None else "assumed",
                url=source.url if source else None,
                seen=source.seen if source else None,
                profile=profile.file,
                origin=profile.origin,
                note=note,
            )
        )

    def include(self, citations: tuple[Citation, ...]) -> None:
        """Cite again what was cited before."""
        for citation in citations:
            self._add(citation)

    def flag(self, quantity: str, value: Any) -> None:
        """Cite a value the user stated."""
        self._add(Citation(quantity, value, "flag", None, None, "", "flag"))

    def note(self, code: str, text: str) -> None:
        """Say something about the plan, once for each code."""
        self.notes.setdefault(code, text)

    def _add(self, citation: Citation) -> None:
        self._cited[citation.quantity, citation.profile] = citation

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Everything cited, in the order it was used."""
        return tuple(self._cited.values())
