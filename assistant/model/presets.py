"""Known endpoints: where they are, whether they want a key, and a model of theirs that can operate a phone.

Base addresses as in each project's own documentation of its OpenAI-compatible interface.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.i18n import later


@dataclass(frozen=True, slots=True)
class Preset:
    """One kind of endpoint. `example` names a model that sees pictures; `hint` says how to get going."""

    id: str
    title: str
    base_url: str
    needs_key: bool
    example: str = ""
    hint: str = ""


PRESETS = (
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        True,
        "gpt-5-mini",
        later("Keys: platform.openai.com"),
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        True,
        "qwen/qwen3-vl-235b-a22b-instruct",
        later("Keys: openrouter.ai/keys"),
    ),
    Preset(
        "dashscope",
        later("DashScope (Alibaba Cloud)"),
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        True,
        "qwen3-vl-plus",
        later("Outside China: https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    ),
    Preset(
        "vllm",
        later("vLLM on this computer"),
        "http://localhost:8000/v1",
        False,
        "Qwen/Qwen3-VL-8B-Instruct",
        "vllm serve Qwen/Qwen3-VL-8B-Instruct",
    ),
    Preset(
        "ollama",
        later("Ollama on this computer"),
        "http://localhost:11434/v1",
        False,
        "qwen3-vl",
        "ollama pull qwen3-vl",
    ),
    Preset(
        "lmstudio",
        later("LM Studio on this computer"),
        "http://localhost:1234/v1",
        False,
        "qwen/qwen3-vl-8b",
        later("Start its server in the tab Developer."),
    ),
    Preset(
        "llamacpp",
        later("llama.cpp on this computer"),
        "http://localhost:8080/v1",
        False,
        "qwen3-vl",
        later("llama-server with --mmproj for pictures"),
    ),
    Preset(
        "other", later("Another address"), "", False, "", later("Any endpoint with OpenAI's chat completions")
    ),
)
"""All presets, in the order in which they are offered."""


def preset_of(base_url: str) -> Preset:
    """The preset of an address; the last one, for any address, where none fits."""
    address = base_url.rstrip("/")
    return next((preset for preset in PRESETS if preset.base_url == address), PRESETS[-1])
