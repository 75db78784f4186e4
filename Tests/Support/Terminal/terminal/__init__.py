"""The support of the topics that are written in Python: runs the program, compares its output, and serves scripts."""
