"""Integer expressions: terms, the one grammar, facts, arrays, SMT-LIB."""
