"""Damaged and hostile files of every kind that vizgrad reads: none may crash, hang or take much memory.

`python -m tests.fuzz_files --count 100000` reads so many of each kind, and
`tests/serialization/test_fuzz_files.py` some of them in `make test`. "page" is for traces as the front end
reads them.
"""
