"""The words of the founding documents are in the index that the site's search asks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish

WORDS = (
    *("minor_to_major", "padded_dimensions", "true rank", "linear index", "IntTuple"),
    *("pad-reshape-transpose", "InDim", "degenerate", "MakeLayout", "crd2offset"),
    *("make_layout_tile", "linear_to_coordinates", "broadcast_map", "true_rank"),
)


def found(index: str, word: str) -> bool:
    """Whether each part of the word, as the search reads it, is in the index."""
    data = json.loads(index[index.index("(") + 1 : index.rindex(")")])
    terms = {**data["terms"], **data["titleterms"]}
    stem = SearchEnglish({}).stem
    return all(stem(part.lower()) in terms for part in re.findall(r"\w+", word))


def check(app: Any, error: Exception | None) -> None:
    """Raises `ExtensionError` for a word that a search would not find."""
    if error is not None or app.builder.name != "html":
        return
    index = (Path(app.outdir) / "searchindex.js").read_text(encoding="utf-8")
    missing = [w for w in WORDS if not found(index, w)]
    if missing:
        raise ExtensionError(f"the search does not find: {', '.join(missing)}")


def setup(app: Any) -> dict[str, bool]:
    """Looks at the index once the site is built."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
