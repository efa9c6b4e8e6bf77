"""Embeddings that a user would pick today, one file per library or method, run on the same graphs and probed alike.

    pip install -r benchmarks/peers/requirements.txt
    OMP_NUM_THREADS=1 python benchmarks/peers [--graphs cora,...] [--methods "SCE;FastRP"] [--force] [--time]

`methods.py` is the list, `measure.py` one fit in a process of its own, `scores.py` its accuracies, `page.py` the tables.
"""
