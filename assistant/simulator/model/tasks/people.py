"""Contacts and calls."""

from __future__ import annotations

import re

from assistant.simulator.model.rules import (
    Rule,
    Task,
    agree_to_delete,
    both,
    done,
    either,
    finish,
    give_up,
    holds,
    no,
    page,
    sees,
    tap,
    when,
    write,
)
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.tasks.chat import is_row, nothing_found

CONTACTS = ("Contacts", "通讯录")
CONTACTS_PACKAGE = "com.example.contacts"
DIALER = ("Phone", "电话")
DIALER_PACKAGE = "com.example.dialer"

_NUMBER = re.compile(r"\+?\d[\d -]{4,}\d")

absent = give_up("There is no contact called {who}.", "没有找到联系人“{who}”。")
searching = sees("search button", "Search", "搜索", least=4)
in_list = sees("Search contacts", "搜索联系人", least=4)

find_person: tuple[Rule, ...] = (
    when(
        holds("{who}"),
        tap("{who}", least=3, where=is_row),
        when(either(nothing_found, done("wait")), absent),
    ),
    when(both(searching, no(in_list)), write("{who}")),
    when(lambda view: bool(view.screen.fields) and searching(view), write("{who}")),
    when(in_list, tap("{who}", least=3, where=is_row), tap("Search contacts", "搜索联系人", least=4)),
)
"""In either app, from the list of people to the page of `{who}`."""


def _tell_number(view: View) -> Step | None:
    numbers = [item for item in view.screen.items if _NUMBER.search(item.label)]
    return view.finish(f"{view.slots['who']}: {_NUMBER.findall(numbers[0].label)[0]}") if numbers else None


call = Task(
    name="call somebody",
    app=DIALER,
    package=DIALER_PACKAGE,
    patterns=(
        r"(?:call|phone|ring|dial) (?P<who>(?!.*\b(?:taxi|ride|cab|car)\b).+?)",
        r"(?:给|跟)(?P<who>.+?)(?:打(?:个|一个)?电话|打过去)",
        r"(?:呼叫|拨打|打电话给)(?P<who>.+?)(?:的电话)?",
    ),
    corrections=(r"(?:no, )?call (?P<who>.+?) instead", r"(?:改)?打给(?P<who>.+?)吧?"),
    rules=(
        when(
            sees("Calling…", "正在呼叫…", least=4),
            when(sees("{who}", least=4), finish("Calling {who}.", "正在呼叫{who}。")),
            tap("end call", "End call", "挂断", least=4),
        ),
        when(page("{who}"), tap("phone button", "Call", "呼叫", least=4)),
        *find_person,
        tap("Contacts", "联系人", least=4, where=lambda item: item.tappable and item.point.y > 0.85),
    ),
)

number_of = Task(
    name="tell a phone number",
    app=CONTACTS,
    package=CONTACTS_PACKAGE,
    patterns=(
        r"(?:what is|what's|find|look up|tell me|show me|get) (?P<who>.+?)(?:'s|’s) "
        r"(?:phone |mobile )?number",
        r"(?:what is|what's|find|look up) the (?:phone |mobile )?number of (?P<who>.+?)",
        r"(?:查一下|查|看看|找一下)?(?P<who>.+?)的(?:手机号码?|电话号码|电话|号码)(?:是多少|是什么)?",
    ),
    rules=(when(page("{who}"), _tell_number), *find_person),
)

add_contact = Task(
    name="add a contact",
    app=CONTACTS,
    package=CONTACTS_PACKAGE,
    patterns=(
        r"(?:add|create|save|new) (?:a )?(?:new )?contact:? (?:called |named )?(?P<who>.+?),? (?:with )?"
        r"(?:the )?(?:phone )?(?:number )?(?P<number>\+?\d[\d -]+)",
        r"(?:add|save) (?P<who>.+?) (?:to (?:my |the )?contacts )?with (?:the )?(?:phone )?number "
        r"(?P<number>\+?\d[\d -]+?)(?: to (?:my |the )?contacts)?",
        r"(?:新建|添加|加|存)(?:一个)?联系人[:：,，]?(?P<who>[^\d,，]+?)[,，]?(?:电话|手机号?|号码)?(?:是|为)?[:：]?"
        r"(?P<number>\d[\d -]+)",
    ),
    rules=(
        when(
            page("New contact", "新建联系人", "Edit contact", "编辑联系人"),
            write("{who}", 0),
            write("{number}", 1),
            tap("Save", "保存", least=4),
        ),
        when(
            done("click", "Save"),
            when(
                page("{who}"),
                when(
                    sees("{number}"), finish("{who} is saved with {number}.", "已保存联系人{who}：{number}。")
                ),
            ),
            when(
                in_list,
                when(
                    sees("{who}", least=3),
                    finish("{who} is saved with {number}.", "已保存联系人{who}：{number}。"),
                ),
            ),
            *find_person,
        ),
        tap("add contact", "Add contact", "新建联系人", least=4),
    ),
)

delete_contact = Task(
    name="delete a contact",
    app=CONTACTS,
    package=CONTACTS_PACKAGE,
    patterns=(
        r"(?:delete|remove) (?:the )?contact (?:of |called )?(?P<who>.+?)",
        r"(?:delete|remove) (?P<who>.+?) from (?:my |the )?(?:contacts|address book)",
        r"(?:删除|删掉)(?:联系人)(?P<who>.+?)",
        r"把(?P<who>.+?)从(?:通讯录|联系人)(?:里|中)?(?:删掉|删除)",
    ),
    rules=(
        agree_to_delete("Delete contact?", "删除联系人？"),
        when(
            lambda view: view.did("click", "Delete") >= 2,
            when(
                no(sees("{who}", least=3, where=is_row)),
                finish("{who} is deleted from the contacts.", "已删除联系人{who}。"),
            ),
        ),
        when(page("{who}"), tap("delete button", "Delete", "删除", least=4)),
        *find_person,
    ),
)

TASKS = (add_contact, delete_contact, number_of, call)
