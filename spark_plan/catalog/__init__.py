"""Profile files -> validated records: what models, systems, engines and formats there are."""

from spark_plan.catalog.catalog import Catalog

__all__ = ["Catalog"]
