"""`assistant bench …`."""

from __future__ import annotations

import typer

bench_app = typer.Typer(help="Figures beside their baselines, from one run.", no_args_is_help=True)
