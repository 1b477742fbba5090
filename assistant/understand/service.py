"""Understands a command in five stages: perceive, recall, complete, explore, ask (PerPilot).

Each stage emits an event with its result. An explicit command ends after the first stage: the memory is not
opened for it, and no model is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.embedding.models import Tagging
from assistant.events import (
    ElementExplored,
    ElementRecalled,
    ElementsPerceived,
    ElementUnknown,
    ErrandStarted,
    Event,
    InstructionCompleted,
)
from assistant.model.types import ModelError, SourceError, one_line
from assistant.records import State
from assistant.understand.explore import (
    MAX_SOURCE_CALLS,
    SOURCE_RULES,
    SOURCE_SCHEMA,
    SOURCE_VALUE_RULES,
    SOURCE_VALUE_SCHEMA,
    AskedQuestions,
    QuestionAsker,
    ask_meaning,
    ask_order,
    candidate_of_lookup,
    candidate_of_source,
    find_likely_apps,
    make_lookup,
    parse_lookup_answer,
)
from assistant.understand.habit_match import (
    HABIT_GATE,
    CommandTagger,
    has_preference_candidate,
    is_sure,
    is_unsure,
    loses_said,
    refuses_usual_place,
    take_choice,
)
from assistant.understand.languages.patterns import find_mark, is_bare, stands_beside_order
from assistant.understand.model_reading import (
    RULES,
    RULES_ANSWER,
    RULES_BEFORE,
    RULES_RUNNING,
    SCHEMA,
    CitableSource,
    ModelReading,
    TurnsBefore,
    adopt_reading,
    ask_about,
    ask_what_follows,
    citable_turns,
    deeds_offered,
    find_before,
    find_citable,
    make_reading_question,
    parse_reading,
    take_answer,
    with_answer,
)
from assistant.understand.perceive import (
    GATE,
    REMARK_GATE,
    exclude_secrets,
    exclude_settled,
    find_clause_around,
    is_order,
    names_secret,
    order_probability,
    perceive,
    without_leaning,
)
from assistant.understand.reading_checks import declines_anything, find_reading_objection, settle_reading
from assistant.understand.recall import (
    AGAIN,
    find_habit,
    is_for_person,
    means_somebody_unknown,
    offer_past,
    recall,
)
from assistant.understand.resolution import (
    LearnedAnswer,
    Meaning,
    Resolution,
    ResolutionKind,
    adopt_habit,
    ask_whole,
    doubt_order,
    is_own_place,
    leave_as_said,
    make_resolution,
    whole_command,
)
from assistant.understand.slots import names_only_kind
from assistant.understand.types import (
    RECURRING,
    Category,
    CommandLanguage,
    EarlierTurn,
    LookupRunner,
    MeaningCandidate,
    Objection,
    OpenSources,
    OpenTurns,
    OtherSources,
    Perceived,
    PersonalizedElement,
    ReadingDecision,
    ReadingModel,
    SourceCall,
    deed_key,
    make_source_question,
    make_source_value_question,
    parse_source_call,
    parse_source_value,
)
from assistant.understand.verify import (
    asks_something,
    find_completion_objection,
    is_another_thing,
    is_of_others,
    keeps_order,
)
from assistant.understand.words import content_of, language_code, refers_back, wording

MAX_LOOKUPS = 4
"""Maximum number of lookups for one command; a missing element gets one, in the likeliest app."""

QUESTION_GATE = 0.3
"""Minimum probability, as above, to look for the habit that a command means, and to ask the user which one.

Of what people on whom the gate was not trained say for their habits, 97 % lie above it; of their explicit
instructions that name no person or place of theirs 12 %.
"""

_LONGEST_HABIT = 200
"""Maximum number of characters of a command that is taken for a habit as a whole."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolved command, what was learned while it was resolved, and whether nothing is to be done."""

    resolution: Resolution
    lessons: tuple[LearnedAnswer, ...] = ()
    orders_nothing: bool = False


class UnderstandingService:
    """Resolves commands of one user.

    `open_sources` returns the memory, always the same; it is called when a command needs it, in any thread.
    The `model` reads commands that the memory is not sure of. The `tagger` says whether a command depends on
    the user, and which of its words; without it the rules do alone.
    """

    def __init__(
        self,
        open_sources: OpenSources,
        state: Callable[[], State],
        emit: Callable[[Event], None] = lambda event: None,
        model: ReadingModel | None = None,
        tagger: CommandTagger | None = None,
    ) -> None:
        self._open_sources = open_sources
        self._state = state
        self._emit = emit
        self._model = model
        self._tagger = tagger

    def resolve(self, command: str, apps: Sequence[str] = ()) -> Resolution:
        """Resolve a command from memory alone; asks nobody and changes nothing."""
        return self._tell(self._ask(self._resolve(command, apps, "", self._tag(command))))

    def _resolve_answer(self, command: str) -> Resolution:
        """What the memory says of a command that is typed as an answer; nothing is told of it."""
        return self._ask(self._resolve(command, (), "", None))

    def _ask(self, resolution: Resolution) -> Resolution:
        """A resolution that asks with what was done before, or whether anything is to be done at all."""
        is_likely = is_order(resolution.perceived.command)
        return self._offer_past(resolution) if is_likely else doubt_order(resolution)

    def _offer_past(self, resolution: Resolution, at_least: int = AGAIN) -> Resolution:
        if not (resolution.missing or refuses_usual_place(resolution.perceived.command)):
            return resolution
        return offer_past(resolution, self._open_sources(), self._state(), at_least)

    def _tag(self, command: str) -> Tagging | None:
        return self._tagger(command) if self._tagger is not None and command.strip() else None

    def _resolve(
        self, command: str, apps: Sequence[str], settled: str, tagging: Tagging | None
    ) -> Resolution:
        perceived = perceive(command, apps, tagging)
        perceived = exclude_secrets(exclude_settled(perceived, settled))
        if not perceived.elements:
            as_said = make_resolution(perceived, ())
            return (None if settled else self._take_for_habit(as_said, apps, tagging)) or as_said
        meanings = [
            meaning
            for meaning in (self._recall(element, perceived) for element in perceived.distinct)
            if meaning.chosen is not None
            or (
                not stands_beside_order(command, meaning.element)
                and (meaning.candidates or not is_own_place(meaning.element, command))
            )
        ]
        perceived = perceived.only(meaning.element.text for meaning in meanings)
        resolution = make_resolution(perceived, meanings, apps)
        if find_completion_objection(perceived, resolution.completed):
            meanings = [meaning.opened for meaning in meanings]
            resolution = make_resolution(perceived, meanings, apps)
        leaves_open = tagging is not None and tagging.leaves_open >= GATE
        if resolution.missing or resolution.is_all_people or leaves_open:
            return self._take_for_habit(resolution, apps, tagging) or resolution
        return resolution

    async def understand(
        self,
        command: str,
        apps: Sequence[str] = (),
        *,
        look_up: LookupRunner | None = None,
        ask_user: QuestionAsker | None = None,
        sources: OtherSources | None = None,
        settled: str = "",
        earlier: OpenTurns = tuple,
    ) -> Resolved:
        """Resolve a command; what is not in the memory is looked up elsewhere, then asked for.

        For a habit with a candidate in the memory the user is asked first, because no app knows it better.

        `look_up` runs a lookup in an app, `ask_user` asks the user; without them missing elements stay as
        typed. Other `sources` are looked into before the phone; they need a model. The rest is as in
        `resolve_with_model`.

        Raises:
            OtherCommand: the user typed it at a question.
        """
        resolution = first = await self.resolve_with_model(command, apps, settled, earlier)
        if resolution.is_remark:
            meant = await ask_order(resolution, ask_user)
            return Resolved(self._emit_completed(meant or resolution), orders_nothing=meant is None)
        lessons: list[LearnedAnswer] = []
        missing, language = resolution.missing, resolution.perceived.language
        for number, meaning in enumerate(missing, 1):
            element = meaning.element
            ask = AskedQuestions(ask_user, command, self._model) if ask_user is not None else None
            candidate: MeaningCandidate | None = None
            # No app tells what a command means of which no words in particular are missing.
            can_be_found = not (element.is_whole_command or element.is_pronoun)
            asks_first = has_preference_candidate(meaning) or not can_be_found
            if asks_first and ask is not None:
                candidate = await ask_meaning(meaning, language, ask, lessons, self._resolve_answer)
                can_be_found &= not ask.set_aside
            if candidate is None and can_be_found and sources is not None and number <= MAX_SOURCE_CALLS:
                candidate = await self.look_up_in_sources(element, command, sources)
            if candidate is None and can_be_found and look_up is not None and number <= MAX_LOOKUPS:
                candidate = await self._look_up_in_apps(element, resolution, apps, look_up)
                if candidate:
                    # Nobody has confirmed it.
                    seen = candidate.value, candidate.origin, candidate.why
                    lessons.append(LearnedAnswer(element.text, *seen, confirmed=False))
            if candidate is None and not asks_first and ask is not None:
                if len(missing) == 1:
                    resolution = await asyncio.to_thread(self._offer_past, resolution, 1)
                    element = (meaning := resolution.missing[0]).element
                candidate = await ask_meaning(meaning, language, ask, lessons, self._resolve_answer)
            read = await self._read_answer(resolution, ask, candidate, apps) if len(missing) == 1 else None
            if read is not None:
                chosen = {(each.element.text, each.chosen.value) for each in read.meanings if each.chosen}
                return Resolved(read, tuple(each for each in lessons if (each.words, each.value) in chosen))
            resolution = self._take_value(resolution, element, candidate, apps, ask)
        if resolution is not first:
            self._emit_completed(resolution)
        return Resolved(resolution, tuple(lessons))

    def _take_value(
        self,
        resolution: Resolution,
        element: PersonalizedElement,
        candidate: MeaningCandidate | None,
        apps: Sequence[str],
        ask: AskedQuestions | None,
    ) -> Resolution:
        if candidate is None:
            is_open = ask is None or not ask.set_aside
            return resolution if is_open else resolution.without(element, apps)
        if element.is_whole_command:
            # The words that were open before are a part of what was answered.
            self._emit_perceived(resolution.perceived)
        self._emit_recalled(element, candidate)
        return take_choice(resolution, element, candidate) or resolution.with_value(element, candidate, apps)

    async def resolve_with_model(
        self, command: str, apps: Sequence[str] = (), settled: str = "", earlier: OpenTurns = tuple
    ) -> Resolution:
        """`resolve`, and what the memory is not sure of is read by the model, if there is one.

        The model is asked once, and never about a command that needs neither memory nor a turn before it. The
        memory is asked in a thread, because it may have to be loaded first. Its findings are emitted at once;
        what it would fill in is emitted only if the model does not decide otherwise.

        `settled` is a complete instruction from which the command was made; its words are not resolved.
        `earlier` returns the turns before, the newest first; it is called in a thread.
        """
        tagging = await asyncio.to_thread(self._tag, command)
        openness = _openness(tagging)
        remembered = await asyncio.to_thread(self._resolve, command, apps, settled, tagging)
        before = TurnsBefore() if settled else await asyncio.to_thread(find_before, remembered, earlier)
        if not (settled or is_order(command)):
            reading = await self._ask_model(remembered, apps, openness, before)
            is_read = reading is not remembered and bool(reading.meanings) and not reading.missing
            is_known = before.is_needed or order_probability(command) >= REMARK_GATE
            # What asks and needs nothing of memory, as a model says, only the phone can tell.
            is_look = reading is not remembered and not reading.meanings and asks_something(command)
            if not reading.is_remark and not (is_read and is_known) and not is_look:
                return doubt_order(reading)
            return self._tell(reading)
        if remembered.meanings:
            self._emit_perceived(remembered.perceived)
        resolution = remembered if settled else await self._ask_model(remembered, apps, openness, before)
        offered = await asyncio.to_thread(self._offer_past, resolution)
        return self._tell(offered, remembered.perceived)

    async def _ask_model(
        self, resolution: Resolution, apps: Sequence[str], openness: float, before: TurnsBefore
    ) -> Resolution:
        """A resolution as the model reads the command, where the memory is not sure and the checks agree.

        A line that says too little without the turn before it is asked about where no model reads it.
        """
        unread = ask_what_follows(resolution, before.turns[0]) if before.is_needed else resolution
        if self._model is None:
            return unread
        command, state = resolution.perceived.command, self._state()
        refers = not resolution.meanings and refers_back(command)
        is_open = before.leans or refers or is_unsure(resolution, openness)
        if not is_open and not await asyncio.to_thread(self._stays_open, resolution):
            return resolution
        before = await asyncio.to_thread(before.opened)
        sources = [
            *before.sources,
            *await asyncio.to_thread(find_citable, self._open_sources(), command, state),
        ]
        if not sources:
            return resolution
        reading = await self._read(RULES_BEFORE if before.sources else RULES, resolution.perceived, sources)
        if reading is None:
            return unread
        return await asyncio.to_thread(
            self._adopt_reading, resolution, reading, sources, apps, before, openness
        )

    async def _read_answer(
        self,
        resolution: Resolution,
        asked: AskedQuestions | None,
        candidate: MeaningCandidate | None,
        apps: Sequence[str],
    ) -> Resolution | None:
        """The order that a model makes of a command and an answer that names no choice; None for none."""
        is_own = asked is not None and candidate is not None and asked.is_own(candidate)
        if asked is None or self._model is None or not is_own:
            return None
        perceived, memory = resolution.perceived, self._open_sources()
        sources = await asyncio.to_thread(find_citable, memory, perceived.command, self._state())
        reading = await self._read(RULES_ANSWER, perceived, sources, asked)
        if reading is not None and reading.decision is ReadingDecision.AS_SAID and reading.order:
            said = take_answer(perceived, reading, asked.words, memory.similarity)
            return said and self._tell(said)
        denies = declines_anything(asked.words) or wording("denies_choice", "en", "zh").search(asked.words)
        if reading is None or reading.decision is not ReadingDecision.FILL or denies:
            return None
        opened = replace(resolution, perceived=with_answer(perceived, asked.words, apps))
        adopted = await asyncio.to_thread(self._adopt_reading, opened, reading, sources, apps, TurnsBefore())
        is_kept = not loses_said(asked.words, adopted.instruction)
        return self._tell(adopted) if adopted.decision is ResolutionKind.FILLED and is_kept else None

    async def restate(self, order: str, remark: str, apps: Sequence[str] = ()) -> tuple[str, bool]:
        """The order of a running turn as what is said to it changes it, and whether that says all of it.

        Empty where the checks object: then the acting model alone reads the remark.
        """
        if self._model is None or names_secret(remark) or asks_something(remark):
            return "", False
        now, memory = self._state().time, self._open_sources()
        before = TurnsBefore(citable_turns([EarlierTurn("", order, order, None, now, has_deed=False)]))
        perceived = exclude_secrets(await asyncio.to_thread(perceive, remark, apps))
        sources = [*before.sources, *await asyncio.to_thread(find_citable, memory, remark, self._state())]
        reading = await self._read(RULES_RUNNING, perceived, sources) if before.sources else None
        cited = [source for source in sources if reading is not None and source.id in reading.sources]
        is_change = reading is not None and reading.decision is ReadingDecision.FILL
        if reading is None or not is_change or not any(source.turn is not None for source in cited):
            return "", False
        checked = perceived, reading, cited, memory.similarity, (*apps, *memory.apps), before.turns
        objection = await asyncio.to_thread(find_reading_objection, *checked)
        if objection is not None:
            _log.info("what the model makes of a remark is doubted: %s", objection.value)
        is_likely = (objection is None or objection.is_mild) and keeps_order(order, remark, reading.order)
        return (reading.order, objection is None) if is_likely else ("", False)

    async def _read(
        self,
        rules: str,
        perceived: Perceived,
        sources: Sequence[CitableSource],
        asked: AskedQuestions | None = None,
    ) -> ModelReading | None:
        """What the model makes of a command, or of an answer to what was asked; None if it does not say."""
        if self._model is None:
            return None
        marked = [element.text for element in perceived.distinct]
        question = make_reading_question(perceived.command, marked, sources, self._state(), asked)
        try:
            reading = parse_reading(await self._model(rules, question, SCHEMA))
        except ModelError as error:
            _log.warning("the model does not read the command: %s", error)
            return None
        if reading is None:
            _log.warning("the model's reading of the command is not in the form that was asked for")
        command_text = perceived.command if asked is None else f"{perceived.command}: {asked.words}"
        return settle_reading(command_text, reading, sources) if reading is not None else None

    def _stays_open(self, resolution: Resolution) -> bool:
        """Whether facts do not complete a command: who gets a message is known, but not what it says."""
        by_facts = [meaning.is_from_profile for meaning in resolution.meanings]
        return bool(by_facts) and all(by_facts) and _openness(self._tag(resolution.instruction)) >= HABIT_GATE

    def _adopt_reading(
        self,
        resolution: Resolution,
        reading: ModelReading,
        sources: Sequence[CitableSource],
        apps: Sequence[str],
        before: TurnsBefore,
        openness: float = 1.0,
    ) -> Resolution:
        memory = self._open_sources()
        cited = [source for source in sources if source.id in reading.sources]
        turns, command = before.turns, resolution.perceived.command
        goes_on = any(source.turn is not None for source in cited)
        # “Another coffee” is the usual one, which a model cites and the line names.
        goes_on |= before.is_needed and not _names_habit(command, cited)
        asks = reading.decision is ReadingDecision.ASK
        if reading.decision is ReadingDecision.NO_ORDER:
            is_likely = is_order(command)
            leans = before.is_needed and is_likely
            return ask_what_follows(resolution, turns[0]) if leans else doubt_order(resolution, is_likely)
        if not goes_on and (asks or is_bare(resolution.perceived)):
            return self._ask_about(resolution, cited, apps, openness)
        if reading.decision is ReadingDecision.AS_SAID:
            if before.is_needed and is_order(command):
                return ask_what_follows(resolution, turns[0])
            is_known = before.leans and not resolution.missing
            return resolution if is_known else leave_as_said(resolution.perceived)
        labels = tuple(dict.fromkeys((*apps, *memory.apps)))
        objection = find_reading_objection(
            resolution.perceived, reading, cited, memory.similarity, labels, turns if goes_on else ()
        )
        adopted, may_be_offered = resolution, objection is None or objection.may_be_offered
        if may_be_offered and reading.order:
            adopted = adopt_reading(resolution, reading, cited, memory.similarity, labels)
            named = resolution.meanings, resolution.instruction, adopted.instruction
            if is_of_others(*named, memory.profile):
                objection, may_be_offered = Objection.OWNER, False
        if objection is not None or asks:
            _log.info("what the model reads is not taken: %s", objection.value if objection else "it asks")
            offered = (adopted.instruction,) if may_be_offered and adopted is not resolution else ()
            only_adds = bool(offered) and objection in (None, Objection.INVENTED)
            if not goes_on or not (before.leans or only_adds):
                # A turn that only a bad model cites costs no order that stands alone.
                of_memory = [source for source in cited if source.turn is None]
                return self._ask_about(resolution, of_memory, apps, openness)
            turn = next((source.turn for source in cited if source.turn is not None), turns[0])
            is_doubtful = asks or not before.leans or (objection is not None and not objection.is_mild)
            return ask_what_follows(resolution, turn, offered, is_doubtful=is_doubtful)
        return adopted

    def _ask_about(
        self, resolution: Resolution, cited: Sequence[CitableSource], apps: Sequence[str], openness: float
    ) -> Resolution:
        """A question with what a model cited; none where only what sure facts say could be offered.

        Nor where nothing could be, of a command that hardly depends on the user: it is carried out as said.
        """
        asked = ask_about(resolution, cited, apps)
        is_complete = openness < QUESTION_GATE and not resolution.missing
        is_known = all(meaning.is_from_profile and is_sure(meaning) for meaning in resolution.meanings)
        is_same = is_known and deeds_offered(asked) == {deed_key(resolution.instruction)}
        offers_nothing = is_complete and not any(meaning.candidates for meaning in asked.missing)
        return resolution if is_same or offers_nothing else asked

    def _take_for_habit(
        self, resolution: Resolution, apps: Sequence[str], tagging: Tagging | None
    ) -> Resolution | None:
        """A command taken for a habit as a whole, or asked about with habits to choose; None for neither."""
        perceived, openness = resolution.perceived, _openness(tagging)
        if (
            not (perceived.elements or openness >= QUESTION_GATE or names_only_kind(perceived.command))
            or perceived.language is CommandLanguage.OTHER
            or len(perceived.command) > _LONGEST_HABIT
            or means_somebody_unknown(resolution, apps)
        ):
            return None
        sources, command = self._open_sources(), perceived.command
        labels = tuple(dict.fromkeys((*apps, *sources.apps)))
        certain = [meaning for meaning in resolution.meanings if meaning.is_from_profile]
        wish = make_resolution(perceived, certain, apps).instruction
        recalled = find_habit(wish, sources, self._state(), labels, find_mark(perceived), openness)
        whole = whole_command(command)
        if resolution.is_all_people and not is_for_person(recalled.chosen):
            return None
        chosen = recalled.chosen
        if (
            chosen is not None
            and not (chosen.preference and resolution.leads_elsewhere(chosen.preference.prototype))
            and not self._is_of_another_kind(perceived, chosen)
            and not is_of_others(
                certain, wish, adopt_habit(resolution, whole, chosen).instruction, sources.profile
            )
        ):
            element = next((each for each in perceived.elements if each.category in RECURRING), whole)
            return adopt_habit(resolution, element, chosen)
        missing = resolution.missing
        # A thing that the memory knows nothing of may be a habit, as the “ususal lnuch” is.
        is_only_thing = len(resolution.meanings) == 1 and any(
            each.element.category is Category.THING and not each.candidates for each in missing
        )
        if not recalled.asks or (perceived.elements and not is_only_thing):
            return None
        part = missing[0].element if is_only_thing else None
        return ask_whole(perceived, recalled.candidates, whole, part, apps)

    def _is_of_another_kind(self, perceived: Perceived, habit: MeaningCandidate) -> bool:
        """Whether the thing that a command calls usual is not this habit: "my usual coffee" is not lunch."""
        if habit.preference is None:
            return False
        prototype, similarity = habit.preference.prototype, self._open_sources().similarity
        return any(
            is_another_thing(element, prototype, find_clause_around(perceived.command, element), similarity)
            for element in perceived.elements
            if element.category in RECURRING
        )

    def _recall(self, element: PersonalizedElement, perceived: Perceived) -> Meaning:
        meaning = recall(element, perceived.command, self._open_sources())
        return meaning.opened if is_bare(perceived) else meaning

    def _emit_meaning(self, meaning: Meaning) -> None:
        element = meaning.element
        if meaning.chosen:
            self._emit_recalled(element, meaning.chosen)
            return
        values, now = tuple(candidate.value for candidate in meaning.candidates), self._state().time
        on_phone = not values and element.named_on_phone
        self._emit(ElementUnknown(time=now, element=element.text, candidates=values, on_phone=on_phone))

    async def _look_up_in_apps(
        self,
        element: PersonalizedElement,
        resolution: Resolution,
        apps: Sequence[str],
        look_up: LookupRunner,
    ) -> MeaningCandidate | None:
        """The value that the likeliest app has, if it makes a sentence with the values so far."""
        perceived = resolution.perceived
        memory = await asyncio.to_thread(self._open_sources)
        likely = await asyncio.to_thread(find_likely_apps, element, perceived.command, apps, memory)
        if not likely:
            return None
        app = likely[0]
        lookup = make_lookup(element, perceived.command, app, perceived.language)
        self._emit(ErrandStarted(time=self._state().time, element=element.text, app=app, task=lookup.task))
        result = parse_lookup_answer(lookup, await look_up(lookup))
        self._emit_explored(element, app, *((result.value, result.place) if result else ()))
        if result is None:
            return None
        candidate = candidate_of_lookup(result, app)
        completed = resolution.with_value(element, candidate, apps).completed
        return candidate if find_completion_objection(perceived, completed) is None else None

    async def look_up_in_sources(
        self, element: PersonalizedElement, command: str, sources: OtherSources
    ) -> MeaningCandidate | None:
        """What another source says of an element, as the model reads it; None if it says nothing usable.

        It is no lesson: it holds now, and the source is there to be asked again.
        """
        if self._model is None:
            return None
        tools, problems = await sources.tools()
        for server, problem in problems.items():
            self._emit_explored(element, server, problem=problem)
        if not tools:
            return None
        state = self._state()
        try:
            question = make_source_question(command, element, tools, state)
            call = parse_source_call(await self._model(SOURCE_RULES, question, SOURCE_SCHEMA), tools)
            answer = await self._call_source(call, element, sources) if call is not None else ""
            if call is None or not answer:
                return None
            question = make_source_value_question(command, element, answer, state)
            value = parse_source_value(
                await self._model(SOURCE_VALUE_RULES, question, SOURCE_VALUE_SCHEMA), element, answer
            )
        except ModelError as error:
            _log.warning("the model does not read other sources: %s", error)
            return None
        self._emit_explored(element, call.tool.server, value, one_line(call.tool.name, 60) if value else "")
        return candidate_of_source(value, call.tool) if value else None

    async def _call_source(
        self, call: SourceCall, element: PersonalizedElement, sources: OtherSources
    ) -> str:
        server = call.tool.server
        task = f"{one_line(call.tool.name, 60)} {call.format_arguments()}"
        self._emit(ErrandStarted(time=self._state().time, element=element.text, app=server, task=task))
        try:
            answer = await sources.call(call, element.text)
        except SourceError as error:
            self._emit_explored(element, server, problem=str(error))
            return ""
        if not answer:
            self._emit_explored(element, server)
        return answer

    def _emit_explored(
        self, element: PersonalizedElement, app: str, value: str = "", place: str = "", problem: str = ""
    ) -> None:
        details = {"value": value, "place": place, "problem": problem}
        self._emit(ElementExplored(time=self._state().time, element=element.text, app=app, **details))

    def _tell(self, resolution: Resolution, perceived: Perceived | None = None) -> Resolution:
        """Emit what a command means, if anything in it depends on the user; `perceived` is told already."""
        if not resolution.meanings or resolution.is_remark:
            return resolution
        if resolution.perceived != perceived:
            self._emit_perceived(resolution.perceived)
        for meaning in resolution.meanings:
            self._emit_meaning(meaning)
        return self._emit_completed(resolution)

    def _emit_completed(self, resolution: Resolution) -> Resolution:
        self._emit(
            InstructionCompleted(
                time=self._state().time,
                said=resolution.perceived.command,
                instruction=resolution.instruction,
                app=resolution.completed.app,
                missing=tuple(meaning.element.text for meaning in resolution.missing),
            )
        )
        return resolution

    def _emit_perceived(self, perceived: Perceived) -> None:
        said, texts = perceived.command, tuple(element.text for element in perceived.distinct)
        self._emit(ElementsPerceived(time=self._state().time, said=said, elements=texts))

    def _emit_recalled(self, element: PersonalizedElement, candidate: MeaningCandidate) -> None:
        self._emit(
            ElementRecalled(
                time=self._state().time,
                element=element.text,
                value=candidate.value,
                source=candidate.origin.value,
                confidence=candidate.confidence,
                evidence=candidate.evidence,
                why=candidate.why,
            )
        )


def _names_habit(command: str, cited: Sequence[CitableSource]) -> bool:
    """Whether a line says a word of a habit that is cited, beside those that go on from a turn."""
    line_words = content_of(without_leaning(command, language_code(command)))
    habits = (source.statements for source in cited if source.candidate.preference is not None)
    return any(line_words & content_of(" · ".join(texts)) for texts in habits)


def _openness(tagging: Tagging | None) -> float:
    """The probability that a command depends on the user or leaves open what it wants."""
    return tagging.openness if tagging is not None else 0.0
