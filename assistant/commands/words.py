"""Names that the commands print, in the language of the interface; `--json` keeps them as they are."""

from __future__ import annotations

from assistant.i18n import _, later

_NAMES = (
    *(later("success"), later("failed"), later("cancelled"), later("unknown"), later("open")),
    *(later("model"), later("replayed"), later("user"), later("profile"), later("preference")),
    *(later("exploration"), later("keyring"), later("file"), later("environment"), later("default")),
    *(later("pay"), later("send"), later("delete"), later("install"), later("grant"), later("security")),
    *(later("password"), later("good"), later("missing"), later("changed"), later("none")),
    *(later("id"), later("user id"), later("time"), later("scenario"), later("app"), later("package")),
    *(later("said"), later("instruction"), later("outcome"), later("source"), later("observations")),
    *(later("screenshots"), later("kind"), later("prototype"), later("because"), later("evidence")),
    *(later("moment"), later("routine"), later("records"), later("first"), later("last"), later("users")),
    *(later("apps"), later("screenshot bytes"), later("database bytes"), later("accepted")),
    *(later("edited"), later("not now"), later("never"), later("done"), later("lapsed"), later("later")),
    *(later("executed"), later("usage"), later("seconds"), later("cost"), later("prompt tokens")),
    *(later("completion tokens"), later("requests"), later("actions")),
)


def name_of(value: object) -> str:
    """A name that data bear, such as `user_id` or an outcome; itself where it has no other."""
    return _(str(value).replace("_", " ")) if str(value).replace("_", " ") in _NAMES else str(value)
