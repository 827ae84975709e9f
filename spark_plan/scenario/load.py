"""What is run: context, batch, prompt and output, with the defaults and the checks they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.errors import ContextAboveMaximumError, UsageError
from spark_plan.options import Options, flag, whole
from spark_plan.records import NamedTuple
from spark_plan.units import parse

if TYPE_CHECKING:
    from spark_plan.core.num import Num

DEFAULT_CONTEXT_TOKENS = 8192
DEFAULT_PROMPT_TOKENS = 1024
DEFAULT_OUTPUT_TOKENS = 256
DEFAULT_OUTPUT_SHARE = 5  # a short context leaves at most a fifth of it to the default output


class Load(NamedTuple):
    """The swept part of a question [tokens; sequences]: numbers, or arrays that broadcast.

    `context_tokens` is what each of `batch` sequences reserves; `depth_tokens` lies in the cache
    before the prompt; decoding is timed over `output_tokens` from depth + prompt on.
    """

    context_tokens: Num
    batch: Num
    prompt_tokens: Num
    output_tokens: Num
    depth_tokens: Num


def tokens_of(options: Options, field: str, *, zero: bool = False) -> int | None:
    """A token option as a count, None when not said.

    Raises:
        UsageError: not a positive whole number (0 is one where `zero` says so).
    """
    value = getattr(options, field)
    if value is None:
        return None
    text = str(value).strip()
    if zero and text == "0":
        return 0
    return parse(text, "tokens", name=flag(field))


def resolve_load(options: Options, max_context_tokens: int) -> tuple[Load, bool]:
    """The load an answer is for, and whether it goes beyond the model's maximum.

    Raises:
        UsageError: a context too small for what is timed, or above the maximum.
    """
    context = tokens_of(options, "context_tokens")
    prompt = tokens_of(options, "prompt_tokens", zero=True)
    output = tokens_of(options, "output_tokens")
    depth = tokens_of(options, "depth_tokens", zero=True) or 0
    batch = 1 if options.batch is None else whole(options.batch, "batch")
    if context is None:
        prompt = DEFAULT_PROMPT_TOKENS if prompt is None else prompt
        output = DEFAULT_OUTPUT_TOKENS if output is None else output
        timed = depth + prompt + output
        context = max(DEFAULT_CONTEXT_TOKENS, timed)
        if not options.beyond_max:
            context = min(context, max_context_tokens)
        if timed > context:
            prompt, output = _shrunk(options, context, prompt, output, depth)
    else:
        prompt, output = _shrunk(options, context, prompt, output, depth)
    beyond = context > max_context_tokens
    if beyond and not options.beyond_max:
        raise ContextAboveMaximumError(
            f"--context {context:,} is above the model's maximum of {max_context_tokens:,} tokens",
            hint=f"use --context {max_context_tokens} or less, or --beyond-max to plan it anyway",
        )
    return Load(context, batch, prompt, output, depth), beyond


def _shrunk(
    options: Options, context: int, prompt: int | None, output: int | None, depth: int
) -> tuple[int, int]:
    """Prompt and output that fit the context: only what was left at its default shrinks."""
    if output is None or options.output_tokens is None:
        output = min(DEFAULT_OUTPUT_TOKENS, context // DEFAULT_OUTPUT_SHARE)
    if prompt is None or options.prompt_tokens is None:
        prompt = min(DEFAULT_PROMPT_TOKENS, context - depth - output)
        too_small = prompt < 1
    else:
        too_small = prompt + depth + output > context
    if too_small or output < 1:
        # What was left at its default shrinks to one token, not to none.
        timed = f"depth {depth:,} + prompt {max(prompt, 1):,} + output {max(output, 1):,} tokens"
        if options.context_tokens is None:
            raise UsageError(
                f"{timed} are above the model's maximum of {context:,}",
                hint="lower --depth, --prompt or --output, or plan it anyway with --beyond-max",
            )
        raise UsageError(
            f"--context {context:,} is too small for {timed}",
            hint="raise --context, or lower --depth, --prompt or --output",
        )
    return prompt, output
