# SPDX-License-Identifier: BSD-2-Clause
"""Disks, pipes, signals, processes."""
TESTS = []
