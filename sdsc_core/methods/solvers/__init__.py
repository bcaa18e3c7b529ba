"""Solvers that several methods share."""
