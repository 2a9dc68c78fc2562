"""The page and what it shows as one file of HTML."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from gops_lab.web.page import page_files

ENTRY = "exported.js"
"""The module that begins the page where no server is."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const |function |async function )", re.MULTILINE)


def single_file(data: Mapping[str, Any]) -> str:
    """Return the page with its style, its program and the data inside.

    The data are compressed, and the program unpacks them. A policy in the file lets nothing run or
    load but what is inside.

    Examples
    --------
    >>> "http" in single_file({}).replace("http-equiv", "").replace("http://www.w3.org/2000", "")
    False
    """
    files = page_files()
    style, program = files["style.css"], joined_modules(ENTRY)
    icon = base64.b64encode(files["icon.svg"].encode()).decode()
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(program)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = files["index.html"]
    for old, new in (
        ('<meta charset="utf-8">\n',
         '<meta charset="utf-8">\n'
         f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'),
        ('<link rel="icon" href="icon.svg">',
         f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">'),
        ('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>"),
        ('<script type="module" src="main.js"></script>', ""),
        ("</body>",
         f'<script type="text/plain" id="data">{base64.b64encode(packed).decode()}</script>\n'
         f'<script type="module">{program}</script>\n</body>'),
    ):
        before, found, after = page.partition(old)
        assert found, f"index.html lacks {old}"
        page = f"{before}{new}{after}"
    return page


def joined_modules(entry: str) -> str:
    """Return a module and all that it imports as one, each after those it needs."""
    files = page_files()
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for needed in _IMPORT.findall(files[name]):
                visit(needed)
            order.append(name)

    visit(entry)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", files[name])) for name in order)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
