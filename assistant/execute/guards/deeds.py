"""Sensitive deeds as verbs with what they are done to: “leave … group”, “reveal … recovery phrase”.

Verbs that are harmless elsewhere (“leave”, “show”, “share”) are told by their object. Between the two may
stand a few words, after the object only to whom, where or when. Written in the form that `plain.plain` gives.
"""

from __future__ import annotations

import re

from assistant.events import ActionKind

_MONEY = (
    "payments?|purchase|orders?|transactions?|transfer|checkout|donations?|deposit|withdrawal|bid|bet|wager|offer|"
    "trade|swap|conversion|exchange|investment|subscription|pre-?order|receipt|pledge|tips?|loan"
)
_GROUPS = (
    "group|chat|channel|team|server|guild|club|community|conversation|family|organi[sz]ation|workspace|league"
)
_ARRANGED = (
    "orders?|items?|bookings?|reservations?|rides?|trips?|appointments?|subscriptions?|memberships?|plan|deliver(?:y|ies)|"
    "pickup|flight|tickets?|stay|rental|transfers?|payments?|trial|auto-?renew\\w*|requests?|applications?|"
    "registration|visit|event|meeting|class|lesson|premium|account|service|contract|policy"
)
_KEPT = (
    "history|chats?|data|cache|storage|logs?|messages?|recents?|search(?:es)?|downloads?|trash|bin|spam|junk|"
    "recycle bin|cookies|playlist|album|records?|activity|conversations?|files?|photos?|videos?|space"
)
_ROLES = (
    "admin\\w*|owner|editor|manager|moderator|member|guest|holder|user|driver|collaborator|viewer|delegate"
)
_LOCKS = "doors?|gates?|garage|car|vehicle|locks?|trunk|safe|bike|scooter"
_SECRETS = (
    "phrases?|keys?|codes?|seed|mnemonic|passwords?|passcode|pin|words|tokens?|card (?:number|details)|cvv"
)

_PAIRS: dict[ActionKind, tuple[tuple[str, str], ...]] = {
    ActionKind.INSTALL: (
        (
            "install|reinstall|sideload",
            "updates?|(?<!unknown )apps?|package|firmware|plugin|extension|profile",
        ),
        ("update|upgrade", "firmware|apps?|system|software"),
    ),
    ActionKind.PAY: (
        (
            "complete|finish|finali[sz]e|authori[sz]e|approve|process|confirm|place|submit|release|send|"
            "raise|increase",
            _MONEY,
        ),
        (
            "convert|swap|exchange|trade|stake|borrow|repay|lend|fund|pledge|contribute|withdraw|deposit|"
            "reload|renew|extend|order|upgrade|invest|insure|lease",
            "now|today|instantly",
        ),
        ("add|leave|give|send", "tip|gift|donation"),
        ("(?:1|one)[ -]?(?:tap|click)", "buy|pay|order|purchase|checkout"),
        ("extend|renew", "rental|stay|parking|session|subscription|membership|plan|policy|domain|lease"),
    ),
    ActionKind.DELETE: (
        ("exit|leave|quit", _GROUPS),
        ("cancel|end|stop|terminate|close|withdraw|revoke|drop", _ARRANGED),
        ("clear|empty|wipe|purge|destroy|erase|free up", _KEPT),
        ("reset", "preferences|settings|data|progress|statistics|permissions|network"),
        ("forget|unpair|unlink|deregister", "device|network|account|phone|computer"),
        ("close|deactivate|terminate|disband|dissolve", "account|profile|group|team|server|store"),
    ),
    ActionKind.SEND: (
        ("share|send|broadcast", "location|position|whereabouts|screen|eta|activity|workout|contact card"),
        ("sign", "document|contract|agreement|petition|lease|now|form|send"),
        ("(?:finish|complete|start and finish) signing|adopt and sign|agree and sign|decline to sign", ""),
        (
            "decline|reject|accept|approve",
            "invitation|invite|application|proposal|connection|friend request|to sign|leave|time off",
        ),
        ("notify|alert|page|nudge", "team|everyone|all|driver|members|guests|attendees|contacts?|followers"),
        ("request|ask for", "callback|time off|leave|approval|signature|introduction|access|call|quote"),
        ("add", "friend"),
        ("cast|submit", "vote|ballot"),
        ("start|place|make", "video call|voice call|live ?stream|broadcast"),
    ),
    ActionKind.GRANT: (
        (f"(?:add|invite|make|set|promote) (?:\\w+ ){{0,3}}(?:as|an?) (?:an? )?(?:\\w+ )?(?:{_ROLES})", ""),
        (
            "(?:link|pair) this|trust|approve|authori[sz]e",
            "device|computer|browser|sign-?in|log-?in|keyboard|headset|watch",
        ),
        ("give|grant|allow", "access|permissions?|control"),
    ),
    ActionKind.SECURITY: (
        (
            "reveal|show|copy|export|display|download",
            f"(?:recovery|secret|private|seed|backup|security|api) (?:{_SECRETS})",
        ),
        ("save|confirm|update|create|submit", "passwords?|passcode|pin|pin code"),
        ("secure|lock|disable|block", "device|phone|account|sim|card"),
        ("unlock|open", _LOCKS),
        ("sign out|log out", "all|everywhere|every device|other (?:devices|sessions)|devices"),
        ("end|close|revoke", "(?:other )?sessions?|access"),
        (
            "turn off|turn on|disable|enable|switch off|deactivate|activate",
            "two-?step verification|two-?factor|2fa|authenticator|biometrics?|face unlock|touch id|alarm|"
            "find my \\w+|"
            "security|parental controls?|firewall|theft protection|device protection",
        ),
    ),
}
_BETWEEN = r"(?:(?!to |for |from |with |how |about )[\w$€£¥.,'’-]+ ){0,3}"
_AFTER = r"(?: (?:for|from|to|with|on|of|in|by|at|as|now|permanently|anyway|and) ?.*)?"


def _pattern(pairs: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    deeds = (rf"(?:{verbs}) {_BETWEEN}(?:{objects})" if objects else verbs for verbs, objects in pairs)
    return re.compile(rf"(?:{'|'.join(deeds)}){_AFTER}\W*")


_PATTERNS = {kind: _pattern(pairs) for kind, pairs in _PAIRS.items()}


def kind_of_deed(words: str) -> ActionKind | None:
    """What a label says with a verb and its object."""
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(words)), None)
