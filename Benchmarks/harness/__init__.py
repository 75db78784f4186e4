"""The parts of `bench`, which measures, and of `guard`, which looks for gross regressions."""
