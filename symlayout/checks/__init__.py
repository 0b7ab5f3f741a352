"""Checking files of claims: loaders, the checker, results, reporters, each apart.

A loader turns a file into claims (`Task`) and mistakes (`Problem`); the runner has the checker
judge each claim; a reporter prints the results in one format.
"""
