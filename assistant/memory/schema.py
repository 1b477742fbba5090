"""The tables of the database, as data: what a new database is made from, and what all of the memory reads.

A change here needs a new version in `migrations`, for the databases that exist already.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

records = Table(
    "records",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("time", String, nullable=False, index=True, doc="ISO 8601 with the offset of the user's zone"),
    Column(
        "moment",
        Float,
        nullable=False,
        server_default="0",
        index=True,
        doc="the time in seconds since 1970: orders the records of all zones",
    ),
    Column("scenario", String, nullable=False),
    Column("said", Text, nullable=False),
    Column("instruction", Text, nullable=False),
    Column("app", String, nullable=False),
    Column("package", String, nullable=False),
    Column("outcome", String),
    Column("source", String, nullable=False),
    Column("actions", JSON, nullable=False, doc="in the record exchange format"),
    Column("model", String, nullable=False, server_default="", doc="the model that carried it out"),
    Column("usage", JSON(none_as_null=True)),
    Column("cost", JSON(none_as_null=True)),
    Column("seconds", Float),
)

observations = Table(
    "observations",
    metadata,
    Column("turn_id", String, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("package", String, nullable=False),
    Column("activity", String, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("secure", Boolean, nullable=False),
    Column(
        "screenshot",
        String,
        nullable=False,
        doc="file name below screenshots/, empty for none",
        info={"volatile": True},
    ),
    Column("elements", JSON, nullable=False),
)

turns = Table(
    "turns",
    metadata,
    Column("id", String, primary_key=True, doc="the id of the record that the turn becomes"),
    Column("user_id", String, nullable=False),
    Column("started", String, nullable=False, index=True),
    Column("said", Text, nullable=False),
    Column("open", Boolean, nullable=False, index=True, doc="neither ended nor discarded"),
    Column("checkpoint", JSON, nullable=False, doc="of an open turn without its steps"),
)

open_steps = Table(
    "open_steps",
    metadata,
    Column("turn_id", String, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, doc="among the steps of its turn, from 0"),
    Column("step", JSON, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String, primary_key=True, doc="what is held: a phone, a turn, the right to suggest"),
    Column("owner", String, nullable=False, doc="a running program, see leases.ProgramLeases"),
    Column("turn_id", String, nullable=False, doc="the turn that it is held for, or empty"),
    Column("expires", Float, doc="by the server's clock, in seconds since 1970; null in a file"),
)

spent = Table(
    "spent",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", String, nullable=False),
    Column("turn_id", String, nullable=False, doc="no foreign key: what a forgotten turn used stays used"),
    Column("step", Integer, nullable=False),
    Column("time", String, nullable=False),
    Column("day", String, nullable=False, index=True, doc="the date in the user's zone"),
    Column("model", String, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("seconds", Float, nullable=False, doc="waited for the model"),
    Column("seconds_to_first_token", Float, doc="of the reply that was used; null where none was"),
    Column("cost", Float, doc="null where no price is known"),
    Column("currency", String, nullable=False),
    Column(
        "cached_tokens",
        Integer,
        nullable=False,
        server_default="0",
        doc="of the prompt, as far as the endpoint tells",
    ),
    Column(
        "estimated_tokens",
        Integer,
        nullable=False,
        server_default="0",
        doc="in and out, of requests that were ended before the endpoint told",
    ),
)

approvals = Table(
    "approvals",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("package", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column(
        "recipient",
        String,
        primary_key=True,
        server_default="",
        doc="of a permission: what the system's dialog asks",
    ),
    Column(
        "item",
        String,
        primary_key=True,
        server_default="",
        doc="the button that grants a permission; else empty",
    ),
    Column("app", String, nullable=False, doc="the app's name when it was allowed"),
    Column("time", String, nullable=False),
)

changes = Table(
    "changes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("time", String, nullable=False),
    Column(
        "what",
        Text,
        nullable=False,
        doc="quotes no record, nor its id: what is forgotten must not survive here",
    ),
    Column("why", Text, nullable=False),
    Column("kind", String, nullable=False, doc="see changes.ChangeKind"),
    Column("target", Integer, doc="the change that an undo or redo is of"),
    Column("undone", Boolean, nullable=False),
    Column("counts", JSON, nullable=False, doc='rows by table and verb, {"records": {"inserted": 3}}'),
    Column(
        "revision",
        Integer,
        nullable=False,
        server_default="0",
        index=True,
        doc="of the memory after the last transaction of this change; a long change has several",
    ),
    sqlite_autoincrement=True,
)

change_rows = Table(
    "change_rows",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("change_id", Integer, ForeignKey("changes.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("table_name", String, nullable=False),
    Column("key", String, nullable=False, doc="the primary key as JSON, names sorted"),
    Column("before", JSON(none_as_null=True), doc="a deleted row, or what an update replaced; else null"),
    Column("after", JSON(none_as_null=True), doc="what an update wrote; else null"),
    Column("digest", String, nullable=False, doc="of an inserted row, which itself stands in its table"),
    Index("ix_change_rows_row", "table_name", "key"),
)

RECORD_VECTOR = "record"
"""The kind of a record's vector."""

NODE_VECTOR = "node"
"""The kind of a profile node's vector."""

vectors = Table(
    "vectors",
    metadata,
    Column("kind", String, primary_key=True, doc="what the owner is: record, prototype, node"),
    Column("owner", String, primary_key=True, doc="the owner's id"),
    Column("model_id", String, primary_key=True),
    Column("text_hash", String, nullable=False, doc="of the text that was embedded: tells a stale vector"),
    Column("vector", LargeBinary, nullable=False, doc="float32, little-endian, of length 1"),
    Index("ix_vectors_text", "model_id", "text_hash"),
)

user_profiles = Table(
    "user_profiles",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("fields", JSON, nullable=False, doc="what the user declared, text by name (FingerTip Table 7)"),
)

# The profile's tables have no foreign keys: undoing the change that first made a row must not be stopped by
# what was learnt later. Readers skip rows that refer to nothing.

profile_nodes = Table(
    "profile_nodes",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("kind", String, nullable=False, doc="see nodes.NodeKind"),
    Column("name", Text, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("hidden", Boolean, nullable=False),
)

profile_links = Table(
    "profile_links",
    metadata,
    Column("one", String, primary_key=True, doc="the smaller id"),
    Column("other", String, primary_key=True, index=True),
)

profile_values = Table(
    "profile_values",
    metadata,
    Column("id", String, primary_key=True),
    Column("node_id", String, nullable=False, index=True),
    Column("key", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("sense", Text, nullable=False, doc="what makes two wordings the same value"),
    Column("single", Boolean, nullable=False, doc="of its key one value holds at a time"),
    Column("hidden", Boolean, nullable=False),
)

profile_evidence = Table(
    "profile_evidence",
    metadata,
    Column("value_id", String, primary_key=True),
    Column("record_id", String, primary_key=True, index=True, doc="empty when the user wrote it"),
    Column("time", String, nullable=False),
    Column("strength", String, nullable=False, doc="see nodes.Strength"),
)

PROFILE_TABLES = (profile_nodes, profile_links, profile_values, profile_evidence)

profile_forgotten = Table(
    "profile_forgotten",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("id", String, primary_key=True, doc="of a node or a value: a digest, which quotes nothing"),
    Column("until", String, nullable=False, doc="records up to this time do not teach it again"),
)

prototypes = Table(
    "prototypes",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("founder", String, nullable=False, doc="the record that began it"),
    Column("centre", String, nullable=False, doc="the medoid record"),
    Column("count", Integer, nullable=False),
    Column("weight", Float, nullable=False, doc="faded evidence at the time `last`"),
    Column("first", String, nullable=False),
    Column("last", String, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column(
        "sample", JSON, nullable=False, doc="[record id, consistency with the centre], highest rank first"
    ),
)

prototype_members = Table(
    "prototype_members",
    metadata,
    Column("record_id", String, primary_key=True),
    Column("prototype_id", String, nullable=False, index=True),
    Column("user_id", String, nullable=False),
    Column("fit", Float, nullable=False, doc="consistency with the centre when it joined"),
)

prototype_states = Table(
    "prototype_states",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("revision", Integer, nullable=False, doc="rises with every change of the user's prototypes"),
    Column("dirty", Boolean, nullable=False, doc="some were dropped with a record and must be made anew"),
    Column("made_with", String, nullable=False, doc="digest of the rules and the embedding model"),
    Column("wishes", JSON, nullable=False, doc="the wishes that were kept to"),
)

# A decision refers to records, not to prototypes, so that it holds when these are made anew.
prototype_decisions = Table(
    "prototype_decisions",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("kind", String, primary_key=True, doc="see decisions.DecisionKind"),
    Column("record_id", String, primary_key=True),
    Column("other", String, primary_key=True, doc="another record, or empty"),
    Column("text", Text, nullable=False, doc="the user's own wording, or empty"),
    Column("time", String, nullable=False),
)

PROTOTYPE_TABLES = (records, prototypes, prototype_members, prototype_states, prototype_decisions)
"""What prototypes as the user sees them are read from; they also rest on `learning_switches`."""

suggestions = Table(
    "suggestions",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False),
    Column("routine", String, nullable=False, doc="the prototype when it was made"),
    Column("anchor", String, nullable=False, doc="the prototype's centre, by which it is found again"),
    Column("instruction", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("why", JSON, nullable=False, doc="see proactive.reasons; before, a sentence each"),
    Column("evidence", JSON, nullable=False, doc="ids of records, newest first"),
    Column("scenario", String, nullable=False),
    Column("made", String, nullable=False, doc="ISO 8601 with the offset of the user's zone, as all times"),
    Column("due", String, nullable=False, doc="when to speak"),
    Column("until", String, nullable=False, doc="when it is of no use any more"),
    Column("shown", String, nullable=False, doc="when it was first shown, or empty"),
    Column("state", String, nullable=False, doc="see proactive.suggestions.Stage"),
    Column("answer", String, nullable=False, doc="see proactive.suggestions.Answer; empty while open"),
    Column("answered", String, nullable=False),
    Column("snoozes", Integer, nullable=False),
    Index("ix_suggestions_user_made", "user_id", "made"),
)

places = Table(
    "places",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("name", Text, nullable=False, doc="the user's own; empty when they did not want to say"),
    Column("scenario", String, nullable=False),
    Column("signals", JSON, nullable=False, doc="what tells it, see proactive.places.Marks"),
    Column("made", String, nullable=False),
)

sent = Table(
    "sent",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", String, nullable=False),
    Column("turn_id", String, nullable=False, index=True, doc="empty outside of turns"),
    Column("step", Integer, nullable=False),
    Column("time", String, nullable=False),
    Column("moment", Float, nullable=False, index=True, doc="the time in seconds since 1970"),
    Column("endpoint", String, nullable=False, doc="scheme, host, port and path; neither user nor key"),
    Column("model", String, nullable=False),
    Column("text_bytes", Integer, nullable=False),
    Column("picture_bytes", Integer, nullable=False, doc="as it is sent, in base 64; 0 for no screenshot"),
    Column("parts", JSON, nullable=False, doc="[role, text], in order"),
    sqlite_autoincrement=True,
)

skills = Table(
    "skills",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("made", String, nullable=False),
    Column("state", String, nullable=False, doc="see skills.template.SkillState"),
    Column("evidence", JSON, nullable=False, doc="ids of the records it was learnt from"),
    Column(
        "body",
        JSON,
        nullable=False,
        doc="a skills.template.SkillTemplate",
        info={"parts": True},
    ),
)

action_queue = Table(
    "action_queue",
    metadata,
    Column("turn_id", String, primary_key=True, doc="a turn that is over and not counted yet"),
    Column("user_id", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("report", JSON, nullable=False, doc="what was replayed in it, see skills.storage.ReplayReport"),
)

experience_queue = Table(
    "learning_queue",
    metadata,
    Column("turn_id", String, primary_key=True, doc="a turn that ended well and is no skill yet"),
    Column("user_id", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("report", JSON, nullable=False, doc="see skills.storage.ReplayReport; `learnt` waits for names"),
)

replay_outcomes = Table(
    "replay_outcomes",
    metadata,
    Column("turn_id", String, primary_key=True, doc="a turn that repeated steps of a skill, or could have"),
    Column("user_id", String, nullable=False),
    Column("package", String, nullable=False, doc="the app of the skill"),
    Column("matched", Integer, nullable=False, doc="steps that led where they had led; 0 if it ended badly"),
    Column("differed", Integer, nullable=False, doc="steps that led elsewhere, or that the user corrected"),
    Index("ix_replay_outcomes_app", "user_id", "package"),
)

profile_queue = Table(
    "profile_queue",
    metadata,
    Column("record_id", String, primary_key=True, doc="a turn that is over, not learnt from for the profile"),
    Column("user_id", String, nullable=False),
    Column("well", Boolean, nullable=False, doc="whether the turn succeeded"),
    Column("lessons", JSON, nullable=False, doc="what the user said things mean, see understand.resolution"),
)

learning_switches = Table(
    "learning_switches",
    metadata,
    Column("user_id", String, primary_key=True),
    Column("name", String, primary_key=True, doc='"learning", or "source " and a source of records'),
    Column("on", Boolean, nullable=False),
)

schedules = Table(
    "schedules",
    metadata,
    Column("id", String, primary_key=True),
    Column("user_id", String, nullable=False, index=True),
    Column("times", Text, nullable=False, doc="when it begins, in the user's words"),
    Column("rule", JSON, nullable=False, doc="see proactive.schedule_times.ScheduleRule"),
    Column("zone", String, nullable=False, doc="the zone of its times, such as Europe/Berlin"),
    Column("instruction", Text, nullable=False),
    Column("made", String, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column(
        "seen",
        Float,
        nullable=False,
        doc="until when its occasions are in schedule_runs, in seconds since 1970",
        info={"volatile": True},
    ),
)

schedule_runs = Table(
    "schedule_runs",
    metadata,
    Column("schedule_id", String, primary_key=True, doc="no foreign key: runs outlive their schedule"),
    Column(
        "moment",
        Float,
        primary_key=True,
        doc="when it was due, in seconds since 1970: each occasion has one row, so that none begins twice",
    ),
    Column("user_id", String, nullable=False, index=True),
    Column("due", String, nullable=False, doc="when it was due, ISO 8601 in the schedule's zone"),
    Column("begins", Float, nullable=False, doc="when to begin it; later than `moment` if it was put off"),
    Column("instruction", Text, nullable=False),
    Column("state", String, nullable=False, doc="see proactive.schedules.RunState"),
    Column("turn_id", String, nullable=False, doc="of the turn that it began, else empty"),
    Column("reason", String, nullable=False, doc="why it did not begin, see schedule_events.MissReason"),
    Index("ix_schedule_runs_state", "user_id", "state"),
)
