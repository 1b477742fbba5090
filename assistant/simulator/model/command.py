"""`assistant simulate model`: a scripted model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.simulator.model.eye import can_read
from assistant.simulator.model.families import families
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import SCATTER, ModelAddress, ModelOptions
from assistant.simulator.model.server import serve_model
from assistant.simulator.serving import (
    JsonOption,
    PortOption,
    SeedOption,
    StdinOption,
    serve_until_told,
    tell,
)


def _fault(text: str) -> Fault:
    kind, _, times = text.partition(":")
    try:
        return Fault(kind=FaultKind(kind), times=None if times == "all" else int(times or 1))
    except ValueError as error:
        kinds = ", ".join(FaultKind)
        raise typer.BadParameter(f"{text} is not KIND or KIND:TIMES with one of {kinds}.") from error


def model_command(
    port: PortOption = 0,
    key: Annotated[str, typer.Option(help="A key that requests must carry.")] = "",
    pace: Annotated[float, typer.Option(min=0, help="Tokens per second; 0 for at once.")] = 0.0,
    first_token: Annotated[float, typer.Option(min=0, help="Seconds before each reply begins.")] = 0.0,
    seed: SeedOption = 0,
    family: Annotated[
        str,
        typer.Option(help="Write as this family; by default as the model's name in the request says."),
    ] = "",
    scatter: Annotated[
        float,
        typer.Option(min=0, max=0.2, help="How far beside the middle it taps, as a share."),
    ] = SCATTER,
    ocr: Annotated[
        bool,
        typer.Option(
            "--ocr",
            help="Read the picture where a request has no list of elements (assistant[ocr]).",
        ),
    ] = False,
    fault: Annotated[
        list[Fault] | None,
        typer.Option(
            parser=_fault,
            metavar="KIND[:TIMES]",
            help=f"Spoil the next TIMES requests (1, or all), again for more: {', '.join(FaultKind)}.",
        ),
    ] = None,
    as_json: JsonOption = False,
    until_stdin_closes: StdinOption = False,
) -> None:
    """A scripted model behind an OpenAI-compatible endpoint; it knows the simulated apps' tasks."""
    if family and family not in families():
        raise typer.BadParameter(f"There is no family {family}. There are: {', '.join(families())}.")
    if ocr and not can_read():
        raise typer.BadParameter("reading pictures takes the extra: pip install 'assistant[ocr]'")
    options = ModelOptions(
        port=port,
        key=key,
        pace=pace,
        first_token=first_token,
        seed=seed,
        faults=tuple(fault or ()),
        family=family,
        scatter=scatter,
        reads=ocr,
    )

    def ready(address: ModelAddress) -> None:
        about = {"simulated": True, "base_url": address.base_url, "port": address.port}
        tell(about, as_json, "Scripted model: {base_url}")

    serve_until_told(serve_model(options, ready), until_stdin_closes)
