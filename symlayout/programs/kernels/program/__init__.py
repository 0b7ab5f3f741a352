"""The small language that functions of C are lowered into: expressions, actions and statements."""
