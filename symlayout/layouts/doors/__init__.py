"""Other systems' notations and objects, read as the values that we have: strided, maps, layouts."""
