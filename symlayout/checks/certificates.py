"""The certificates of a whole check: one JSON file for each proved claim."""

from __future__ import annotations

import json
import re
from pathlib import Path

from symlayout.checks.checker import ask
from symlayout.checks.result import Report
from symlayout.errors import LayoutError


def write_certificates(report: Report, folder: str) -> tuple[int, int]:
    """Writes the certificate of each proved claim; how many there are, and how many have none.

    The files are called by number and name of the claim.  A verdict that came from the cache is
    proved again.  Raises `LayoutError` (SL601) for a folder that cannot be written.
    """
    proved = [r.task for r in report.results if r.outcome.status == "proved"]
    missing = 0
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for n, task in enumerate(proved, 1):
            certificate = ask(task).certificate
            if certificate is None:
                missing += 1
                continue
            word = re.sub(r"\W+", "-", task.name or task.claim.word).strip("-")[:60]
            text = json.dumps(certificate, indent=1) + "\n"
            (Path(folder) / f"{n:04}-{word}.json").write_text(text, encoding="utf-8")
    except OSError as error:
        raise LayoutError("SL601", f"{folder} cannot be written: {error.strerror}") from None
    return len(proved) - missing, missing
