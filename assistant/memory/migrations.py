"""The migrations: what each version of the database adds to the one before. Released versions never change.

Nothing here may use code or tables of the program, because those change, and existing databases do not. To
add a version, change `schema`, write its statements here, and add a dump of such a database to
`tests/memory/stores`. Version 1 has no entry: the oldest databases start there, and a new database starts at
the newest version.

The databases on servers start at version 7: statements of later versions must suit SQLite and PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text


@dataclass(frozen=True, slots=True)
class Version:
    """One step from the version before.

    `ddl` holds statements that end with a semicolon; `{autoincrement}` in it stands for the type of a primary
    key that counts up. `fill` writes what SQL cannot compute.
    """

    number: int
    ddl: str
    fill: Callable[[Connection], None] | None = None


def _fill_moments(connection: Connection) -> None:
    """Fill in the time of each record in seconds since 1970, which orders records of different time zones."""
    for record_id, time in connection.exec_driver_sql("SELECT id, time FROM records").all():
        moment = datetime.fromisoformat(time).timestamp()
        update = text("UPDATE records SET moment = :moment WHERE id = :id")
        connection.execute(update, {"moment": moment, "id": record_id})


_COSTS = """
ALTER TABLE records ADD COLUMN model VARCHAR DEFAULT '' NOT NULL;
ALTER TABLE records ADD COLUMN usage JSON;
ALTER TABLE records ADD COLUMN cost JSON;
ALTER TABLE records ADD COLUMN seconds FLOAT;
CREATE TABLE spent (
    id INTEGER NOT NULL,
    user_id VARCHAR NOT NULL,
    turn_id VARCHAR NOT NULL,
    step INTEGER NOT NULL,
    time VARCHAR NOT NULL,
    day VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    seconds FLOAT NOT NULL,
    seconds_to_first_token FLOAT,
    cost FLOAT,
    currency VARCHAR NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_spent_day ON spent (day);
"""

_APPROVALS = """
CREATE TABLE approvals (
    user_id VARCHAR NOT NULL,
    package VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    app VARCHAR NOT NULL,
    time VARCHAR NOT NULL,
    PRIMARY KEY (user_id, package, kind)
);
"""

_AUDIT_AND_VECTORS = """
CREATE TABLE changes (
    id {autoincrement},
    time VARCHAR NOT NULL,
    what TEXT NOT NULL,
    why TEXT NOT NULL,
    kind VARCHAR NOT NULL,
    target INTEGER,
    undone BOOLEAN NOT NULL,
    counts JSON NOT NULL
);
CREATE TABLE change_rows (
    id INTEGER NOT NULL,
    change_id INTEGER NOT NULL,
    table_name VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    "before" JSON,
    "after" JSON,
    digest VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY (change_id) REFERENCES changes (id) ON DELETE CASCADE
);
CREATE INDEX ix_change_rows_change_id ON change_rows (change_id);
CREATE INDEX ix_change_rows_row ON change_rows (table_name, "key");
CREATE TABLE vectors (
    kind VARCHAR NOT NULL,
    owner VARCHAR NOT NULL,
    model_id VARCHAR NOT NULL,
    text_hash VARCHAR NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (kind, owner, model_id)
);
ALTER TABLE records ADD COLUMN moment FLOAT DEFAULT '0' NOT NULL;
CREATE INDEX ix_records_moment ON records (moment);
"""

# Version 4 was out for a few minutes without this index of vectors.
_DECLARED_PROFILES = """
CREATE INDEX IF NOT EXISTS ix_vectors_text ON vectors (model_id, text_hash);
CREATE TABLE user_profiles (
    user_id VARCHAR NOT NULL,
    fields JSON NOT NULL,
    PRIMARY KEY (user_id)
);
"""

_PROFILE_GRAPH = """
CREATE TABLE profile_nodes (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    name TEXT NOT NULL,
    pinned BOOLEAN NOT NULL,
    hidden BOOLEAN NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_profile_nodes_user_id ON profile_nodes (user_id);
CREATE TABLE profile_links (
    one VARCHAR NOT NULL,
    other VARCHAR NOT NULL,
    PRIMARY KEY (one, other)
);
CREATE INDEX ix_profile_links_other ON profile_links (other);
CREATE TABLE profile_values (
    id VARCHAR NOT NULL,
    node_id VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    text TEXT NOT NULL,
    sense TEXT NOT NULL,
    single BOOLEAN NOT NULL,
    hidden BOOLEAN NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_profile_values_node_id ON profile_values (node_id);
CREATE TABLE profile_evidence (
    value_id VARCHAR NOT NULL,
    record_id VARCHAR NOT NULL,
    time VARCHAR NOT NULL,
    strength VARCHAR NOT NULL,
    PRIMARY KEY (value_id, record_id)
);
CREATE INDEX ix_profile_evidence_record_id ON profile_evidence (record_id);
"""

_PROTOTYPES = """
CREATE TABLE prototypes (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    founder VARCHAR NOT NULL,
    centre VARCHAR NOT NULL,
    count INTEGER NOT NULL,
    weight FLOAT NOT NULL,
    first VARCHAR NOT NULL,
    last VARCHAR NOT NULL,
    archived BOOLEAN NOT NULL,
    sample JSON NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_prototypes_user_id ON prototypes (user_id);
CREATE TABLE prototype_members (
    record_id VARCHAR NOT NULL,
    prototype_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    fit FLOAT NOT NULL,
    PRIMARY KEY (record_id)
);
CREATE INDEX ix_prototype_members_prototype_id ON prototype_members (prototype_id);
CREATE TABLE prototype_states (
    user_id VARCHAR NOT NULL,
    revision INTEGER NOT NULL,
    dirty BOOLEAN NOT NULL,
    made_with VARCHAR NOT NULL,
    wishes JSON NOT NULL,
    PRIMARY KEY (user_id)
);
CREATE TABLE prototype_decisions (
    user_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    record_id VARCHAR NOT NULL,
    other VARCHAR NOT NULL,
    text TEXT NOT NULL,
    time VARCHAR NOT NULL,
    PRIMARY KEY (user_id, kind, record_id, other)
);
"""

_SUGGESTIONS = """
CREATE TABLE suggestions (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    routine VARCHAR NOT NULL,
    anchor VARCHAR NOT NULL,
    instruction TEXT NOT NULL,
    score FLOAT NOT NULL,
    why JSON NOT NULL,
    evidence JSON NOT NULL,
    scenario VARCHAR NOT NULL,
    made VARCHAR NOT NULL,
    due VARCHAR NOT NULL,
    until VARCHAR NOT NULL,
    shown VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    answer VARCHAR NOT NULL,
    answered VARCHAR NOT NULL,
    snoozes INTEGER NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_suggestions_user_made ON suggestions (user_id, made);
CREATE TABLE places (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    name TEXT NOT NULL,
    scenario VARCHAR NOT NULL,
    signals JSON NOT NULL,
    made VARCHAR NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_places_user_id ON places (user_id);
"""

_SENT_AND_LEARNING = """
CREATE TABLE sent (
    id {autoincrement},
    user_id VARCHAR NOT NULL,
    turn_id VARCHAR NOT NULL,
    step INTEGER NOT NULL,
    time VARCHAR NOT NULL,
    moment FLOAT NOT NULL,
    endpoint VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    text_bytes INTEGER NOT NULL,
    picture_bytes INTEGER NOT NULL,
    parts JSON NOT NULL
);
CREATE INDEX ix_sent_turn_id ON sent (turn_id);
CREATE INDEX ix_sent_moment ON sent (moment);
CREATE TABLE learning_switches (
    user_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    "on" BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, name)
);
"""

_OPEN_STEPS = """
CREATE TABLE open_steps (
    turn_id VARCHAR NOT NULL,
    place INTEGER NOT NULL,
    step JSON NOT NULL,
    PRIMARY KEY (turn_id, place),
    FOREIGN KEY (turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
"""

_REVISIONS = """
ALTER TABLE changes ADD COLUMN revision INTEGER NOT NULL DEFAULT '0';
UPDATE changes SET revision = id;
CREATE INDEX ix_changes_revision ON changes (revision);
"""

_RULES_BY_RECIPIENT = """
CREATE TABLE narrow_approvals (
    user_id VARCHAR NOT NULL,
    package VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    recipient VARCHAR DEFAULT '' NOT NULL,
    item VARCHAR DEFAULT '' NOT NULL,
    app VARCHAR NOT NULL,
    time VARCHAR NOT NULL,
    PRIMARY KEY (user_id, package, kind, recipient, item)
);
INSERT INTO narrow_approvals (user_id, package, kind, recipient, item, app, time)
    SELECT user_id, package, kind, '', '', app, time FROM approvals;
DROP TABLE approvals;
ALTER TABLE narrow_approvals RENAME TO approvals;
"""
"""Rules of earlier versions allowed a kind in a whole app. Without a recipient they cover nothing."""

_SKILLS = """
CREATE TABLE skills (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    made VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    evidence JSON NOT NULL,
    body JSON NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_skills_user_id ON skills (user_id);
CREATE TABLE learning_queue (
    turn_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    report JSON NOT NULL,
    PRIMARY KEY (turn_id)
);
"""

_SCHEDULES = """
CREATE TABLE schedules (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    times TEXT NOT NULL,
    rule JSON NOT NULL,
    zone VARCHAR NOT NULL,
    instruction TEXT NOT NULL,
    made VARCHAR NOT NULL,
    paused BOOLEAN NOT NULL,
    seen FLOAT NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_schedules_user_id ON schedules (user_id);
CREATE TABLE schedule_runs (
    schedule_id VARCHAR NOT NULL,
    moment FLOAT NOT NULL,
    user_id VARCHAR NOT NULL,
    due VARCHAR NOT NULL,
    begins FLOAT NOT NULL,
    instruction TEXT NOT NULL,
    state VARCHAR NOT NULL,
    turn_id VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (schedule_id, moment)
);
CREATE INDEX ix_schedule_runs_user_id ON schedule_runs (user_id);
CREATE INDEX ix_schedule_runs_state ON schedule_runs (user_id, state);
"""

_CACHED_TOKENS = """
ALTER TABLE spent ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT '0';
"""

_PROFILE_QUEUE = """
CREATE TABLE profile_queue (
    record_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    well BOOLEAN NOT NULL,
    lessons JSON NOT NULL,
    PRIMARY KEY (record_id)
);
"""

_ESTIMATED_TOKENS = """
ALTER TABLE spent ADD COLUMN estimated_tokens INTEGER NOT NULL DEFAULT '0';
"""

_LEASES = """
CREATE TABLE leases (
    name VARCHAR NOT NULL,
    owner VARCHAR NOT NULL,
    turn_id VARCHAR NOT NULL,
    expires FLOAT,
    PRIMARY KEY (name)
);
"""

_PROFILE_FORGOTTEN = """
CREATE TABLE profile_forgotten (
    user_id VARCHAR NOT NULL,
    id VARCHAR NOT NULL,
    until VARCHAR NOT NULL,
    PRIMARY KEY (user_id, id)
);
"""

_REPLAY_OUTCOMES = """
CREATE TABLE replay_outcomes (
    turn_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    package VARCHAR NOT NULL,
    matched INTEGER NOT NULL,
    differed INTEGER NOT NULL,
    PRIMARY KEY (turn_id)
);
CREATE INDEX ix_replay_outcomes_app ON replay_outcomes (user_id, package);
"""

_ACTION_QUEUE = """
CREATE TABLE action_queue (
    turn_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    report JSON NOT NULL,
    PRIMARY KEY (turn_id)
);
INSERT INTO action_queue SELECT turn_id, user_id, outcome, report FROM learning_queue;
"""
"""What waits in the queue of earlier versions may be of either kind: each kind is told by its report."""

VERSIONS = (
    Version(2, _COSTS),
    Version(3, _APPROVALS),
    Version(4, _AUDIT_AND_VECTORS, _fill_moments),
    Version(5, _DECLARED_PROFILES),
    Version(6, _PROFILE_GRAPH),
    Version(7, _PROTOTYPES),
    Version(8, _SUGGESTIONS),
    Version(9, _SENT_AND_LEARNING),
    Version(10, _OPEN_STEPS),
    Version(11, _REVISIONS),
    Version(12, _RULES_BY_RECIPIENT),
    Version(13, _SKILLS),
    Version(14, _SCHEDULES),
    Version(15, _CACHED_TOKENS),
    Version(16, _PROFILE_QUEUE),
    Version(17, _ESTIMATED_TOKENS),
    Version(18, _LEASES),
    Version(19, _PROFILE_FORGOTTEN),
    Version(20, _REPLAY_OUTCOMES),
    Version(21, _ACTION_QUEUE),
)
