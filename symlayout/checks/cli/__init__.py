"""What each command does, a module each with `run(args) -> exit code`: results on stdout."""
