"""The notations, and the index map that each ends in."""
