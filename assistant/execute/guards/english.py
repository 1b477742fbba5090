"""How labels in English begin that do something sensitive: data, as regular expressions.

All of them are written in the form that `plain.plain` gives: lower case, simplified characters.
"""

from __future__ import annotations

from assistant.events import ActionKind

THINGS = r"(?:my |the |your |this |an? |all )?"

STARTS: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.INSTALL: ("install", "reinstall", "download and install", "update (?:now|all|apps?)"),
    ActionKind.PAY: (
        "pay(?! (?:with|by|using|via|later|method|day|me|bills?)\\b)",
        "buy(?! (?:it |this |them )?again\\b| ?\\d+ get)",
        "[\\w' -]{1,20} \\bbuy(?: now)?$",
        "purchase",
        f"place {THINGS}(?:order|bid)",
        "order now",
        "submit order",
        f"confirm {THINGS}(?:order|payment|purchase|booking|transfer|request|ride|rental|subscription)",
        "(?:send|transfer|withdraw|deposit) (?:money|cash|funds|payment|now|[¥$€£\\d])",
        "send (?:a )?(?:gift|red packet|tip)",
        "transfer to\\b(?! *$)",
        "top up (?:now|[¥$€£\\d])",
        "recharge (?:now|[¥$€£\\d])",
        "donate",
        "subscribe(?! to (?:channel|newsletter))",
        "renew",
        "(?:start|begin) (?:my |your )?(?:free )?(?:trial|subscription|membership)",
        "upgrade (?:now|to)",
        f"(?:book|reserve) {THINGS}(?:now|tickets?|seats?|room|table|flight|ride|trip|hotel)",
        "book [¥$€£\\d]",
        f"(?:request|call|order) {THINGS}(?:ride|taxi|cab|car)",
        "(?:request|get|claim) (?:a |the |my )?refund",
        "refund",
        "check ?out [¥$€£\\d]",
        "unlock (?:for|all levels|premium)",
        "(?:sell|redeem|bid|boost|promote|invest|rent)(?= (?:now|for|from|[¥$€£\\d]))",
        "(?:give|tip) (?:[¥$€£\\d]|once|monthly)",
        "gift\\b(?= [¥$€£\\d])",
    ),
    ActionKind.SEND: (
        "send(?! (?:us |me )?(?:feedback|diagnostics|later|to (?:back|front))\\b)",
        "publish",
        "post (?:now|it|comment|reply|to)",
        "tweet",
        "call(?! (?:history|log|logs|settings|forwarding|waiting|details|barring|list|recording|"
        "screening)\\b)",
        "(?:voice|video|audio) call",
        "dial(?! ?pad)",
        "redial",
        "forward to",
        "share (?:with|to|now|publicly)\\b(?! *$)",
        "reply to all",
        "invite (?!code|link|history)",
        "(?:send|resend) (?:an? )?invit",
        "go live",
        "start (?:a |the )?(?:live|huddle|call|meeting|broadcast|streaming)",
        "(?:repost|retweet|super ?like|share now|list for sale)",
        f"submit {THINGS}(?:review|comment|feedback|rating|reply|answer|application|form|report|post|entry|"
        "request to join)",
        "(?:post|leave|publish) (?:a |your )?(?:review|comment|feedback|reply|listing|story|ad)",
        "(?:request|ask) to join",
        "apply now",
        "talk to",
        "(?:share|send) (?:\\w+ ){1,3}(?:with|to) \\w+",
    ),
    ActionKind.DELETE: (
        "(?:permanently )?delete",
        "erase",
        "uninstall",
        "discard",
        "wipe",
        "remove(?! from (?:favou?rites|saved|cart|list|queue|playlist)\\b)",
        f"clear (?:and |& )?{THINGS}(?:all|history|data|storage|chat|messages?|conversation|cache|cart|"
        f"add|records?)",
        f"empty {THINGS}(?:trash|bin|cart|folder)",
        "(?:move|send) to (?:the )?(?:trash|bin)",
        "factory reset",
        f"reset {THINGS}(?:phone|device|settings|network|everything|data|app)",
        "format (?:sd|storage|card|phone|disk|drive)",
        f"(?:close|deactivate|terminate) {THINGS}account",
        f"cancel {THINGS}(?:order|booking|ride|trip|tickets?|subscription|reservation|appointment|"
        "membership|plan|flight|event|meeting)",
        "unsubscribe",
        "unfriend",
        f"leave {THINGS}(?:group|channel|team|guild|club|server|community|conversation|chat|family)",
        "unmatch",
        f"(?:deactivate|disband|close) {THINGS}(?:\\w+ )?(?:profile|position|listing|auction|store)",
        "deactivate$",
        f"cancel {THINGS}(?!down|up|search|selection|edit|timer|call\\b|all$)\\w{{4,}}(?: \\w+)?$",
        f"(?:stop|end|finish) {THINGS}(?:recurring|subscription|membership|auto-?renew|cancell?ation|plan)",
        "clean (?:up(?! \\w)|up (?:now|all|\\d)|now|all|\\d)",
        "free up \\d",
        f"(?:reset|revert) {THINGS}(?:to factory|network)",
        "empty (?:\\w+ )?(?:now|folder|spam)",
        "void\\b(?= )",
    ),
    ActionKind.GRANT: (
        "allow(?! (?:cookies|all cookies)\\b)",
        "always allow",
        "grant",
        "authori[sz]e",
        "while using the app",
        "only this time",
        "(?:give|share|grant) (?:access|permission)",
        "anyone with the link",
        "approve (?:access|sign)",
        "add as (?:admin|owner|editor)",
    ),
    ActionKind.SECURITY: (
        "(?:turn off|turn on|disable|enable|remove|change|set|set up|reset|switch off|trust) "
        "(?:\\w+ ){0,3}(?:passwords?|passcode|pin|pattern|lock|screen lock|fingerprint|face id|protection|"
        "two-factor|2fa|verification|debugging|developer options|encryption|antivirus|play protect|"
        "certificate|computer|device admin)",
        "trust this",
        "(?:unlock|open)(?: (?:the |my )?(?:\\w+ )?(?:door|gate|garage|car|lock|trunk|safe))",
        "unlock$",
        "(?:disarm|arm)(?: \\w+)?$",
        "(?:freeze|lock|block|unfreeze) (?:the |my |this )?card",
        "report (?:\\w+ )?(?:lost|stolen)",
        "add (?:a |another |your )?(?:code|fingerprint|face|passkey|access code|trusted \\w+)$",
        "(?:export|back up) (?:all |my |the )?(?:vault|passwords?|keys?|wallet|seed)",
        "(?:deauthori[sz]e|revoke|sign out|log out)(?: of)? (?:all|every)",
        "activate (?:this )?device admin",
    ),
}
"""A label that starts so does it, whatever follows: “Pay ¥32.00”."""

WHOLE: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.INSTALL: ("update",),
    ActionKind.PAY: ("book", "request", "reserve", "rent", "bid", "pre-?order", "get premium", "go premium"),
    ActionKind.SEND: ("post", "broadcast"),
    ActionKind.DELETE: (),
    ActionKind.GRANT: (),
    ActionKind.SECURITY: (),
}
"""Words too common to judge by unless they are the whole label: “Book”, not “Book club”."""

OBJECTS = (
    r"(?:it|now|all|account|data|history|everything|app|apps|order|money|message|messages|chat|chats|"
    r"chat history|"
    r"conversation|contact|file|files|photo|photos|phone|device|settings|cache|storage|ticket|tickets|"
    r"ride|booking)"
)
LEADS = (
    r"(?:(?:tap|click|press|swipe|slide|hold|proceed|continue|go|agree|accept|confirm|yes|ok|okay|please|"
    r"save|"
    r"submit|finish|sign|i want|i agree)\b[\s,.:!-]*(?:here |right |left )?(?:(?:to|and|"
    r"&)\b ?)?){0,2}(?:& )?"
)
