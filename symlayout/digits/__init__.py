"""The digit engine: integer expressions as polynomials in digits, with no division left.

poly: exact sparse polynomials; context: atoms, Euclid's splits and division; bounds: signs;
assume: facts; rebuild: back to expressions; radix: mixed-radix structure; solver: Z3 for the rest.
"""
