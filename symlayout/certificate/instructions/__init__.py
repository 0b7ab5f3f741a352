"""The checker's own rules of instructions, by what they are about; `opcodes` has them by name."""
