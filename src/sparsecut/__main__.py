"""`python -m sparsecut` is the `sparsecut` program."""

from sparsecut.cli import main

main()
