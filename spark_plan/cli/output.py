"""Writing the answer: the one place that meets closed pipes, full disks and narrow encodings."""

from __future__ import annotations

import sys

from spark_plan.errors import OutputError


def write(text: str) -> None:
    """Write to standard output, to the last byte.

    Raises:
        BrokenPipeError: the reader closed the pipe, which is no failure.
        OutputError: it cannot be written: no standard output, or a full disk.
    """
    stream = sys.stdout
    if stream is None:
        raise OutputError("there is no standard output to write the answer to")
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:
            stream.write(escaped(text))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write the answer: {error.strerror}") from None


def escaped(text: str) -> str:
    r"""Text in ASCII, other characters written as JSON does: valid JSON stays valid.

    >>> print(escaped('{"name":"größer"}'))
    {"name":"gr\u00f6\u00dfer"}
    """
    import json

    return "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)
