"""`python -m stripeless.cli`, the same as `stripeless`."""

from stripeless.cli import main

main()
