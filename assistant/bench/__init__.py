"""Benchmarks: each prints figures beside their baselines from the same run."""
