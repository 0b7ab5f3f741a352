"""`symlayout lsp`: claims, verdicts and formulas in any editor that speaks the protocol."""

from __future__ import annotations

import logging
from argparse import Namespace

from symlayout.errors import LayoutError


def run(args: Namespace) -> int:
    """`symlayout lsp`: serves on stdin and stdout until the editor goes."""
    try:
        from symlayout.checks.lsp import OneLine, make_server
    except ImportError as error:
        message = f"the language server needs {error.name}"
        help = "pip install 'symlayout[lsp]'"
        raise LayoutError("SL600", message, help=help) from None
    log = logging.StreamHandler()  # what goes wrong while the editor leaves, among others
    log.setFormatter(OneLine())
    logging.getLogger("pygls").addHandler(log)
    server = make_server()
    server.start_io()
    server.pool.shutdown(wait=False, cancel_futures=True)
    return 0
