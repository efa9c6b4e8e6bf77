"""Arrays that may be larger than memory, walked in blocks, and numbers that float32 cannot hold."""
