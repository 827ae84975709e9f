"""Write profiles/index: the shipped YAML, checked, as the JSON that the planner reads.

python tools/build_index.py           write what changed
python tools/build_index.py --check   exit 1 when a profile is faulty or the index differs
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # a checkout that is not installed

from spark_plan.catalog import index  # noqa: E402  (the path above comes first)


def main() -> int:
    """Build, report faults, then write or compare."""
    profiles = ROOT / "profiles"
    built = index.build(profiles)
    for fault in built.faults:
        folder = f"{Path(fault.where.file).parent.name}/" if fault.where else ""
        print(f"{folder}{fault.message}")
    if "--check" in sys.argv[1:]:
        stale = index.stale(profiles, built)
        for name in stale:
            print(f"index/{name}: stale, run tools/build_index.py")
        return 1 if stale or built.faults else 0
    changed = index.write(profiles, built)
    print(f"{len(built.files)} index files, {len(changed)} changed, {len(built.faults)} faults")
    return 1 if built.faults else 0


if __name__ == "__main__":
    sys.exit(main())
