"""The types of the package."""

from __future__ import annotations

from pathlib import Path

from pages import check_types


def test_the_package_has_the_types_that_it_says() -> None:
    check_types(Path(__file__).resolve().parent.parent)
