"""Where each key of a TOML file stands: path of the key to line number. tomllib parses but does not
tell.

A light scanner that knows just enough of TOML: tables, arrays of tables, dotted and quoted keys,
strings of all four kinds, arrays and inline tables over several lines. It runs only on text that
tomllib has accepted.
"""

from __future__ import annotations

import re

_KEY_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")


def key_lines(text: str) -> dict[str, int]:
    """Line (from 1) of every key and table header, by dotted path; array elements of tables by
    index: `contact.0.geometry`."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str):
        self.text, self.at = text, 0
        self.counted, self.newlines = 0, 0  # line ends up to `counted`: the scan only goes forward
        self.lines: dict[str, int] = {}
        self.counts: dict[str, int] = {}  # elements seen of each array of tables

    def scan(self) -> dict[str, int]:
        prefix: list[str] = []
        while self.skip_blank(newlines=True):
            if self.text[self.at] == "[":
                prefix = self.header()
            else:
                self.assignment(prefix)
        return self.lines

    def line(self) -> int:
        self.newlines += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.newlines + 1

    def note(self, path: list[str], line: int) -> None:
        self.lines.setdefault(".".join(path), line)

    def skip_blank(self, newlines: bool) -> bool:
        """Past white space and comments; False at the end."""
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif c in " \t\r" or (newlines and c == "\n"):
                self.at += 1
            else:
                return True
        return False

    def key(self) -> list[str]:
        parts: list[str] = []
        while True:
            match = _KEY_PART.match(self.text, self.at)
            if match is None:
                return parts
            parts.append(next(g for g in match.groups() if g is not None))
            self.at = match.end()
            if self.at >= len(self.text) or self.text[self.at] != ".":
                return parts
            self.at += 1

    def header(self) -> list[str]:
        line, is_array = self.line(), self.text.startswith("[[", self.at)
        self.at += 2 if is_array else 1
        path = self.indexed(self.key(), drop_last=is_array)
        self.at = self.text.find("\n", self.at)
        self.at = len(self.text) if self.at < 0 else self.at
        if is_array:
            name = ".".join(path)
            self.counts[name] = self.counts.get(name, -1) + 1
            self.note(path, line)
            path = [*path, str(self.counts[name])]
        self.note(path, line)
        return path

    def indexed(self, parts: list[str], drop_last: bool) -> list[str]:
        """A header's path with the index of the newest element behind each array of tables."""
        path: list[str] = []
        for i, part in enumerate(parts):
            path.append(part)
            name = ".".join(path)
            if name in self.counts and not (drop_last and i == len(parts) - 1):
                path.append(str(self.counts[name]))
        return path

    def assignment(self, prefix: list[str]) -> None:
        line = self.line()
        path = [*prefix, *self.key()]
        self.note(path, line)
        self.skip_blank(newlines=False)
        if self.at < len(self.text) and self.text[self.at] == "=":
            self.at += 1
            self.value(path)
        else:
            self.at += 1  # cannot happen in accepted text; never loop

    def value(self, path: list[str]) -> None:
        self.skip_blank(newlines=False)
        if self.at >= len(self.text):
            return
        c = self.text[self.at]
        if c in "\"'":
            self.string()
        elif c == "{":
            self.inline_table(path)
        elif c == "[":
            self.array(path)
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",\n#]}":
                self.at += 1

    def string(self) -> None:
        quote = self.text[self.at]
        fence = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(fence)
        while self.at < len(self.text) and not self.text.startswith(fence, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(fence)

    def array(self, path: list[str]) -> None:
        self.at += 1
        index = 0
        while self.skip_blank(newlines=True) and self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                index += 1
                continue
            self.note([*path, str(index)], self.line())
            self.value([*path, str(index)])
        self.at += 1

    def inline_table(self, path: list[str]) -> None:
        self.at += 1
        while self.skip_blank(newlines=True) and self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self.assignment(path)
        self.at += 1
