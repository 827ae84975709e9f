"""Everything that can go wrong, and the exit code each ends with.

    SparkPlanError                    1
    ├── UsageError                    2   a bad option, number or combination
    │   ├── UnknownNameError          2   no such model, system, engine, format or link
    │   ├── ContextAboveMaximumError  2   a context longer than the model was made for
    │   └── NumberError               2   text that is not the number it should be
    ├── InputFileError                2   a file that cannot be read or is not what it claims
    │   ├── ProfileError              2   a profile, with file, line and path of the fault
    │   └── ConfigError               2   a model config that lacks or garbles a field
    └── NoAnswerError                 5   a question nothing here can answer
        └── FormatNotSupportedError   5   no engine runs this precision on this system

"Does not fit" (3) and "misses a target" (4) are results, not errors: they are in a Report.
"""

from __future__ import annotations

from spark_plan.records import NamedTuple

EXIT_OK = 0
EXIT_UNEXPECTED = 1
EXIT_USAGE = 2
EXIT_DOES_NOT_FIT = 3
EXIT_MISSES_TARGET = 4
EXIT_NO_ANSWER = 5
EXIT_INTERRUPTED = 130


class Where(NamedTuple):
    """Where in a file a fault lies; `line` counts from 1, `path` is like ``$.memory[0].kind``."""

    file: str
    line: int | None = None
    path: str | None = None


class SparkPlanError(Exception):
    """The root of every error this package raises on purpose.

    `hint` is one line that says what to do; `suggestions` are names that would have worked.
    """

    exit_code = EXIT_UNEXPECTED
    code = "unexpected"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        suggestions: tuple[str, ...] = (),
        where: Where | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.suggestions = suggestions
        self.where = where


class OutputError(SparkPlanError):
    """The answer is there and cannot be written."""

    code = "no-output"


class UsageError(SparkPlanError):
    """An option, a number or a combination of them that cannot be meant."""

    exit_code = EXIT_USAGE
    code = "usage"


class UnknownNameError(UsageError):
    """A name the catalogue does not hold; `suggestions` are the nearest it does."""

    code = "unknown-name"


class ContextAboveMaximumError(UsageError):
    """A context longer than the model was made for; in a comparison that plan has no answer."""

    code = "context-above-maximum"


class NumberError(UsageError):
    """Text that should have been a number of a given kind."""

    code = "bad-number"


class InputFileError(SparkPlanError):
    """A file that cannot be read, or is not what it claims to be."""

    exit_code = EXIT_USAGE
    code = "bad-file"


class ProfileError(InputFileError):
    """A profile with a fault; `where` says the file, the line and the path in it."""

    code = "bad-profile"


class ConfigError(InputFileError):
    """A model config that lacks a field, or holds one of the wrong type or out of range."""

    code = "bad-config"


class NoAnswerError(SparkPlanError):
    """A well-formed question to which there is no honest answer."""

    exit_code = EXIT_NO_ANSWER
    code = "no-answer"


class FormatNotSupportedError(NoAnswerError):
    """No engine is known to run this precision on this system; `suggestions` are those that run."""

    code = "format-not-supported"
