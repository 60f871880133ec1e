"""The generators here are scripts: pytest does not import them."""

collect_ignore_glob = ["*.py"]
