"""What all tests share: the option that rewrites golden files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files change only when somebody says so, and the commit says why."""
    parser.addoption(
        "--update-goldens", action="store_true", help="rewrite tests/golden/expected from today's"
    )
