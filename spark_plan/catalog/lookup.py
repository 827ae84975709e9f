"""Names people type, without what people vary: the form in which names are compared."""

from __future__ import annotations

_DROPPED = str.maketrans("", "", "-_. :/\t")
MAX_NAME = 200


def fold(name: str) -> str:
    """A name without case, hyphens, underscores, dots, colons, slashes and blanks.

    >>> fold("Llama-3.3 70B"), fold("llama3.3:70b")
    ('llama3370b', 'llama3370b')
    """
    return name[:MAX_NAME].lower().translate(_DROPPED)


def repo_names(repo: str) -> list[str]:
    """A repository is named whole or by its last part.

    >>> repo_names("openai/gpt-oss-120b")
    ['openai/gpt-oss-120b', 'gpt-oss-120b']
    """
    return list(dict.fromkeys([repo, repo.rpartition("/")[2]]))
