"""`symlayout schema`: the JSON Schema of claims files, or of the report."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from symlayout import checks
from symlayout.layouts.vocabulary import CLAIMS


def run(args: Namespace) -> int:
    """`symlayout schema [claims|report]`."""
    file = Path(checks.__file__).with_name(f"{args.kind}.schema.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    if args.kind == "claims":
        words = rf"^\s*({'|'.join(CLAIMS)})(\s|$)"
        data["definitions"]["claim"]["properties"]["prove"]["pattern"] = words
    print(json.dumps(data, indent=2))
    return 0
