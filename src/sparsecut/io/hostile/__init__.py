"""Files that may be damaged or made to harm: limits, and a process of its own that reads them."""
