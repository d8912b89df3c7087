"""`python -m stripeless`, the same as `stripeless`."""

from stripeless.cli import main

main()
