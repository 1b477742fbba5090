"""The settings' own schema: what can be set, what it may be, and what it is by default."""

from __future__ import annotations

from datetime import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

import platformdirs
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    TypeAdapter,
    model_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from assistant.i18n import Language
from assistant.records import Cost, Usage


class ImageFormat(StrEnum):
    """How a screenshot is compressed for the model."""

    JPEG = "jpeg"
    PNG = "png"
    WEBP = "webp"


class Picture(StrEnum):
    """How the latest screenshot is drawn in the terminal."""

    AUTO = "auto"
    KITTY = "kitty"
    SIXEL = "sixel"
    BLOCKS = "blocks"
    OFF = "off"


class AppLock(StrEnum):
    """Which apps a turn may use: any, or only those of its task."""

    OFF = "off"
    TASK = "task"


class Guidance(StrEnum):
    """How much of a skill like an order the model is told: nothing, the plan, or each step."""

    OFF = "off"
    PLAN = "plan"
    STEPS = "steps"


class OtherDisplays(StrEnum):
    """What makes other displays of the phone: nothing, scrcpy's server, or Android's simulated displays."""

    OFF = "off"
    SCRCPY = "scrcpy"
    OVERLAY = "overlay"


class ElementList(StrEnum):
    """Whether the list of screen elements goes with a picture: as the model learnt, always, or never."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"

    @classmethod
    def _missing_(cls, value: object) -> ElementList | None:
        """True and false, which earlier versions took."""
        return {True: cls.ALWAYS, False: cls.NEVER}.get(value) if isinstance(value, bool) else None


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PhoneSettings(_Section):
    """Which phone, and how patient to be with it. Times are seconds."""

    serial: str = Field("", description="The phone's serial or host:port; empty takes the only one there is.")
    adb_host: str = Field("127.0.0.1", description="Where the adb server listens.")
    adb_port: int = Field(5037, ge=1, le=65535, description="The adb server's port.")
    command_deadline: float = Field(15.0, gt=0, description="The most a single phone command may take.")
    settle_cap: float = Field(
        3.0, ge=0, description="The longest wait for a screen to settle after an action."
    )
    resident_helper: bool = Field(
        False,
        description="Whether uiautomator2's server runs on the phone during a turn. Looking and tapping get "
        "faster; meanwhile every program on the phone and in its network could use the server.",
    )
    helper_beside_services: bool = Field(
        False,
        description="Whether it runs also where a screen reader or another accessibility service is on, as "
        "some password managers are. Android silences these services meanwhile.",
    )
    read_pictures: bool = Field(
        True,
        description="Whether text is read from the picture, on this computer, where an app tells nothing of "
        "its screen. It needs the extra assistant[ocr].",
    )
    also: str = Field(
        "",
        description="Other phones, by serial with commas between, or all: where a command names several "
        "apps, what only reads runs on them meanwhile. They need the apps and the same accounts.",
    )
    displays: OtherDisplays = Field(
        OtherDisplays.OFF,
        description="Whether what only reads runs on other displays of the phone meanwhile: off, scrcpy (its "
        "server runs on the phone for the turn), overlay (windows over your screen). Not yet tried on a real "
        "phone; needs Android 16.",
    )
    stream: bool = Field(
        False,
        description="Whether the panel shows the phone's screen as it changes during a turn, and not only "
        "the screens of its steps. It needs the extra assistant[stream], scrcpy's server and Android 12; the "
        "phone encodes video meanwhile. Not yet tried on a real phone.",
    )
    scrcpy_server: str = Field(
        "", description="The file scrcpy-server; empty looks where scrcpy is usually installed."
    )
    return_wait: float = Field(60.0, ge=0, description="How long a turn waits for a lost phone.")

    @property
    def allows_others(self) -> bool:
        """Whether a turn may use other phones, or other displays of its own."""
        return bool(self.also) or self.displays is not OtherDisplays.OFF


class ModelSettings(_Section):
    """Which model, and how screenshots are sent to it. Times are seconds."""

    base_url: str = Field("", description="An OpenAI-compatible endpoint, such as http://localhost:8000/v1.")
    api_key: SecretStr = Field(
        SecretStr(""), description="The endpoint's key, if it wants one; empty looks in the system's keyring."
    )
    name: str = Field("", description="The model's name at the endpoint.")
    dialect: str = Field("", description="How the model writes actions; empty chooses by the model's name.")
    connect_timeout: float = Field(10.0, gt=0, description="The most it may take to connect.")
    stall_timeout: float = Field(60.0, gt=0, description="The longest silence within a reply.")
    reply_timeout: float = Field(600.0, gt=0, description="The most that a whole reply may take.")
    retries: int = Field(4, ge=0, description="How often a failed request is repeated.")
    retry_delay: float = Field(
        1.0, ge=0, description="The first delay before a repeat; it doubles each time."
    )
    malformed_retries: int = Field(
        2, ge=0, description="How often a reply that does not parse is asked for again."
    )
    max_tokens: int = Field(2048, gt=0, description="The most tokens a reply may have.")
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature.")
    top_p: float = Field(1.0, gt=0, le=1, description="Nucleus sampling; 1 leaves it to the endpoint.")
    reasoning_effort: str = Field(
        "", description="How much a reasoning model thinks, such as low; empty leaves it to the endpoint."
    )
    extra_body: str = Field(
        "", description="More parameters of each request, as a JSON object; empty for none."
    )
    image_side: int = Field(
        0,
        ge=0,
        description="The longest side of the screenshot that is sent, in pixels; 0 for the size that the "
        "model's family learnt from.",
    )
    image_format: ImageFormat = Field(ImageFormat.JPEG, description="How the screenshot is compressed.")
    image_quality: int = Field(80, ge=1, le=100, description="Compression quality of JPEG and WebP.")
    elements: ElementList = Field(
        ElementList.AUTO,
        description="Whether the list of screen elements is sent beside the picture: auto (as the model's "
        "family learnt), always, never.",
    )
    prompt_file: str = Field(
        "",
        description="A file with your own system prompt, with placeholders such as {{task}}; empty for ours.",
    )


class Price(_Section):
    """What a model's tokens cost, per million."""

    input: float = Field(ge=0, description="A million tokens that are sent.")
    output: float = Field(ge=0, description="A million tokens that come back.")
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$", description="ISO 4217.")

    def of(self, usage: Usage) -> Cost:
        """What some usage costs."""
        spent = usage.prompt_tokens * self.input + usage.completion_tokens * self.output
        return Cost(amount=spent / 1_000_000, currency=self.currency)


class TurnSettings(_Section):
    """Limits of one turn."""

    max_steps: int = Field(60, gt=0, description="The most steps a turn may take.")
    max_tokens: int = Field(0, ge=0, description="The most tokens a turn may use; 0 for no limit.")
    max_cost: float = Field(
        0.0, ge=0, description="The most money a turn may cost, in the price's currency; 0 for no limit."
    )
    max_seconds: float = Field(0.0, ge=0, description="The most seconds of work in a turn; 0 for no limit.")
    takeover: bool = Field(
        True, description="Whether a touch on the phone, a lock or a call pauses the turn."
    )
    app_lock: AppLock = Field(
        AppLock.OFF, description="Whether a turn stays in the apps of its task: off, task."
    )
    strict: bool = Field(
        False,
        description="Whether every button that the guards do not know needs approval too; that is about one "
        "harmless tap in seven.",
    )
    ask_model: bool = Field(
        False,
        description="Whether the model is asked in a short text, for at most 2 s, what the main button of a "
        "page does that the guards do not know. Its answer can only add a question.",
    )
    ask_early: bool = Field(
        True,
        description="Whether a model that reads pictures alone is asked while the phone still lists its "
        "screen elements, which saves up to a second a step; a reply that does not fit the screen is "
        "not used.",
    )
    confirm: bool = Field(True, description="Whether a success must be confirmed by a second look.")
    confirm_meaning_seconds: float = Field(
        4.0,
        ge=0,
        description="How long a command filled in from memory is shown before it runs; 0 does not wait.",
    )
    history_steps: int = Field(20, ge=0, description="How many past steps the model is told of.")
    replay: bool = Field(
        True, description="Whether steps that led to success before are repeated without asking the model."
    )
    guidance: Guidance = Field(
        Guidance.STEPS,
        description="How much the model is told of how a like order was carried out that cannot be repeated: "
        "off, plan, steps.",
    )
    name_slots: bool = Field(
        True,
        description="Whether the model is asked once about an order that was carried out for the first time "
        "which of its words may be others next time: the order and its steps, without what is secret, are "
        "sent to the endpoint after the turn.",
    )


class InterfaceSettings(_Section):
    """How the terminal interface looks."""

    theme: str = Field("textual-dark", description="A Textual theme.")
    picture: Picture = Field(
        Picture.AUTO,
        description="How the latest screenshot is drawn: auto (as the terminal says it can), kitty, sixel, "
        "blocks, off.",
    )
    transcript: str = Field(
        "", description="A file to which every turn is added as plain text; empty for none."
    )
    language: Language = Field(
        Language.AUTO, description="The language of the interface: auto takes the environment's, en, zh."
    )


class EmbeddingSettings(_Section):
    """Which model turns sentences into vectors."""

    model: str = Field(
        "", description="The name of an installed model, or a folder; empty takes the bundled one."
    )
    hub: str = Field(
        "", description="Where models are fetched from when installed by name; empty takes the usual hub."
    )


class MemorySettings(_Section):
    """Where the memory lives, and how long what was seen is kept."""

    database: SecretStr = Field(
        SecretStr(""),
        description="A PostgreSQL database that several machines share, such as "
        "postgresql://me:password@host/memory; empty keeps a file in the store.",
    )
    learning: bool = Field(True, description="Whether turns teach the memory anything.")
    screenshot_days: int = Field(30, ge=0, description="How many days screenshots are kept; 0 for no limit.")
    screenshot_megabytes: int = Field(
        500, ge=0, description="How much room screenshots may take, the oldest go first; 0 for no limit."
    )
    sent_days: int = Field(
        30, ge=0, description="How many days it is kept what was sent to the model; 0 for no limit."
    )


class UnderstandingSettings(_Section):
    """How far a command is understood before it runs."""

    enabled: bool = Field(
        True, description="Whether memory completes a vague command; else every command runs as it is typed."
    )
    looks: bool = Field(True, description="Whether what memory does not know is looked up in an app.")
    asks: bool = Field(True, description="Whether the user is asked for what is still missing.")
    with_model: bool = Field(
        True,
        description="Whether the model is asked once about a vague command that memory is not sure of: the "
        "command, what was done before that is like it or likely then, and related facts are sent to the "
        "endpoint. Explicit commands never are.",
    )


class ProfileSettings(_Section):
    """How the profile is kept."""

    with_model: bool = Field(
        False,
        description="Whether the model reads what a turn tells of the user, and names the parts of crowded "
        "concepts: then the command and the values of the profile near to it are sent to the endpoint. "
        "Without, that happens on this machine.",
    )


class PrototypeSettings(_Section):
    """How records become prototypes, and when one answers a vague command. Weights are relative."""

    theta: float = Field(0.6, ge=0, le=1, description="The least consistency of records in one prototype.")
    cosine: float = Field(
        0.3, ge=0, description="Weight of the instructions' meaning in the similarity of records."
    )
    words: float = Field(0.1, ge=0, description="Weight of shared words in the similarity of records.")
    actions: float = Field(0.2, ge=0, description="Weight of similar actions in the similarity of records.")
    arguments: float = Field(0.4, ge=0, description="Weight of shared objects in the similarity of records.")
    half_life_days: float = Field(30.0, gt=0, description="How long evidence takes to lose half its weight.")
    archive_below: float = Field(
        0.1, ge=0, description="The weight below which an unused prototype is archived."
    )
    confidence: float = Field(
        0.2, ge=0, le=1, description="The least confidence of a prototype that answers a vague command."
    )


class ProactiveSettings(_Section):
    """When routines are suggested unasked."""

    enabled: bool = Field(True, description="Whether anything is suggested unasked.")
    cost_of_being_wrong: float = Field(
        0.38, gt=0, description="Cost of an unwanted suggestion, relative to 1 for a wanted one."
    )
    a_day: int = Field(8, ge=0, description="The most suggestions a day.")
    quiet_from: time = Field(time(22, 30), description="When the quiet hours begin.")
    quiet_until: time = Field(time(6, 30), description="When they end; the same time as before for none.")
    country: str = Field(
        "", description="Whose holidays count, ISO 3166 such as CN; empty for weekends only."
    )
    undo_seconds: float = Field(
        15.0, ge=3, le=300, description="How long a routine that begins by itself can be stopped before."
    )
    wording: bool = Field(
        False,
        description="Whether the model words a suggestion, or advises against it, before it is shown: then "
        "the routine, the time and the place are sent to the endpoint.",
    )
    notify: bool = Field(False, description="Whether a suggestion is shown as a desktop notification.")
    bell: bool = Field(False, description="Whether a suggestion rings the terminal's bell.")


class PushSettings(_Section):
    """Whether a webhook or an ntfy topic is told what waits for the user, and how turns end."""

    url: str = Field(
        "",
        pattern="^(?:https?://.+)?$",
        description="Who is told: the address of an ntfy topic, or of a webhook, which gets JSON; empty for "
        "nobody.",
    )
    ntfy: bool = Field(
        False, description="Whether the address is an ntfy topic whose host has no ntfy in its name."
    )
    token: SecretStr = Field(
        SecretStr(""), description="An access token, sent as “Authorization: Bearer”; only over https."
    )
    details: bool = Field(
        False,
        description="Whether the text says what is asked: recipient, amount, app, question and command. "
        "Without, only the kind. Texts of messages and passwords are never sent.",
    )
    answers: str = Field(
        "",
        pattern="^(?:https?://.+)?$",
        description="An ntfy topic whose messages “yes CODE” and “no CODE” answer an approval; whoever can "
        "write there and read the code can approve. A yes needs the details. Empty takes no answers.",
    )
    after: float = Field(
        20.0, ge=0, description="How many seconds something waits, or a turn lasts, before anybody is told."
    )


class McpServer(_Section):
    """A program or an address that answers by the Model Context Protocol, such as one for a calendar."""

    command: str = Field("", description="The program to start, such as uvx; it speaks over its input.")
    args: tuple[str, ...] = Field((), description="Its arguments.")
    env: dict[str, SecretStr] = Field(
        default_factory=dict, description="Its environment, beside a few harmless variables such as PATH."
    )
    url: str = Field("", pattern=r"^(https?://.+)?$", description="An address, in the place of a program.")
    headers: dict[str, SecretStr] = Field(
        default_factory=dict, description="What is sent to the address with each request, such as a key."
    )
    tools: tuple[str, ...] = Field(
        (),
        description="The tools that may be used; empty for all that say of themselves that they only read.",
    )
    seconds: float = Field(15.0, gt=0, le=120, description="The most a look-up may take, the start included.")

    @model_validator(mode="after")
    def _has_one_way(self) -> Self:
        if bool(self.command) is bool(self.url):
            raise PydanticCustomError("ways", "needs either a command or an address (url)")
        return self


class McpSettings(_Section):
    """Other sources that are asked for what a command leaves open."""

    servers: dict[Annotated[str, StringConstraints(pattern=r"^[\w-]{1,40}$")], McpServer] = Field(
        default_factory=dict, description="The servers, by the name under which they are shown."
    )


class Settings(BaseSettings):
    """All settings. Environment variables look like `ASSISTANT_MODEL__BASE_URL`."""

    model_config = SettingsConfigDict(
        env_prefix="ASSISTANT_", env_nested_delimiter="__", extra="forbid", frozen=True, env_ignore_empty=True
    )

    store: Path = Field(
        default_factory=lambda: default_store(), description="The folder of the local memory."
    )
    user_id: str = Field("me", min_length=1, description="Whose memory it is.")
    phone: PhoneSettings = PhoneSettings()
    model: ModelSettings = ModelSettings()
    turn: TurnSettings = TurnSettings()
    interface: InterfaceSettings = InterfaceSettings()
    memory: MemorySettings = MemorySettings()
    understanding: UnderstandingSettings = UnderstandingSettings()
    profile: ProfileSettings = ProfileSettings()
    prototypes: PrototypeSettings = PrototypeSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    proactive: ProactiveSettings = ProactiveSettings()
    push: PushSettings = PushSettings()
    mcp: McpSettings = McpSettings()
    keys: dict[str, str] = Field(
        default_factory=dict, description='Keys of the interface by action, such as history = "ctrl+r".'
    )
    prices: dict[str, Price] = Field(default_factory=dict, description="What models cost, by model name.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file, whose values come in as arguments."""
        return env_settings, init_settings

    def overridden(self, values: dict[str, Any]) -> Settings:
        """The same settings with some values replaced, nested as the file is; None takes a name out.

        Raises:
            ValidationError: a value is out of range.
        """
        changes: dict[str, Any] = {}
        for name, value in values.items():
            current = getattr(self, name)
            if isinstance(current, BaseModel) and isinstance(value, dict):
                changes[name] = type(current).model_validate({**current.model_dump(), **value})
            elif isinstance(current, dict) and isinstance(value, dict):
                named = {key: kept for key, kept in {**current, **value}.items() if kept is not None}
                kind: Any = type(self).model_fields[name].annotation
                changes[name] = TypeAdapter(kind).validate_python(named)
            else:
                changes[name] = value
        return self.model_copy(update=changes)


def default_store() -> Path:
    """`memory_store/` of a checkout, else the platform's data folder."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "memory_store").is_dir():
        return checkout / "memory_store"
    return platformdirs.user_data_path("assistant")
