"""What every room may use: errors and warnings, parameters and choices, lazy names, progress, the version."""
