"""The fit: what is chosen from the graph, the solvers, the estimators `SCE` and `MoSCE`, and their files."""
