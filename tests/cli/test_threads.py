"""Threads of the command line: as many as cores are free, and never fewer than one."""

import os

import pytest
import torch

from spacy_lal.cli import threads


@pytest.mark.parametrize(
    "cores, load, free",
    [(2, 0.0, 2), (2, 0.2, 2), (2, 0.8, 1), (2, 1.1, 1), (2, 9.0, 1), (8, 2.9, 5), (8, 0.74, 8), (1, 3.0, 1)],
)
def test_cores_that_others_take_are_left_to_them(cores, load, free, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    assert threads.free_cores() == free


@pytest.mark.parametrize("named, expected", [("", 1), ("3", 2)])
def test_torch_gets_them_unless_the_environment_says_how_many(named, expected, monkeypatch):
    before = torch.get_num_threads()
    for name in threads.NAMED:
        monkeypatch.setenv(name, named)
    monkeypatch.setattr(threads, "free_cores", lambda: 1)
    try:
        torch.set_num_threads(2)
        threads.use_free_cores()
        assert torch.get_num_threads() == expected
    finally:
        torch.set_num_threads(before)
