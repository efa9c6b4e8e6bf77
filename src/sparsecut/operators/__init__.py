"""The mathematics of the method: filters and their matrix, negative graphs, losses, how levels become one."""
