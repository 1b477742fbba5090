"""English words that decide what a clause tells: what is done again and again, what is over, which day."""

from __future__ import annotations

from assistant.understand.english_words import USING, words_of

DOING = USING | words_of(
    "follow support attend own hold subscribe study practice practise join recommend learn"
)
"""What somebody does again and again with one certain thing: "the team I support"."""

PAST_FORMS = words_of(
    "went bought had ate got took met saw told taught gave made sent wrote sang drank wore drove flew lent "
    "left found heard did spoke rode swam ran slept sat paid sold lost won chose"
)
"""Past forms without "ed"."""

PUT_THERE = words_of("uploaded posted published downloaded recorded saved shot created edited drew filmed")
"""How something came into an app, which finds it by that."""

MOMENTS = words_of("day night evening morning afternoon weekend week eve")
EVENTS = words_of(
    "exam exams test trip flight interview wedding graduation birthday anniversary appointment vacation "
    "holiday competition match game presentation surgery deadline departure move checkup party race "
    "concert meeting ceremony defense defence marathon hike journey performance rehearsal recital"
)
"""What happens on a day that only the user knows: "the day before the exam"."""

GATHERINGS = words_of(
    "club meeting appointment session seminar tutorial workshop rehearsal choir interview party exam test "
    "therapy physio checkup ceremony"
)
"""What begins at an hour that only those know who go there: "when book club starts"."""

BOUNDS = words_of("beginning ending outset")
"""Nouns for where something begins or ends, besides the verbs that are nouns as well: "start", "end"."""

LYING = words_of("bed sleep")
"""Routine events that are a thing or a state as well, not a gathering: "the end of my bed"."""

ACTIVITIES = words_of(
    "run jog gym yoga pilates study workout exercise sport party commute bath shower breakfast lunch dinner "
    "homework meditation nap travel sleep work wake-up road"
)
"""What one does while something plays: "my study music"."""

NO_ACTIVITY = words_of(
    "missing existing remaining pending following trending upcoming streaming recording loading"
)
"""Words that end as an activity and only say which: "my remaining podcasts"."""

OFTEN_DAYS = words_of(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings "
    "afternoons nights"
)
"""Days of a habit: "the sandwich I have on Mondays"."""
