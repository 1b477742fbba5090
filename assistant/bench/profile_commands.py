"""`assistant bench profile|profile-scale`: the profile graph beside other ways to remember."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.bench import profile_recall, profile_scale
from assistant.bench.finishing import finish, progress
from assistant.bench.life_commands import JsonOption, ModelOption, chosen_model

profile_bench = typer.Typer()


@profile_bench.command("profile")
def profile_command(
    people: Annotated[int, typer.Option(min=1, help="How many people.")] = 20,
    seed: Annotated[
        int, typer.Option(help="The first person; below 50 are those that rules were developed on.")
    ] = profile_recall.FIRST_SEED,
    model: ModelOption = "",
    as_json: JsonOption = False,
) -> None:
    """What vague tasks need to know, retrieved within 2,000 tokens, beside vectors and mem0."""
    seeds = range(seed, seed + people)
    development = seed < profile_recall.FIRST_SEED
    embeds = chosen_model(model)
    tallies = profile_recall.run(embeds, seeds, development, progress)
    finish(profile_recall.report(tallies, seeds, embeds.model_id), as_json)


@profile_bench.command("profile-scale")
def profile_scale_command(
    sizes: Annotated[
        list[int] | None, typer.Option("--nodes", metavar="N", min=21, help="Measure this size only.")
    ] = None,
    chroma: Annotated[bool, typer.Option(help="Compare chromadb, where it is installed.")] = True,
    model: ModelOption = "",
    seed: Annotated[int, typer.Option(help="Draws the vectors.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Update and retrieval at 100 to 100,000 nodes, beside chromadb and the naive store."""
    embeds = chosen_model(model)
    measured = profile_scale.run(embeds, sizes or profile_scale.SIZES, seed, progress, chroma)
    finish(profile_scale.report(measured, embeds.model_id), as_json)
