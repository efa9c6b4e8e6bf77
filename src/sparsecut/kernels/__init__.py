"""Arithmetic on arrays, in float32 and half precision, on CPU and GPU: sparse products, hops, moments, eigenvectors."""
