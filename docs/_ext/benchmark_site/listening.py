"""Sounds on prose pages: the directives ``listen``, ``sound`` and ``made-of``.

.. code-block:: rst

   .. listen:: Noise

      .. sound:: speech.wav

         .. plot::
            :alt: Waveform and spectrogram of the original

            from common.figures.audio import plot_file
            plot_file("../extra/media/speech.wav", "original")

``listen`` is a group that a reader hears at one position in all its sounds; ``sound`` is a file
below ``extra/media/`` with what is said about it. Without the script of the site both are plain
HTML with a player of the browser for each file. A file that could not be made leaves the reason
in its place. ``made-of`` has the files that its content, such as a plot, is made of.
"""

from __future__ import annotations

import json
import posixpath
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from site_frame.relative import relative

from common.figures.audio import LEFT, RIGHT, span_s

MEDIA = "extra/media"
STATE = f"{MEDIA}/examples.json"
NOT_MADE = "It is made by python build.py."


def known(source: Path) -> dict[str, Any]:
    """What is known about the sound files below a source folder."""
    try:
        state: dict[str, Any] = json.loads((source / STATE).read_text("utf-8"))
        return state
    except (OSError, ValueError):
        return {"files": {}, "missing": {}}


def depend(env: Any, file: str) -> None:
    """Let Sphinx read a page again when a file changes.

    A page that depends on a file that is not there would be read each time; that such a file comes
    is noticed by :func:`benchmark_site.plots.outdated`.
    """
    if Path(env.srcdir, file).is_file():
        env.note_dependency(file)


def html(text: str) -> nodes.raw:
    """Finished HTML as a node."""
    return nodes.raw("", text, format="html")


class Listen(Directive):
    """A group of sounds."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The sounds between two tags."""
        self.assert_has_content()
        label = escape(f"Listen: {self.arguments[0]}")
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        begin = html(f'<div class="listen" role="group" aria-label="{label}">')
        return [begin, *inside.children, html("</div>")]


class MadeOf(Directive):
    """What is made of sound files; where one of them is missing, the reason."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The content, or a sentence in its place."""
        self.assert_has_content()
        env = self.state.document.settings.env
        source = Path(env.srcdir)
        depend(env, STATE)
        state = known(source)
        for file in self.arguments[0].split():
            depend(env, f"{MEDIA}/{file}")
            if file not in state["files"] or not (source / MEDIA / file).is_file():
                why = str(state["missing"].get(file, "") or NOT_MADE)
                return [html(f'<p class="quiet">There is no picture here. {escape(why)}</p>')]
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        return list(inside.children)


class Sound(Directive):
    """One sound of a group, with its picture and whatever else is said about it."""

    has_content = True
    required_arguments = 1
    option_spec: ClassVar = {"label": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Name, content and player; where the file is missing, name and reason."""
        env = self.state.document.settings.env
        source, file = Path(env.srcdir), self.arguments[0]
        depend(env, STATE)
        depend(env, f"{MEDIA}/{file}")
        state = known(source)
        facts = state["files"].get(file, {})
        label = str(self.options.get("label") or facts.get("label") or Path(file).stem)
        title = html(f'<p class="sound-name">{escape(label)}</p>')
        if not facts or not (source / MEDIA / file).is_file():
            why = str(state["missing"].get(file, "") or NOT_MADE)
            text = f'<p class="quiet">There is no sound here. {escape(why)}</p></div>'
            return [html('<div class="sound absent">'), title, html(text)]
        src = relative(f"{MEDIA}/{file}", posixpath.dirname(env.docname))
        seconds = float(facts["seconds"])
        axis = f"{LEFT} {RIGHT} {span_s(seconds)}"
        begin = (
            f'<div class="sound" data-lufs="{facts["lufs"]}" data-seconds="{seconds}"'
            f' data-axis="{axis}">'
        )
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        player = f'<audio controls preload="none" src="{src}" aria-label="{escape(label)}"></audio>'
        return [html(begin), title, *inside.children, html(f"{player}</div>")]
