"""Claims about index functions: cases of their domain, proved each apart; searched point by point."""
