"""`python -m spark_plan`."""

import sys

from spark_plan.cli import main

if __name__ == "__main__":
    sys.exit(main())
