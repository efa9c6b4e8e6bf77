"""The command line: one file per command, each of which parses its options, calls the library and prints.

Input that breaks a rule ends with one sentence on standard error and exit code 2; any other exception is a defect of the
program, reported as such with exit code 70. torch, scikit-learn and pyarrow are imported inside the commands, so that
`--help` and completion answer at once.

- `program`: the program `sparsecut` and its commands. `help_pages`: how a help page looks.
- `options`: options that several commands have, in groups. `completion`: the words they take, and completion.
- `gathering`: options that a command gets together, as one object.
- `engine_options`: `--engine` and the options that engines declare. `engine_run`: what is done around an engine's work.
- `graph_input`: GRAPH and the options for reading it. `embedding_input`: EMBEDDING and the labels of its nodes.
  `node_words`: NODE… and `--batch`.
- `console`: tables, JSON and notes. `pipes`: `-` for standard input and output. `evaluate_tasks`: what `evaluate` measures.
- Every other module is the command of its name.
"""

from sparsecut.cli.program import app, main

__all__ = ["app", "main"]
