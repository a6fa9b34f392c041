"""Text of unknown origin, made safe to show: nothing invisible, no control codes."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Controls, format characters (bidirectional overrides, zero-width ones), surrogates, private and
# unassigned code points, line and paragraph separators: all that a reader cannot see.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
FEW = 6  # numbers of an array
WHOLE_FROM, WHOLE_TO = 1e4, 1e9  # fractions of such numbers are not shown, nor are exponents
COMBINING = frozenset({"Mn", "Me", "Mc"})


def visible(thing: Any, limit: int | None = None) -> str:
    r"""Return an object as text in which every character can be seen.

    Parameters
    ----------
    thing : object
        Strings as they are, bytes as Latin-1, arrays by their first numbers and their shape,
        everything else by `str`.
    limit : int, optional
        Characters to show; what is left out is counted.

    Examples
    --------
    >>> visible("abc\x00\u202etxt")
    'abc␀⟨U+202E⟩txt'
    >>> visible("a" * 50, limit=3)
    'aaa… (47 more)'
    >>> visible(np.arange(20.0).reshape(2, 10))
    '[0 1 2 3 4 5 …] (2 × 10)'
    """
    text = as_text(thing)
    if text.isascii() and text.isprintable() and (limit is None or len(text) <= limit):
        return text
    rest = 0 if limit is None else max(0, len(text) - limit)
    shown = "".join(map(_shown, text[: len(text) - rest]))
    return f"{shown}… ({rest} more)" if rest else shown


def as_text(thing: Any) -> str:
    """Return the text of an object; a pair of landmarks is written as a difference."""
    if isinstance(thing, (bytes, bytearray)):
        return thing.decode("latin-1")
    if type(thing) is tuple:  # a named one is a thing of its own, such as a window
        return " − ".join(map(as_text, thing))
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "iuf" and thing.ndim:
        return _first_numbers(thing)
    return str(thing)


def _first_numbers(array: NDArray[Any]) -> str:
    """Return the first few numbers of an array, and its shape if there are more."""
    numbers = " ".join(f"{value:.4g}" for value in array.ravel()[:FEW])
    if array.size <= FEW and array.ndim == 1:
        return f"[{numbers}]"
    return f"[{numbers}{' …' if array.size > FEW else ''}] ({' × '.join(map(str, array.shape))})"


def glyph(character: str) -> str:
    r"""Return one character as a single visible sign, so that columns of letters stay columns.

    Examples
    --------
    >>> [glyph(c) for c in "a\t\u200b"]
    ['a', '␉', '▯']
    """
    if unicodedata.category(character) in COMBINING:
        return f"◌{character}"
    shown = _shown(character)
    return shown if len(shown) == 1 else "▯"


def escaped(thing: Any, limit: int | None = None) -> str:
    """Return visible text for HTML, inside elements and inside quoted attributes.

    Examples
    --------
    >>> escaped("<b title='x'>")
    '&lt;b title=&#x27;x&#x27;&gt;'
    """
    return html.escape(visible(thing, limit), quote=True)


def brief(thing: Any, limit: int | None = None) -> str:
    """Return an object as `visible` does, but a fraction to about four digits.

    Examples
    --------
    >>> brief(151.03714285714), brief(0.00123456), brief(245123.4), brief(7), brief("1.23456")
    ('151', '0.001235', '245123', '7', '1.23456')
    """
    if not isinstance(thing, (float, np.floating)):
        return visible(thing, limit)
    number = float(thing)
    return f"{number:.0f}" if WHOLE_FROM <= abs(number) < WHOLE_TO else f"{number:.4g}"


class Html(str):
    """Text that is HTML already; `tag` escapes all other text."""

    __slots__ = ()


def tag(name: str, *inside: Any, **attributes: Any) -> Html:
    """Return an element of HTML or SVG; only what is `Html` enters it unescaped.

    Parameters
    ----------
    name : str
    *inside : Html, list of these, or object
        Of other objects their visible text.
    **attributes : object
        A last underscore is dropped (`class_`), others become hyphens; None leaves one out.

    Examples
    --------
    >>> tag("p", "a < b", tag("b", "!", class_="loud"), data_k='"')
    '<p data-k="&quot;">a &lt; b<b class="loud">!</b></p>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    said = [f' {key}="{escaped(value)}"' for key, value in given.items() if value is not None]
    return Html(f"<{name}{''.join(said)}>{markup(*inside)}" + f"</{name}>" * (name != "input"))


def markup(*parts: Any) -> Html:
    """Return parts one after the other: `Html` as it is, lists of it joined, all else escaped."""
    return Html(
        "".join(
            one
            if isinstance(one, Html)
            else markup(*one)
            if isinstance(one, list)
            else escaped(one)
            for one in parts
        )
    )


def html_table(rows: Iterable[Sequence[Any]], head: Sequence[Any] = ()) -> Html:
    """Return a table for a notebook, every cell escaped.

    Examples
    --------
    >>> html_table([("<b>", 1)])
    '<table><tr><td>&lt;b&gt;</td><td>1</td></tr></table>'
    """
    top = [tag("tr", [tag("th", cell) for cell in head])] if head else []
    return tag("table", top, [tag("tr", [tag("td", cell) for cell in row]) for row in rows])


def _shown(character: str) -> str:
    if unicodedata.category(character) not in UNSEEN:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode has pictures of these
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
