"""Loads the sample reports: folders of tests are not packages, nothing could import them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_PATH = Path(__file__).with_name("samples.py")
_SPEC = importlib.util.spec_from_file_location("golden_samples", _PATH)
if _SPEC is None or _SPEC.loader is None:
    raise ImportError(f"cannot load {_PATH}")
_MODULE = importlib.util.module_from_spec(_SPEC)
sys.modules["golden_samples"] = _MODULE
_SPEC.loader.exec_module(_MODULE)
