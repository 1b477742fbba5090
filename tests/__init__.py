"""Tests, whose bytecode is kept: each worker and each child program reads it instead of compiling it again.

An environment that forbids bytecode files (`PYTHONDONTWRITEBYTECODE`) makes each worker rewrite the
assertions of all test modules, which costs more than a tenth of a run. Git ignores the files.
"""

from __future__ import annotations

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
