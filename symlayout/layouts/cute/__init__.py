"""CuTe and TLA layouts as values: shape:stride, formats, swizzles."""
