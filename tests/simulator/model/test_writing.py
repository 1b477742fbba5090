"""The scripted model knows each prompt for text by how it begins."""

from __future__ import annotations

from assistant.bench import paper_prompts
from assistant.memory.profile import model_update
from assistant.proactive import suggestions
from assistant.simulator.model import writing
from assistant.understand import model_reading
from tests.tables import each

PROMPTS = {
    writing.READING: model_reading.RULES,
    writing.UPDATING: model_update.INSTRUCTIONS,
    writing.NAMING: model_update.NAMING,
    writing.WORDING: suggestions.RULES,
    writing.SUMMARIZING: paper_prompts.SUMMARIZE,
    writing.DECIDING: paper_prompts.DECIDE,
}


@each("opening", PROMPTS)
def test_each_prompt_of_the_product_is_known_by_its_opening_and_no_other(opening: str) -> None:
    prompts = [prompt for prompt in PROMPTS.values() if prompt.startswith(opening)]
    assert prompts == [PROMPTS[opening]]
