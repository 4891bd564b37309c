"""Every performance figure, measured as ratios within one run: `python -m benchmarks`."""
