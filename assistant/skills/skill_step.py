"""One step of a skill, and which steps of a turn become some: those that did something, and lead there again.

An intent leads at once to some pages to which steps led: to pages of the settings, and to an address.

Left out are waiting, detours, the way out of a page on which the app stood, and scrolling to what was then
tapped. A detour is what only looked and came back: whatever did something there is kept, even where the page
looks as it did before, as a switch on a page behind it, or Back that closed the keyboard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from urllib.parse import quote, unquote

from pydantic import BaseModel, ConfigDict

from assistant.events import ActionKind
from assistant.files import compile_words, read_words
from assistant.memory.prototypes.similarity import only_looks
from assistant.memory.prototypes.terms import signature
from assistant.memory.turns import StoredStep, Trace
from assistant.phone.screen_sources import is_named_alike
from assistant.records import (
    PICTURE_TEXT,
    Action,
    AskUser,
    Bounds,
    ClearText,
    Click,
    Element,
    Failed,
    Finished,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
    Wait,
    describe,
    says_little,
)
from assistant.safety.classifier import judge
from assistant.safety.page import page_of
from assistant.safety.wording import classify_label, is_refusal, is_search_field
from assistant.skills.command_wording import ValueKind, behind_same_verb, find_values
from assistant.skills.screen_tree import ANY_SETTINGS_PAGE, SETTINGS, ScreenKey, key_of, tree_of
from assistant.skills.slots import says_all

_WORDS = read_words("assistant.skills", "skill_step.yaml")
_GOES_BACK, _SHOWS = compile_words(_WORDS["goes_back"]), compile_words(_WORDS["shows"])

_LARGEST_PLACE = 0.1
"""The share of the screen up to which a square is of one place, and what is no wider or no higher than it.

A row is as wide as the screen: by its area a high one, or any in landscape, would be taken for a page.
"""

HARMLESS = (None, ActionKind.GRANT)  # A permission only comes before the deed that an order is for.

MOVES = (PressHome, PressBack, Scroll, Swipe, Finished)
"""What shows another part of the phone and does nothing there: alone it is no skill."""


class ScreenRef(BaseModel):
    """A screen that the memory keeps: what was seen before a step of a turn."""

    model_config = ConfigDict(frozen=True)

    turn_id: str
    step: int


class SkillStep(BaseModel):
    """The action as performed, on which screen, and the slot whose value it used, if any.

    `bound` is the text on the screen that held the value, and `example` the value it held.

    A step without a screen is guidance for the model and is never replayed by itself. `preset` marks a value
    that stood chosen already, so that nobody tapped it: a tap is due only where it does not. `day` is set
    where the step used a date that the instruction does not say, as the one that “tomorrow” was then: it is
    right on no other day. `closes_over` marks Back that only closed what lay over its page, as the keyboard:
    it is due only where that is there. `shortcut` is the action of the settings' page to which it led, `WEB`
    where it opened the address that was typed, or `MAP` where it searched a map for what was typed: an intent
    leads there too, in place of opening the app. `confirmed` counts the turns that used the template, in
    which the step led where it had led or was the model's own choice as well, nothing was set right, and the
    model saw the end.
    """

    model_config = ConfigDict(frozen=True)

    action: Action
    slot: str = ""
    bound: str = ""
    example: str = ""
    before: ScreenRef | None = None
    after: ScreenRef | None = None
    optional: bool = False
    preset: bool = False
    day: date | None = None
    closes_over: bool = False
    shortcut: str = ""
    confirmed: int = 0

    def words(self, translated: Callable[[str], str] = str) -> str:
        """The step in words, with its slot in the place of the value; of a row only the title."""
        named = f"{{{self.slot}}}" if self.slot else self.title
        return describe(self.with_value(named) if named else self.action, translated)

    @property
    def origin(self) -> str:
        """The id of the turn that it was recorded in; empty for a written one."""
        return self.before.turn_id if self.before is not None else ""

    @property
    def is_withheld(self) -> bool:
        """Whether it typed something that is not recorded, as a secret: the model types it, or the user."""
        return isinstance(self.action, TypeText) and not self.action.text

    def types_beyond(self, order: str) -> bool:
        """Whether it typed what its order does not say, as what was read from a screen on that day."""
        own = self.value.replace(self.example, " ") if self.slot and self.bound else self.value
        return isinstance(self.action, TypeText) and bool(own.strip()) and not says_all(order, own)

    @property
    def dismisses(self) -> bool:
        """Whether a step only dismisses something, as “Later” does."""
        return isinstance(self.action, Click) and bool(self.value) and says_little(self.value)

    @property
    def deed(self) -> ActionKind | None:
        """The kind of deed that the label of what it taps names, if any."""
        return classify_label(self.value) if isinstance(self.action, Click | LongClick) else None

    @property
    def is_needed(self) -> bool:
        """Whether the way needs it: it answers nothing that comes up once, and does not only look around."""
        is_move = isinstance(self.action, Scroll | Swipe | PressHome | Wait | AskUser | Finished)
        return not (is_move or self.optional or self.deed is ActionKind.GRANT)

    @property
    def title(self) -> str:
        """What a step's text begins with: the title of a row, all of what is typed."""
        return self.value if isinstance(self.action, TypeText) else self.value.split(" · ")[0]

    def with_value(self, value: str) -> Action:
        """The action with a value in its slot. The target of a tap is still the recorded one."""
        match self.action:
            case TypeText():
                return self.action.model_copy(update={"text": value})
            case Click(target=target) | LongClick(target=target) if target is not None:
                named = target.model_copy(update={"text": value, "around": ""})
                return self.action.model_copy(update={"target": named, "content": value})
            case OpenApp(at=at) if at:
                return self.action.model_copy(update={"at": at.replace(f"{{{self.slot}}}", value)})
            case _:
                return self.action

    def now(self, values: Mapping[str, str]) -> SkillStep:
        """The step as it is performed with the value of now in its slot."""
        if self.slot not in values or not isinstance(self.action, TypeText):
            return self
        text = self.text_for(values[self.slot])
        update = {"action": self.with_value(text), "bound": text, "example": values[self.slot]}
        return self.model_copy(update=update)

    def text_for(self, value: str) -> str:
        """The text that stands on the screen, or is typed, for another value of the slot."""
        if self.bound.strip().casefold() == self.example.strip().casefold():
            return value
        if self.bound.isdecimal() and value.isdecimal():
            return value.zfill(len(self.bound)) if self.bound.startswith("0") else value
        return re.sub(re.escape(self.example), lambda _match: value, self.bound, flags=re.IGNORECASE)

    @property
    def value(self) -> str:
        """The text that the action used: what it typed, or the label that it tapped."""
        match self.action:
            case TypeText(text=text):
                return text
            case Click(target=target, content=content) | LongClick(target=target, content=content):
                return (target.text or target.description) if target is not None else content
            case _:
                return ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the action memory says before a step.

    Attributes:
        action: what to do; None leaves the step to the model.
        origin: the turn that the action was recorded in.
        note: for the model, when the step is left to it: what was done, what was expected, what remains.
        guidance: for the model, in all of the turn: how an order of this kind, or like it, was carried out.
        is_end: everything was done as before, and the page is the one at the end; the model tells the answer.
        needs_look: the action reports success, and the model has to look before it counts.
        is_read: the answer of the action stands on the screen, where the model found it before.
        skill: the name of the skill that the action belongs to.
        awaits: finds out what the step behind the action will tap.
    """

    action: Action | None = None
    origin: str = ""
    note: str = ""
    guidance: str = ""
    is_end: bool = False
    needs_look: bool = False
    is_read: bool = False
    skill: str = ""
    awaits: Callable[[], AwaitedTarget | None] | None = None


def readies(action: Action, step: SkillStep) -> bool:
    """Whether an action only readies the screen for a step: it empties a field, or puts the keyboard away."""
    return isinstance(action, ClearText | PressBack) and action.type != step.action.type


def types_into(
    ahead: Sequence[SkillStep],
    values: Mapping[str, str],
    needed: int,
    screen_of: Callable[[ScreenRef | None], Observation | None],
    seen: Observation,
) -> bool:
    """Whether the first of some steps only focuses a field on a screen, and the second one types into it.

    Not where its value is not found out yet, or fewer runs than are needed have confirmed it.
    """
    if len(ahead) < 2 or not isinstance(ahead[0].action, Click) or not isinstance(ahead[1].action, TypeText):
        return False
    step = ahead[1]
    text = step.text_for(values.get(step.slot, "")) if step.slot else step.value
    recorded = screen_of(step.before)
    is_there = recorded is not None and key_of(recorded).is_like(key_of(seen))
    return bool(text) and "{{" not in text and step.confirmed >= needed and is_there


def kept_steps(trace: Trace) -> list[tuple[StoredStep, int]]:
    """The steps of a turn that are repeated, each with the number of the step on whose screen it ended."""
    kept = _without_detours(trace)
    return _without_searching(_pairs(_without_leaving(kept), trace), trace) if kept else []


def _without_detours(trace: Trace) -> list[StoredStep]:
    """The steps without waiting, what led back to exactly the same screen, and text that was emptied."""
    kept: list[StoredStep] = []
    looks: list[object] = []
    for step in trace.steps:
        if isinstance(step.action, Wait | Finished | Failed | TakeOver):
            continue
        # A question to the user between text and emptying touches no field.
        place = next((n for n in range(len(kept), 0, -1) if not isinstance(kept[n - 1].action, AskUser)), 0)
        if isinstance(step.action, ClearText) and place and isinstance(kept[place - 1].action, TypeText):
            del kept[place - 1], looks[place - 1]
        screen = trace.screens.get(step.number)
        look = look_of(screen) if screen is not None else step.number
        places = [place for place, seen in enumerate(looks) if seen == look]
        start = next((place for place in places if _only_looked(kept[place:], trace, screen)), len(kept))
        del kept[start:], looks[start:]
        kept.append(step)
        looks.append(look)
    return kept


def _without_leaving(kept: Sequence[StoredStep]) -> list[StoredStep]:
    """The steps without those that leave the page on which an app was left: replay finds its own way there.

    A turn that began in the app, and went back first, opens it. What was dismissed before another app was
    opened belongs to where the phone stood.
    """
    backs = next((n for n, step in enumerate(kept) if not isinstance(step.action, PressBack)), 0)
    leaving = next((n for n, step in enumerate(kept) if not _leaves(step.action)), 0)
    steps = list(kept[leaving if isinstance(kept[leaving].action, OpenApp) else backs :])
    if backs and not isinstance(steps[0].action, OpenApp) and kept[0].app not in ("", kept[0].package):
        steps.insert(0, kept[0].model_copy(update={"action": OpenApp(name=kept[0].app)}))
    opened: list[StoredStep] = []
    for place, step in enumerate(steps, 1):
        stay = next((each for each in reversed(opened) if not _leaves(each.action)), step)
        if step is not stay and isinstance(step.action, OpenApp) and step.action == stay.action:
            # What was dismissed in between belongs to the page on which the app was left.
            del opened[opened.index(stay) :]
        before = opened[-1].action if opened else None
        leaves = isinstance(step.action, PressBack) and place < len(steps)
        reopens = isinstance(step.action, OpenApp) and not step.action.at
        reopens = reopens and getattr(step.action, "name", "") == getattr(before, "name", None)
        if reopens and getattr(before, "at", ""):
            opened[-1] = step  # The intent had led elsewhere.
        elif not isinstance(before, OpenApp) or not (leaves or reopens):
            opened.append(step)
    return opened


def _leaves(action: Action) -> bool:
    if isinstance(action, Click):
        return action.target is not None and says_little(action.target.label)
    return isinstance(action, PressBack)


def _only_looked(segment: Sequence[StoredStep], trace: Trace, last: Observation | None) -> bool:
    """Whether steps only showed other pages, and came back from them.

    Args:
        segment: the steps.
        trace: the turn.
        last: the screen behind them, which looks like that before them.
    """
    seen: list[Observation] = []
    screens = [*(trace.screens.get(step.number) for step in segment), last]
    for step, here, there in zip(segment, screens, screens[1:], strict=False):
        if step.kind is not None or here is None or there is None:
            return False
        seen.append(here)
        enters = look_of(here) != look_of(there) and _only_enters(step.action, here)
        if not (enters or _only_shows(step.action, seen, there)):
            return False
    return True


def _only_enters(action: Action, here: Observation) -> bool:
    """Whether an action only enters what to search for.

    What is entered in a form may be saved or sent by any way to leave it: “Close” saves a note, “Decline”
    sends a reason. What was asked may be answered by any later step: it is no detour. Nor is a tap on a
    field that shows nothing of it, as it may be what gives the field the focus.
    """
    match action:
        case Click(point=point):
            touched = here.element_at(point)
            return touched is not None and touched.editable
        case TypeText() | ClearText() | PressEnter():
            field = here.focused_field()
            return field is not None and is_search_field(field)
        case _:
            return False


def _only_shows(action: Action, seen: Sequence[Observation], there: Observation) -> bool:
    """Whether an action on the last of some pages led to another page and did nothing besides.

    A row that leads on does nothing; one that leads back to a page may have been chosen for it. In doubt a
    tap does something.
    """
    here = seen[-1]
    match action:
        case Scroll() | Swipe():
            return True
        case PressBack() | PressHome() | OpenApp():
            return look_of(here) != look_of(there)
        case Click(point=point, target=target) if target is not None:
            if any(key_of(page).is_like(key_of(there)) for page in seen):
                goes_back = is_refusal(target.label) or _GOES_BACK.fullmatch(target.label.strip())
                return bool(goes_back) and look_of(here) != look_of(there)
            touched = here.element_at(point)
            is_row = touched is not None and page_of(here).is_row(touched)
            return is_row or _SHOWS.fullmatch(target.label.strip()) is not None
        case _:
            return False


def closes_what_lies_over(action: Action, here: Observation | None, there: Observation | None) -> bool:
    """Whether Back left a page as it looked: it closed what lies over it, as the keyboard."""
    seen = here is not None and there is not None and look_of(here) == look_of(there)
    return seen and isinstance(action, PressBack)


def look_of(screen: Observation) -> object:
    """Everything on a screen that a person would see."""
    shown = tuple(
        (e.resource_id, e.text, e.description, e.checked, e.selected, e.focused) for e in screen.elements
    )
    return screen.app.package, screen.app.activity, shown


def _pairs(kept: Sequence[StoredStep], trace: Trace) -> list[tuple[StoredStep, int]]:
    """Each kept step with the number of the step on whose screen its outcome is seen."""
    following = [*(step.number for step in kept[1:]), kept[-1].number + 1]
    return list(zip(kept, following, strict=True))


def _without_searching(pairs: Sequence[tuple[StoredStep, int]], trace: Trace) -> list[tuple[StoredStep, int]]:
    """The steps without scrolling that brought into view what was then tapped on the same page.

    How far a list is scrolled depends on what is looked for: replay scrolls by itself until it is there. An
    app needs no icon in view to be opened, on whichever page of the home screen that lies.
    """
    kept: list[tuple[StoredStep, int]] = []
    for step, after in reversed(pairs):
        following, beyond = kept[-1] if kept else (None, 0)
        if isinstance(step.action, Scroll | Swipe) and following is not None:
            here, there, then = (trace.screens.get(n) for n in (step.number, following.number, beyond))
            taps = isinstance(following.action, Click | LongClick)
            launches = taps and there and then and is_launch(following.action, there, then)
            if taps and here and there and (launches or key_of(here).is_like(key_of(there))):
                continue
        kept.append((step, after))
    return kept[::-1]


def is_launch(action: Action, here: Observation, there: Observation) -> bool:
    """Whether a tap opened an app from its icon."""
    label = action.target.label if action.target is not None else ""
    on_home_screen = "launcher" in f"{here.app.package}{here.app.activity}".casefold()
    leads_on = here.app.package != there.app.package and bool(there.app.package)
    return leads_on and bool(label) and (on_home_screen or label == there.app.label)


def repeatable_step(trace: Trace, step: StoredStep, after: int) -> SkillStep:
    """A step with its screens. An icon on the home screen becomes opening the app, which needs no icon."""
    action, here, there = step.action, trace.screens.get(step.number), trace.screens.get(after)
    if isinstance(action, Click) and here and there and is_launch(action, here, there):
        action = OpenApp(name=action.target.label if action.target is not None else there.app.label)
    before = ScreenRef(turn_id=trace.turn_id, step=step.number) if here is not None else None
    outcome = ScreenRef(turn_id=trace.turn_id, step=after) if there is not None else None
    if isinstance(action, TypeText) and (not action.text or (here is not None and _is_secret(action, here))):
        # A code that was entered by hand is asked for again, or not: its page is never recorded.
        by_hand = step.is_withheld and step.kind is ActionKind.PASSWORD
        return SkillStep(action=TypeText(text=""), optional=by_hand)
    # What the system asks over the app, once: of a page of its own nothing is left behind it.
    is_asked_once = bool(
        step.kind is ActionKind.GRANT and here and there and here.app.package != there.app.package
    )
    closes = closes_what_lies_over(action, here, there)
    is_optional = is_asked_once or closes
    return SkillStep(action=action, before=before, after=outcome, optional=is_optional, closes_over=closes)


def _is_secret(action: TypeText, screen: Observation) -> bool:
    focused = screen.focused_field()
    return focused is None or focused.password or "{" in action.text


_WEB_ADDRESS = re.compile(
    r"(https?://)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?::\d{2,5})?(?:/[^\s?#@]*)?",
    re.IGNORECASE,
)


def web_address(text: str) -> str:
    """The URI of the web page whose address a text is; empty where it is none, or asks anything of it."""
    match = _WEB_ADDRESS.fullmatch(text.strip())
    if match is None or not text.isprintable():
        return ""
    return match[0] if match[1] else f"https://{match[0]}"


def is_same_page_address(text: str, address: str) -> bool:
    """Whether a browser's address field shows an address, which it may do without scheme and “www.”."""
    shown, uri = web_address(text), web_address(address)
    return bool(shown) and _BESIDE_HOST.sub("", shown.casefold()) == _BESIDE_HOST.sub("", uri.casefold())


_BESIDE_HOST = re.compile(r"^https?://(?:www\.)?|/$")

WEB = "web"
"""In place of an address: the one that was typed."""
MAP = "geo:0,0?q="
"""What an address begins with that has a map search for the text behind it (Android, “Common intents”)."""
_MAPS = re.compile(_WORDS["maps"], re.IGNORECASE)


def intent_address(shortcut: str, text: str) -> str:
    """The address of a shortcut where a text was typed on the way; empty where it is no address."""
    if shortcut == WEB:
        return web_address(text)
    if shortcut == MAP:
        return MAP + quote(text.strip(), safe="") if text.strip() and text.isprintable() else ""
    return shortcut


def shortcut_of(address: str) -> str:
    """The shortcut that an address belongs to."""
    return WEB if web_address(address) else MAP if address.startswith(MAP) else address


Way = Sequence[tuple[Action, Observation | None, Observation | None]]
"""Steps, each with the screen before and the one behind it."""


def address_opened(way: Way) -> str:
    """What an intent opens at once, to which these steps led from where their app was opened.

    Returns:
        the action of a page of the settings; `WEB` where an address was typed and its field shows it
        afterwards; `MAP` where a text was typed that a map searches for; empty where the steps do more than
        that, or do not tell it for sure.
    """
    screens = [screen for _action, *seen in way for screen in seen]
    kept = [screen for screen in screens if screen is not None and not screen.secure]
    if len(kept) < len(screens) or len({screen.app.package for screen in kept}) != 1:
        return ""
    if all(isinstance(action, Click) for action, *_screens in way):
        return _settings_page_opened(way)
    return _typed_shortcut(way)


def _settings_page_opened(way: Way) -> str:
    *_others, (tap, _before, last) = way
    page = settings_page(last) if last is not None else ""
    title = tap.target.label.split(" · ")[0] if tap.target is not None else ""
    return page if is_settings_title(title, page) and all(_leads_on(*step) for step in way) else ""


def _leads_on(action: Action, here: Observation | None, there: Observation | None) -> bool:
    """Whether a tap showed another page, and switched nothing."""
    if here is None or there is None or not isinstance(action, Click):
        return False
    touched = tree_of(here).touched(action.point)
    return touched is not None and not touched.checkable and heads_of(here) != heads_of(there)


def heads_of(screen: Observation) -> tuple[str, ...]:
    """The first two texts of a page: its title, and what the arrow beside it is called."""
    tree = tree_of(screen)
    words = (word for element in tree.elements for word in tree.label(element.index) if word)
    return tuple(islice(words, 2))


def _typed_shortcut(way: Way) -> str:
    """`WEB` or `MAP` where steps only entered a text in a field that shows it behind the last of them."""
    *entering, (last, _before, there) = way
    typed = [(action.text, here) for action, here, _there in entering if isinstance(action, TypeText)]
    others = [step for step in entering if not isinstance(step[0], TypeText)]
    if len(typed) != 1 or there is None or not isinstance(last, Click | PressEnter):
        return ""
    (text, page), *_none = typed
    field = page.focused_field() if page is not None else None
    if field is None or field.password or not is_search_field(field):
        return ""
    readies = all(_readies_field(action, here) for action, here, _there in others)
    if web_address(text):
        return WEB if readies and shows_address(there, text) else ""
    leads_on = all(
        _readies_field(action, here) or _leads_on(action, here, then) for action, here, then in others
    )
    is_map = bool(_MAPS.fullmatch(there.app.label) or _MAPS.fullmatch(there.app.package))
    is_searched = isinstance(last, PressEnter) and shows_search(there, intent_address(MAP, text))
    return MAP if is_map and leads_on and is_searched else ""


def _readies_field(action: Action, screen: Observation | None) -> bool:
    touched = tree_of(screen).touched(action.point) if screen and isinstance(action, Click) else None
    return isinstance(action, ClearText) or (touched is not None and touched.editable)


_SETTINGS_PAGES: Mapping[str, Mapping[str, list[str]]] = _WORDS["settings_pages"]
"""The titles and activities of pages of the settings, by the action of the intent that shows each."""


def settings_page(screen: Observation) -> str:
    """The action of the intent that shows a page of the settings too; empty where that is not certain.

    The title says which page it is, and the activity not otherwise.
    """
    *_before, title = settings_title(screen) or ("",)
    name = screen.app.activity.rpartition(".")[2]
    pages = (
        action
        for action, page in _SETTINGS_PAGES.items()
        if is_settings_title(title, action) and name in (ANY_SETTINGS_PAGE, *page["activities"])
    )
    return next(pages, "") if screen.app.package == SETTINGS else ""


def settings_title(screen: Observation) -> tuple[str, ...]:
    """The title of a known page of the settings, behind what the arrow beside it is called; else nothing."""
    heads = heads_of(screen)
    for end, words in enumerate(heads, 1):
        if any(is_settings_title(words, action) for action in _SETTINGS_PAGES):
            return heads[:end]
    return ()


def is_settings_title(words: str, action: str) -> bool:
    """Whether the page that an intent of this action shows is called so, in a language that is known."""
    titles = _SETTINGS_PAGES.get(action, {}).get("titles", [])
    return words.replace("\u2011", "-").casefold() in (title.casefold() for title in titles)


def shows_address(screen: Observation, address: str) -> bool:
    """Whether the address field of a page shows an address."""
    fields = (element for element in screen.elements if is_search_field(element))
    return any(is_same_page_address(field.text, address) for field in fields)


def shows_search(screen: Observation, address: str) -> bool:
    """Whether the search field of a page shows what the address of a map searches for."""
    sought = unquote(address.removeprefix(MAP)).casefold()
    fields = (element for element in screen.elements if is_search_field(element))
    return bool(sought) and any(field.text.strip().casefold() == sought for field in fields)


def find_place(seen: Observation, action: Action) -> Bounds | None:
    """Where a tap hits what is small: there the least change of the picture counts before it.

    A field has a cursor that blinks, and what is large may hold what moves by itself.
    """
    hit = seen.element_at(action.point) if isinstance(action, Click | LongClick) else None
    if hit is None or hit.editable:
        return None
    side = min(hit.bounds.width, hit.bounds.height)
    return hit.bounds if side**2 <= _LARGEST_PLACE * seen.width * seen.height else None


def find_witness(seen: Observation, point: Point) -> Element | None:
    """The element by which a find tells whether what a touch would hit is where it was.

    It is the first thing with words in what would be hit, else that itself. None where the page has several
    like it, it has neither words nor an id, or its words are not to be told.
    """
    touched = seen.element_at(point)
    if touched is None or touched.class_name == PICTURE_TEXT or not touched.enabled:
        return None
    inside = [touched]
    indexes = {touched.index}
    for element in seen.elements[touched.index + 1 :]:
        if element.parent not in indexes:
            break
        indexes.add(element.index)
        inside.append(element)
    if any(element.password for element in inside):
        return None
    witness = next((element for element in inside if element.text or element.description), touched)
    if not (witness.text or witness.description or witness.resource_id) or not witness.package:
        return None
    alike = (element for element in seen.elements if is_named_alike(element, witness))
    return witness if len(list(islice(alike, 2))) == 1 else None


@dataclass(frozen=True, slots=True)
class AwaitedTarget:
    """What a step will tap, by which a find tells that it is there, and the page on which it was recorded."""

    element: Element
    page: ScreenKey


def awaited_target(
    steps: Sequence[SkillStep],
    values: Mapping[str, str],
    page: Callable[[ScreenRef | None], Observation | None],
) -> AwaitedTarget | None:
    """What the first of some steps taps; None where it may stay away, is sensitive, or is not told by words.

    An element with the value of a slot is told by the value of now.
    """
    step = steps[0] if steps else None
    recorded = page(step.before) if step is not None else None
    if step is None or recorded is None or not isinstance(step.action, Click) or step.optional:
        return None
    witness = find_witness(recorded, step.action.point)
    if witness is None or recorded.secure or judge(step.action, recorded) is not None:
        return None
    if step.slot:
        value = values.get(step.slot, "")
        if not value or witness.text.strip() != step.bound.strip():
            return None
        text = step.text_for(value)
        # An order names in small letters what a page writes with a capital.
        text = text[:1].upper() + text[1:] if witness.text[:1].isupper() else text
        witness = replace(witness, text=text, description="")
    return AwaitedTarget(witness, key_of(recorded))


def likeness_needed(order: str, other: str) -> float:
    """The cosine from which the steps of one order tell something for another; above 1 for another kind.

    An order with a text to be sent is like no other; the others name values of one kind, or none, and a
    question is like no change, nor what is made anew like what changes it, ends it or reminds of it. Behind
    verbs of one kind less is needed than where no verb is known.
    """
    kinds, other_kinds = ({value.kind for value in find_values(text)} for text in (order, other))
    if (ValueKind.TEXT in kinds) != (ValueKind.TEXT in other_kinds):
        return _UNLIKE
    deeds, other_deeds = ([deed.search(text) is None for deed in _DEEDS] for text in (order, other))
    # “Louder” and “quieter” have one control.
    poles, others = ({pole for axis, pole in signature(text) if axis != "level"} for text in (order, other))
    if deeds != other_deeds or only_looks(order) != only_looks(other) or (-1 in poles) != (-1 in others):
        return _UNLIKE
    values, other_values = kinds & _TELLING, other_kinds & _TELLING
    behind = behind_same_verb(order, other)
    if behind is None or ((values or other_values) and not values & other_values):
        return _UNLIKE
    return _LIKE if behind else _VERY_LIKE


_LIKE, _VERY_LIKE, _UNLIKE = 0.4, 0.5, 2.0
"""Of eight orders in other words six are above the first, of 17 of other kinds two. Where no verb was known,
four that were told for other deeds, such as an alarm for a calendar's entry, had .41 to .45."""
_TELLING = frozenset(map(ValueKind, ("person", "place", "item", "amount", "time")))
_DEEDS = [*map(compile_words, _WORDS["other_deeds"])]
