"""Descriptions of what comes from outside: settings, flags, files, requests. Each field says once what it may be.

A described class is a frozen dataclass whose values pydantic checks, strictly, wherever they come from:

    @described
    class Search:
        beam_size: int = setting(default=1, ge=1, le=16, high=8, label=N_("Beams"), help=N_("Hypotheses kept."))

The form of the app, the flags of the commands, the readers of files and the documents take range, label and help from
there, and an error says them.
"""

import dataclasses
import json
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from core.errors import InputError
from core.language import N_, _, number

Described = TypeVar("Described")

# Of types other than the field's, NaN, infinity and unknown fields, nothing is taken.
_RULES = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True)


@dataclass(frozen=True)
class Asked:
    """How people are asked for a field: by a flag of the commands and, if it has a label, by a widget of the app."""

    label: str = ""
    help: str = ""  # Markdown
    low: float | None = None  # the range of the app, where it is not that of the field
    high: float | None = None
    step: float | None = None
    format: str | None = None  # of the number, as printf has it
    is_slider: bool = False
    like: str = ""  # what a text must be, where its length does not say it
    is_secret: bool = False  # is in no message
    titles: Mapping[str, str] = field(default_factory=dict)  # what the options are called that are words


def setting(
    *,
    default: Any = PydanticUndefined,
    default_factory: Callable[[], Any] | None = None,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    pattern: str | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    **asked: Any,
) -> Any:
    """Describe a field of a described class.

    Args:
        default: its value where none is given; without one, it must be given.
        default_factory: makes that value.
        ge: a number is at least this.
        gt: a number is more than this.
        le: a number is at most this.
        lt: a number is less than this.
        pattern: a text has this form.
        min_length: a text has at least so many characters, a list so many entries.
        max_length: it has at most so many.
        **asked: fields of `Asked`.
    """
    limits: dict[str, Any] = {
        "ge": ge,
        "gt": gt,
        "le": le,
        "lt": lt,
        "pattern": pattern,
        "min_length": min_length,
        "max_length": max_length,
    }
    begins = {"default_factory": default_factory} if default_factory else {"default": default}
    return Field(**begins, **limits, json_schema_extra={"asked": Asked(**asked)})  # type: ignore[dict-item]


@dataclass_transform(frozen_default=True, field_specifiers=(setting,))
def described(cls: type[Described]) -> type[Described]:
    """Make a class a frozen dataclass that checks its fields, and raises an InputError.

    A `__post_init__` that raises an InputError checks what several fields must be together.
    """
    made: Any = checked_dataclass(frozen=True, config=_RULES)(cls)
    check = made.__init__

    def make(self: object, *args: Any, **values: Any) -> None:
        _checked(made, lambda: check(self, *args, **values))

    made.__init__ = make
    return made


Change = Callable[[str], str]


def _change(text: str, info: ValidationInfo) -> str:
    """Return a text as `read` wants it: in the reader's language, say."""
    change: Change | None = info.context
    return change(text) if text and change else text


Wording = Annotated[str, AfterValidator(_change)]
"""A text that people read: where the app's own files have it, it is in their language."""


def read(cls: type[Described], values: object, change: Change | None = None) -> Described:
    """Return what parsed TOML or JSON describes.

    Args:
        cls: the described class.
        values: what was parsed.
        change: returns what takes the place of each text that is a `Wording`.

    Raises:
        InputError: it is not what the class describes.
    """
    return read_json(cls, json.dumps(values, default=str), change)


def read_json(cls: type[Described], text: str | bytes, change: Change | None = None) -> Described:
    """Return what a JSON text describes, in time that is linear in its length; see `read`.

    Raises:
        InputError: it is not JSON, or not what the class describes.
    """
    return _checked(cls, lambda: TypeAdapter(cls).validate_json(text, context=change))


def read_texts(
    cls: type[Described], texts: Mapping[str, str], name_of: Callable[[str], str] = str
) -> Described:
    """Return what the texts of the environment or of flags describe, by field.

    Args:
        cls: the described class.
        texts: as people typed them: numbers and switches are read from them.
        name_of: returns what people know a field by.

    Raises:
        InputError: one is not what the class describes.
    """
    stripped = {name: text.strip() for name, text in texts.items()}
    return _checked(cls, lambda: TypeAdapter(cls).validate_strings(stripped), name_of)


def field_infos(cls: type) -> dict[str, FieldInfo]:
    """Return what is said of each field of a described class."""
    return getattr(cls, "__pydantic_fields__")  # noqa: B009  mypy does not know the attribute


def asked_of(info: FieldInfo) -> Asked:
    """Return how people are asked for a field."""
    extra = info.json_schema_extra
    return extra["asked"] if isinstance(extra, dict) else Asked()  # type: ignore[return-value]


def options_of(info: FieldInfo) -> tuple[str, ...]:
    """Return the options of a field that is a choice; of others none."""
    kind = kind_of(info)
    return get_args(kind) if get_origin(kind) is Literal else ()


def range_of(info: FieldInfo) -> tuple[Any, Any]:
    """Return the least and the largest number of a field; None where it has no end."""
    return _limit(info, "ge", "gt"), _limit(info, "le", "lt")


def _limit(info: FieldInfo, *names: str) -> Any:
    """Return the first limit of these names that a field has, or None."""
    found = (getattr(each, name, None) for name in names for each in info.metadata)
    return next((each for each in found if each is not None), None)


def what_it_must_be(info: FieldInfo) -> str:
    """Return what a field must be, in words that follow “must be”."""
    kind = kind_of(info)
    if like := asked_of(info).like:
        return _(like)
    if options := options_of(info):
        return _("one of {choices}").format(choices=", ".join(options))
    if kind is bool:
        return _("true or false")
    if kind in (int, float):
        return _number_in_words(info, is_whole=kind is int)
    if kind is str:
        return _text_in_words(info)
    if dataclasses.is_dataclass(kind) or get_origin(kind) in (dict, Mapping):
        return _("an object with fields")
    return _("a list")


def _number_in_words(info: FieldInfo, *, is_whole: bool) -> str:
    low, high = range_of(info)
    if low is None:
        return _("a whole number") if is_whole else _("a number")
    if is_whole:
        text = N_("a whole number from {low}") if high is None else N_("a whole number from {low} to {high}")
        return _(text).format(low=low, high=high)
    if high is None:
        return _("a number from {low}").format(low=number(low, "g"))
    text = {
        (False, False): N_("a number of at least {low} and at most {high}"),
        (False, True): N_("a number of at least {low} and less than {high}"),
        (True, False): N_("a number of more than {low} and at most {high}"),
        (True, True): N_("a number of more than {low} and less than {high}"),
    }[_limit(info, "gt") is not None, _limit(info, "lt") is not None]
    return _(text).format(low=number(low, "g"), high=number(high, "g"))


def _text_in_words(info: FieldInfo) -> str:
    least, most = _limit(info, "min_length"), _limit(info, "max_length")
    if most is None:
        return _("a text")
    if least:
        return _("a text of {low} to {high} characters").format(low=least, high=most)
    return _("a text of at most {high} characters").format(high=most)


def kind_of(info: FieldInfo) -> Any:
    """Return the type of a field, without the None of one that may be left out."""
    kind = info.annotation
    if get_origin(kind) in (Union, types.UnionType):
        kinds = [each for each in get_args(kind) if each is not type(None)]
        kind = kinds[0]
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _checked(cls: type, make: Callable[[], Any], name_of: Callable[[str], str] = str) -> Any:
    """Return what is made; raise an InputError where pydantic finds that it is not as described."""
    try:
        return make()
    except ValidationError as error:
        raise InputError(_sentence(cls, error, name_of)) from error


def _sentence(cls: type, error: ValidationError, name_of: Callable[[str], str]) -> str:
    """Return what is wrong, in a sentence about the first field that is."""
    first = error.errors(include_url=False)[0]
    if "error" in first.get("ctx", {}) and isinstance(first["ctx"]["error"], InputError):
        return str(first["ctx"]["error"])
    if first["type"] == "json_invalid":
        return _("This is not JSON: {problem}").format(problem=f"{first['ctx']['error']:.80}")
    *parents, name = first["loc"] or ("",)
    info = _find(cls, first["loc"])
    where = ".".join(map(str, (*parents, "")))
    match first["type"]:
        case "missing" | "missing_argument":
            return _("The field {name} is missing.").format(name=where + str(name))
        case "unexpected_keyword_argument" | "extra_forbidden" | "unexpected_positional_argument":
            return _("There is no field {name}.").format(name=f"{where}{name}"[:80])
    received = f"{first['input']!r:.80}"
    if info is None:
        return _("This is not an object with fields: {received}").format(received=received)
    if asked_of(info).is_secret:
        received = _("{count} characters").format(count=len(str(first["input"])))
    text = _("{name} must be {what}. Received: {received}")
    return text.format(name=where + name_of(str(name)), what=what_it_must_be(info), received=received)


def _find(cls: type, path: tuple[int | str, ...]) -> FieldInfo | None:
    """Return the field at the end of a path of names and numbers that leads into a described class."""
    info = None
    for name in path:
        if isinstance(name, str) and name in (known := field_infos(cls)):
            info = known[name]
            kind = kind_of(info)
            inner = [each for each in (kind, *get_args(kind)) if hasattr(each, "__pydantic_fields__")]
            cls = inner[0] if inner else cls
    return info
