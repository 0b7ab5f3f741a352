"""The functions of Triton's language: what each one computes, loads or stores."""
