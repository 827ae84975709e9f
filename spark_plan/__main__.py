"""`python -m spark_plan`."""

import sys

from spark_plan.cli import program

if __name__ == "__main__":
    sys.exit(program())
