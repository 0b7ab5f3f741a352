"""The claims here are a fixture with defects: pytest runs none of them."""

collect_ignore_glob = ["*.layout.toml"]
