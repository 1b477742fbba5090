"""`assistant bench him|scale`: the memory on synthetic lives."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from assistant.bench import him, proactive, scale
from assistant.bench.finishing import finish, progress
from assistant.bench.hashing import HASHING, load_embedder
from assistant.config import ProactiveSettings
from assistant.embedding.embeds import Embeds
from assistant.embedding.errors import EmbeddingError
from assistant.simulator.life.commands import Languages
from assistant.simulator.life.people import LifeOptions

ModelOption = Annotated[
    str, typer.Option(metavar="NAME", help=f"Embedding model; {HASHING} for characters without a model.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PeopleOption = Annotated[int, typer.Option(min=1, help="How many people live.")]
WeeksOption = Annotated[int, typer.Option(min=3, help="How long each life lasts.")]
LocaleOption = Annotated[Languages, typer.Option(help="What language people speak.")]
HardOption = Annotated[bool, typer.Option("--hard", help="Looser lives, the scenario often unknown.")]
SeedOption = Annotated[
    int, typer.Option(help="Which lives; settings were found on seeds 100 to 109, take others.")
]

life_bench = typer.Typer()


@life_bench.command("him")
def him_command(
    people: PeopleOption = 12,
    weeks: WeeksOption = 8,
    locale: LocaleOption = Languages.MIXED,
    hard: HardOption = False,
    model: ModelOption = "",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Clusters, kinds and vague commands on synthetic lives, beside baselines and ablations."""
    language: Literal["en", "zh", "mixed"] = locale.value
    options = LifeOptions(seed, weeks, language, hard, people)
    finish(him.run(options, chosen_model(model), progress), as_json)


@life_bench.command("scale")
def scale_command(
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=100, metavar="N", help="This many records only.")
    ] = None,
    huge: Annotated[bool, typer.Option("--huge", help=f"Also {scale.LARGEST:,} records.")] = False,
    model: ModelOption = "",
    seed: Annotated[int, typer.Option(help="Which lives.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """How time and memory grow with records: import, vectors, aggregation, one more day."""
    chosen_model(model)
    wanted = [*(sizes or scale.SIZES), *((scale.LARGEST,) if huge else ())]
    finish(scale.run(wanted, seed, model), as_json)


@life_bench.command("proactive")
def proactive_command(
    people: PeopleOption = 12,
    weeks: WeeksOption = 10,
    locale: LocaleOption = Languages.MIXED,
    hard: HardOption = False,
    routines: Annotated[
        bool, typer.Option("--routines/--no-routines", help="Whether people have routines at all.")
    ] = True,
    model: ModelOption = "",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """When to suggest what, on states of synthetic lives, beside the paper's way and simple rules."""
    language: Literal["en", "zh", "mixed"] = locale.value
    options = LifeOptions(seed, weeks, language, hard, people, routines)
    finish(proactive.run(options, chosen_model(model), ProactiveSettings(), progress), as_json)


def chosen_model(name: str) -> Embeds:
    """The embedder of that name.

    Raises:
        typer.Exit: it cannot be loaded; the reason is told.
    """
    try:
        return load_embedder(name)
    except EmbeddingError as error:
        typer.echo(f"{error} Or measure without a model: --model {HASHING}", err=True)
        raise typer.Exit(1) from error
