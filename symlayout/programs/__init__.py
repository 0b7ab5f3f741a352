"""What compilers and people write: modules (`hlo/`) and kernels, read as programs."""
