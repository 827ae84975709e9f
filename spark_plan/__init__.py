"""spark-plan: does a model fit a machine, how fast will it run, and would another do better?

    >>> import spark_plan
    >>> report = spark_plan.fit("gpt-oss-120b", hardware="dgx-spark")
    >>> report.results[0].verdict
    'fits'

Every command of the program is a function here that takes the same options by the same names and
returns a `Report`. Nothing heavy is imported before it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "batch", "check", "compare", "fit", "listing", "show", "where"]

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spark_plan.result import Report


def _options(model: str, options: Mapping[str, Any]) -> Any:
    from spark_plan.options import from_keywords

    return from_keywords(model, options)


def _catalog(profiles: str | None) -> Any:
    from spark_plan.catalog import Catalog

    return Catalog(profiles)


def fit(model: str, *, profiles: str | None = None, **options: Any) -> Report:
    """Does `model` fit one system, how fast, and what limits it.

    Args:
        model: id, repository or alias.
        profiles: a folder of profiles to look in first.
        options: fields of `spark_plan.options.Options`, such as ``precision="fp4"``, or options as
            they are typed, such as ``context="32k"``.

    Raises:
        SparkPlanError: as the command line reports it.
    """
    from spark_plan import questions

    return questions.fit(_catalog(profiles), _options(model, options))


def compare(
    model: str,
    *,
    on: Sequence[str] | str | None = None,
    sort: str = "decode",
    profiles: str | None = None,
    **options: Any,
) -> Report:
    """The same question across systems, best first.

    Args:
        model: id, repository or alias.
        on: ids of systems, as a list or with commas between; None for those the program compares.
        sort: decode, prefill, price, power or memory.
        profiles: a folder of profiles to look in first.
        options: as of `fit`.

    Raises:
        SparkPlanError: as the command line reports it.
    """
    from spark_plan import questions

    systems = on.split(",") if isinstance(on, str) else on
    return questions.compare(_catalog(profiles), _options(model, options), systems, sort)


def batch(rows: Iterable[Mapping[str, Any]], *, profiles: str | None = None) -> Report:
    """Many `fit` questions, answered in the same order; a bad row reports its error in place.

    Args:
        rows: mappings of option names to values; keys that start with ``_``, and ``id``, pass
            through.
        profiles: a folder of profiles to look in first.
    """
    from spark_plan import batch_rows

    return batch_rows.answer(_catalog(profiles), rows)


def listing(kind: str, words: str | None = None, *, profiles: str | None = None) -> Report:
    """What the catalogue has of a kind: hardware, models, engines, formats or links."""
    from spark_plan import catalogue_entries

    return catalogue_entries.listing(_catalog(profiles), kind, words)


def show(kind: str, name: str, *, profiles: str | None = None) -> Report:
    """One entry of the catalogue, as plain numbers."""
    from spark_plan import catalogue_entries

    return catalogue_entries.show(_catalog(profiles), kind, name)


def check(kind: str, path: str | None = None, *, profiles: str | None = None) -> Report:
    """What is wrong with profiles: those that ship, or a file or folder of one's own."""
    from spark_plan import catalogue_entries

    return catalogue_entries.check(_catalog(profiles), kind, path)


def where(kind: str, name: str, *, profiles: str | None = None) -> Report:
    """The file a profile comes from, and whose it is."""
    from spark_plan import catalogue_entries

    return catalogue_entries.where(_catalog(profiles), kind, name)
