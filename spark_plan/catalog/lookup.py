"""Names people type, without what people vary: the form in which names are compared."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"[-_.\s:/]+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-_.\s:/]+(?=\d)")
_KEPT = "\ue000"  # no separator, and in no name anybody types
MAX_NAME = 200


def fold(name: str) -> str:
    """A name without case, hyphens, underscores, dots, colons, slashes and blanks.

    One between two digits stays, as a dot: qwen2-7b is not qwen-27b.

    >>> fold("Llama-3.3 70B"), fold("llama3.3:70b"), fold("RTX 5090")
    ('llama3.3.70b', 'llama3.3.70b', 'rtx5090')
    """
    text = name[:MAX_NAME].lower()
    return _SEPARATORS.sub("", _BETWEEN_DIGITS.sub(_KEPT, text)).replace(_KEPT, ".")


def squeeze(folded: str) -> str:
    """A folded name without the dots between its digits: the last thing to compare by.

    >>> squeeze(fold("qwen2.5-72b")) == squeeze(fold("qwen25-72b"))
    True
    """
    return folded.replace(".", "")


def repo_names(repo: str) -> list[str]:
    """A repository is named whole or by its last part.

    >>> repo_names("openai/gpt-oss-120b")
    ['openai/gpt-oss-120b', 'gpt-oss-120b']
    """
    return list(dict.fromkeys([repo, repo.rpartition("/")[2]]))
