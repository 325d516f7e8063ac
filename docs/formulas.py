"""Formulas of the docs, typeset: blocks of the language `formula`, plain text that reads well as it
stands, become MathML, which browsers draw by themselves. No library, no network.

    formula(text) -> one <math> a line

Written as in code: a_b is a subscript, a^2 a superscript, x' a derivative, a / b a fraction of its
two neighbours, sqrt(...) a root, `u x v` a cross product, `u . v` a dot product. Greek letters and
functions by name; words are words. Columns behind three spaces or more stand apart.
"""

from __future__ import annotations

import re
from html import escape

GREEK = re.findall(
    r"\w+", "alpha beta gamma delta zeta eta lambda mu omega phi pi rho sigma tau xi"
)
FUNCTIONS = ("min", "max", "sin", "cos", "exp", "log")
SIGNS = {
    "<=": "&le;",
    "<-": "&larr;",
    ">=": "&ge;",
    "+-": "&plusmn;",
    "->": "&rarr;",
    "-": "&minus;",
}
CROSS, DOT, PRIME = "&times;", "&sdot;", "&prime;"
TOKEN = re.compile(
    r"[A-Za-z]+(?:_[A-Za-z]+){2,}|[A-Za-z][A-Za-z0-9]*|\d+(?:\.\d+)?"
    r"|<=|<-|>=|\+-|\+=|->|'+|[^\sA-Za-z0-9]"
)
BLOCK = re.compile(r"^```formula\n(.*?)^```$", re.S | re.M)
SOURCE = "De Stefano|Franken|Lange|Zebenay"  # a column that says whose equation it is
SHORT = 2  # letters: a longer name is a word, unless it is Greek or has a subscript
LITTLE = ("of", "at", "on", "to", "or", "is", "by", "in")


def typeset(page: str) -> str:
    """A page's source with its formulas as MathML."""
    return BLOCK.sub(lambda block: f'<div class="formula">\n{formula(block[1])}\n</div>\n', page)


def formula(text: str) -> str:
    """Every line as one <math>."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "\n".join(f'<math display="block">{_line(line)}</math>' for line in lines)


def _line(line: str) -> str:
    line = re.sub(r" +(?=(?:<|>|\+)?= )", " ", line)  # what only lines up equal signs
    columns = [_column(part) for part in re.split(r" {3,}", line)]
    return '<mspace width="2em"></mspace>'.join(f"<mrow>{one}</mrow>" for one in columns)


def _column(part: str) -> str:
    if re.match(SOURCE, part):
        return f"<mtext>{escape(part)}</mtext>"
    return "".join(_Row(TOKEN.findall(part)).parsed())


class _Row:
    """A row of tokens, read from left to right."""

    def __init__(self, tokens: list[str]):
        self.tokens, self.at = tokens, 0

    def _peek(self, ahead: int = 0) -> str:
        here = self.at + ahead
        return self.tokens[here] if here < len(self.tokens) else ""

    def _take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def parsed(self, closing: str = "") -> list[str]:
        """Nodes up to a closing bracket or the end."""
        nodes: list[str] = []
        while self.at < len(self.tokens) and self._peek() != closing:
            if self._peek() == "/" and nodes:
                self._take()
                below = self._scripted(bare=True)
                above = nodes.pop()
                if "<mo>,</mo>" not in above:
                    above = re.sub(r"^<mrow><mo>\(</mo>(.*)<mo>\)</mo></mrow>$", r"\1", above)
                nodes.append(f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>")
            elif self._between_vectors(nodes):
                nodes.append(f"<mo>{CROSS if self._take() == 'x' else DOT}</mo>")
            else:
                nodes.append(self._scripted())
        return nodes

    def _between_vectors(self, nodes: list[str]) -> bool:
        """Whether an x or a point stands between two factors."""
        if self._peek() not in ("x", ".") or not nodes or nodes[-1].startswith("<mo>"):
            return False
        return bool(re.match(r"[A-Za-z0-9(]", self._peek(1)))

    def _scripted(self, bare: bool = False) -> str:
        """An atom with its subscript, primes and superscript."""
        node = self._atom(bare)
        below = above = ""
        while self._peek() in ("_", "^") or self._peek().startswith("'"):
            mark = self._take()
            if mark == "_":
                below = self._script()
            else:
                above += self._script() if mark == "^" else f"<mo>{PRIME * len(mark)}</mo>"
        if below and above:
            return f"<msubsup>{node}<mrow>{below}</mrow><mrow>{above}</mrow></msubsup>"
        if below:
            return f"<msub>{node}<mrow>{below}</mrow></msub>"
        return f"<msup>{node}<mrow>{above}</mrow></msup>" if above else node

    def _script(self) -> str:
        sign = f"<mo>{SIGNS['-']}</mo>" if self._peek() == "-" and self._take() else ""
        return sign + self._atom(bare=True, script=True)

    def _atom(self, bare: bool = False, script: bool = False) -> str:
        token = self._take()
        if token == "sqrt" and self._peek() == "(":
            return f"<msqrt>{self._group(bare=True)}</msqrt>"
        if token == "(":
            self.at -= 1
            return self._group(bare)
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token[0].isalpha():
            return self._name(token, script)
        return f"<mo>{SIGNS.get(token) or escape(token)}</mo>"

    def _group(self, bare: bool) -> str:
        self._take()
        inside = "".join(self.parsed(")"))
        if self._peek() == ")":
            self._take()
        return f"<mrow>{inside}</mrow>" if bare else f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"

    def _name(self, token: str, script: bool) -> str:
        if token in GREEK:
            return f"<mi>&{token};</mi>"
        if "_" in token:  # a key of the metrics
            return f"<mtext>{token}</mtext>"
        if re.fullmatch(r"[a-z]\d", token):
            return f"<msub><mi>{token[0]}</mi><mn>{token[1]}</mn></msub>"
        if token in FUNCTIONS:
            return f"<mo>{token}</mo>"
        word = len(token) > SHORT or token in LITTLE
        if word and not script:
            return f"<mtext>&#160;{token}&#160;</mtext>"
        return f'<mi mathvariant="normal">{token}</mi>' if word else f"<mi>{token}</mi>"
