"""The kernels here are data: pytest imports none of them."""

collect_ignore_glob = ["*.py"]
