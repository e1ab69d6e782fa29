"""The rules that vizgrad keeps, and where each is shown: see README.md; `python -m tests.rules` reports."""
