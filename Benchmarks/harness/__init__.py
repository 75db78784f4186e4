"""The parts of `bench`, which measures, of `count`, which counts, and of `guard`, which detects gross regressions."""
