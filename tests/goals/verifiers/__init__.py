"""Tests of the verifiers room."""
