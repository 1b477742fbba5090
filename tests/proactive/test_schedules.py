from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from assistant.memory.forgetting import forget
from assistant.memory.store import Store
from assistant.phone.monitor import PostedNotification
from assistant.proactive.schedule_events import (
    BatteryEvents,
    MissReason,
    NotificationEvents,
    PlaceEvents,
    UnreadableTime,
    names_sender,
    parse_rule,
)
from assistant.proactive.schedule_times import parse_times, split_times
from assistant.proactive.schedules import (
    PATIENCE,
    NoSuchSchedule,
    RunState,
    ScheduleRun,
    Schedules,
    format_run,
    format_schedule,
)
from assistant.records import Outcome, Record
from tests.tables import each

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 23, 14, tzinfo=BERLIN)
"""A Monday."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path)
    yield opened
    opened.close()


@each(
    ("texts", "first"),
    [
        (("every weekday at 8", "at 8 every weekday", "weekdays 8:00 am"), "11-24 08:00"),
        (("monday to friday at eight", "mon-fri 8:00"), "11-24 08:00"),
        (("每个工作日早上8点", "工作日8:00", "每周一到周五上午八点", "0 8 * * 1-5"), "11-24 08:00"),
        (("every day at 7:30 pm", "daily at 19:30", "every evening at half past 7"), "11-23 19:30"),
        (("every day at seven thirty pm", "daily at seven thirty in the evening"), "11-23 19:30"),
        (("每天晚上七点半", "每晚7点30分", "30 19 * * *"), "11-23 19:30"),
        (("saturdays at 9", "every saturday morning at 9", "每周六上午9点", "0 9 * * 6"), "11-28 09:00"),
        (("sundays at 10", "每个星期天10点", "0 10 * * 0", "0 10 * * 7"), "11-29 10:00"),
        (("on mondays and thursdays at 6 pm", "每周一、周四下午六点"), "11-23 18:00"),
        (("on the 1st and 15th of every month at 9", "每月1号和15号上午9点", "0 9 1,15 * *"), "12-01 09:00"),
        (("on the last day of the month at noon", "每月最后一天中午12点"), "11-30 12:00"),
        (
            (
                "the first monday of every month at 10", "每个月第一个周一上午10点",
                "every first monday at 10", "first Monday of the month at 10am",
                "每月的第1个星期一10点", "monthly on the first monday at 10",
            ),
            "12-07 10:00",
        ),
        (("last friday of the month at 5 pm", "every last friday at 17:00",
          "每月最后一个周五下午5点"), "11-27 17:00"),
        (("the 2nd and 4th tuesday of every month at 9", "每月第二个和第四个周二9点"), "11-24 09:00"),
        (("every other friday at 18:00", "every two weeks on friday at 6 pm", "隔周周五晚上6点",
          "每两周的周五18点"), "11-27 18:00"),
        (("weekdays except friday at 8", "every weekday but friday at 8",
          "除了周五每个工作日早上8点", "工作日(周五除外)8点"), "11-24 08:00"),
        (("every day at 8 except mon and tue", "每天早上8点除周一周二外"), "11-25 08:00"),
        (("every three days at 9", "every third day at 9", "每三天早上9点"), "11-24 09:00"),
        (("every 3 months on the 1st at 9", "每三个月的1号早上9点"), "12-01 09:00"),
        (("every year on 24 December at 18:00", "every dec 24 at 6 pm",
          "每年12月24日下午6点"), "12-24 18:00"),
        (("next monday at 8", "下周一8点"), "11-30 08:00"),
        (("every 2 hours", "每隔两个小时", "0 */2 * * *"), "11-23 16:00"),
        (("tomorrow at 7 pm", "明晚7点"), "11-24 19:00"),
        (("in 20 minutes", "20分钟后"), "11-23 14:20"),
        (("on friday at 15:00", "周五下午三点"), "11-27 15:00"),
        (("5 December at 10", "december 5th at 10 am", "12月5日上午10点", "2026-12-05 10:00"), "12-05 10:00"),
    ],
)  # fmt: skip
def test_times_in_english_chinese_and_cron_name_the_same_moment(texts: tuple[str, ...], first: str) -> None:
    named = {text: parse_times(text, NOW).next_moment(BERLIN, NOW) for text in texts}
    assert {text: f"{moment:%m-%d %H:%M}" for text, moment in named.items() if moment} == dict.fromkeys(
        texts, first
    )


def test_a_day_that_a_month_does_not_have_is_one_of_the_next_that_has_it() -> None:
    end_of_january, end_of_december = (
        datetime(2027, 1, 31, 12, tzinfo=BERLIN),
        datetime(2026, 12, 31, 12, tzinfo=BERLIN),
    )
    for text in ("on the 30th at 9", "30号早上9点"):
        assert parse_times(text, end_of_january).at == datetime(2027, 3, 30, 9)
        assert parse_times(text, end_of_december).at == datetime(2027, 1, 30, 9)
    for text in ("on the 32nd at 9", "32号早上9点"):
        with pytest.raises(UnreadableTime):
            parse_times(text, end_of_january)


@each(
    "text",
    [
        "", "sometimes at 8", "every day", "tomorrow", "every second tuesday at 8", "every two weeks at 8",
        "每隔两天早上8点", "weekdays except sunday at 8", "every friday and on the 1st of every month at 9",
        "next friday at 9", "tomorrow at 9 except monday", "at 25:00 every day", "every 7 hours",
        "yesterday at 8", "30 2 30 2 *", "61 * * * *", "有时候8点",
        "the 32nd of every month at 8", "every day at 8 in 5 minutes", "2026-11-22 09:00",
        "on 9999-12-31 at 23:59",
    ],
)  # fmt: skip
def test_what_is_not_certain_or_over_is_refused(text: str) -> None:
    with pytest.raises(UnreadableTime):
        parse_times(text, NOW)


@each(
    ("line", "instruction"),
    [
        ("every weekday at 8 order my usual coffee", "order my usual coffee"),
        ("Every day at 22:30, turn on do not disturb", "turn on do not disturb"),
        ("每天早上8点点我常喝的咖啡", "点我常喝的咖啡"),
        ("order my usual coffee every weekday at 8 except friday", "order my usual coffee"),
        ("播放新闻每天早上8点", "播放新闻"),
        ("turn on wifi when I get home", "turn on wifi"),
        ("from now on every day at 8 order my usual coffee", "order my usual coffee"),
        ("order the cake for saturday every friday at 18:00", "order the cake for saturday"),
        ("从现在起每天早上8点点我常喝的咖啡", "点我常喝的咖啡"),
        ("from now on order my usual coffee", None),
        ("order my usual coffee", None),
        ("tomorrow at 8 book a table", None),
        ("at 8 order a taxi", None),
        ("every song of this album", None),
        ("every day at 8 except", None),
    ],
)
def test_only_a_line_with_recurring_times_or_an_event_at_an_end_is_a_schedule(
    line: str, instruction: str | None
) -> None:
    read = split_times(line, NOW)
    assert (read.instruction if read else None) == instruction


@each(
    ("text", "expected"),
    [
        ("every other friday at 18:00", ["11-27", "12-11", "12-25", "01-08"]),
        ("every 2 weeks on mon and wed at 8", ["11-25", "12-07", "12-09", "12-21"]),
        ("每隔一天早上7点", ["11-24", "11-26", "11-28", "11-30"]),
        ("every 3 months on the 1st at 9", ["12-01", "03-01", "06-01", "09-01"]),
        ("every day at 8 except weekends", ["11-24", "11-25", "11-26", "11-27", "11-30"]),
        ("the last friday of the month at 9", ["11-27", "12-25", "01-29", "02-26"]),
    ],
)
def test_what_comes_at_intervals_is_counted_from_its_first_time_and_stored_so(
    text: str, expected: list[str]
) -> None:
    rule = parse_rule(parse_times(text, NOW).as_json())
    assert rule == parse_times(text, NOW)
    moments = rule.moments(BERLIN, NOW, NOW + timedelta(days=300))
    assert [f"{moment:%m-%d}" for moment in moments[: len(expected)]] == expected
    looked_at_later = rule.moments(BERLIN, moments[1], NOW + timedelta(days=300))
    assert looked_at_later == moments[2:]


def test_a_time_that_is_skipped_comes_later_and_one_that_comes_twice_comes_once() -> None:
    rule = parse_times("every day at 2:30", NOW)
    spring = rule.moments(
        BERLIN, datetime(2027, 3, 27, 12, tzinfo=BERLIN), datetime(2027, 3, 28, 12, tzinfo=BERLIN)
    )
    autumn = rule.moments(
        BERLIN, datetime(2027, 10, 30, 12, tzinfo=BERLIN), datetime(2027, 10, 31, 12, tzinfo=BERLIN)
    )
    assert [moment.isoformat() for moment in spring] == ["2027-03-28T03:30:00+02:00"]
    assert [moment.isoformat() for moment in autumn] == ["2027-10-31T02:30:00+02:00"]


def _key(run: ScheduleRun) -> tuple[str, float]:
    return run.schedule_id, run.due.timestamp()


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("begin", "days"), [((2027, 3, 26), 21), ((2027, 10, 22), 20), ((2027, 12, 24), 20)])
def test_months_with_restarts_sleep_and_set_clocks_lose_and_double_nothing(
    store: Store, begin: tuple[int, int, int], days: int
) -> None:
    """Looks come while the program runs; the rest is missed and told.

    Around both changes of the clock, from one month to the next, and over the end of the year.
    """
    random = Random(20)
    start = datetime(*begin, tzinfo=BERLIN)
    schedules = Schedules(store, "me")
    texts = ("every weekday at 8", "every day at 2:30", "每月1号和15号上午9点", "every other friday at 18:00")
    ids = [schedules.add(text, f"do {text}", start, "Europe/Berlin").id for text in texts]
    end, now = start + timedelta(days=days), start
    started: Counter[tuple[str, float]] = Counter()
    missed_runs: Counter[tuple[str, float]] = Counter()
    latest: list[timedelta] = []
    awake: list[timedelta] = []
    restarts, woken = 0, False

    def look() -> None:
        for run in (due_now := schedules.collect(now)).due:
            assert schedules.begin(run, "turn")
            started[_key(run)] += 1
            latest.append(now - run.due)
            if woken:
                awake.append(now - run.due)
        missed_runs.update(map(_key, due_now.missed))

    while now < end:
        look()
        following = min(schedules.next_wake(now), default=end)
        drawn, woken = random.random(), False
        if drawn < 0.45:
            # The program ends or the machine sleeps; another process begins, with the same memory.
            schedules, restarts = Schedules(store, "me"), restarts + 1
            now = now + timedelta(minutes=random.choice((1, 15, 90, 900, 2000)))
        elif drawn < 0.55:
            # The clock was set ahead by mistake, and back; looks come in between.
            ahead = schedules.collect(now + timedelta(days=3))
            missed_runs.update(map(_key, ahead.missed))
            missed_runs.subtract(map(_key, ahead.missed))
            assert not ahead.due or all(run.due <= now + timedelta(days=3) for run in ahead.due)
            schedules.collect(now)
        elif drawn < 0.65:
            # A minute is lived twice.
            schedules.collect(now - timedelta(minutes=1))
        else:
            now, woken = following, True
    look()
    expected = {
        (name, moment.timestamp())
        for name, text in zip(ids, texts, strict=True)
        for moment in parse_times(text, start).moments(BERLIN, start, now)
    }
    assert restarts >= days
    assert len(awake) > days // 4
    assert max(awake) <= timedelta(minutes=1)
    assert set(started) | {key for key, count in missed_runs.items() if count} == expected
    assert not set(started) & {key for key, count in missed_runs.items() if count}
    assert set(started.values()) == {1}
    assert set((+missed_runs).values()) == {1}
    assert max(latest) <= timedelta(minutes=2)
    states = Counter(run.state for run in schedules.history(count=10_000))
    assert states == {RunState.STARTED: len(started), RunState.MISSED: len(+missed_runs)}


def test_what_is_due_waits_a_while_and_is_missed_then(store: Store) -> None:
    schedules = Schedules(store, "me")
    schedules.add("every day at 15:00", "order tea", NOW, "Europe/Berlin")
    due = NOW + timedelta(hours=1)
    (run,) = schedules.collect(due).due
    assert schedules.collect(due + timedelta(minutes=10)).due == (run,)
    due_now = schedules.collect(due + PATIENCE + timedelta(minutes=1))
    assert (due_now.due, [missed.id for missed in due_now.missed]) == ((), [run.id])
    assert not schedules.begin(run, "late")
    assert schedules.history()[0].reason == MissReason.NOT_STARTED


def test_a_begun_occasion_has_its_turns_outcome_until_that_is_forgotten(store: Store) -> None:
    schedules = Schedules(store, "me")
    schedules.add("every day at 15:00", "order tea", NOW, "Europe/Berlin")
    (run,) = schedules.collect(NOW + timedelta(hours=1)).due
    assert schedules.begin(run, "t1")
    assert not schedules.begin(run, "t2")
    record = Record(id="t1", user_id="me", time=NOW, instruction="order tea", outcome=Outcome.SUCCESS)
    store.records.add([record])
    assert schedules.history()[0].outcome == "success"
    forget(store, ["t1"])
    assert (schedules.history()[0].turn_id, schedules.history()[0].outcome) == ("", "")


def test_a_turn_that_a_kill_kept_from_beginning_is_told_as_missed_and_not_begun_again(store: Store) -> None:
    schedules = Schedules(store, "me")
    schedules.add("every day at 15:00", "order tea", NOW, "Europe/Berlin")
    due = NOW + timedelta(hours=1)
    (run,) = schedules.collect(due).due
    assert schedules.begin(run, "killed")
    due_now = schedules.collect(due + timedelta(minutes=1), starting=True)
    assert (due_now.due, [missed.id for missed in due_now.missed]) == ((), [run.id])


def test_pause_resume_and_remove_can_be_undone_and_make_nothing_up(store: Store) -> None:
    schedules = Schedules(store, "me")
    added = schedules.add("every day at 15:00", "order tea", NOW, "Europe/Berlin")
    assert schedules.find(added.id[:4]) == schedules.find("tea") == added
    schedules.pause(added, paused=True, now=NOW)
    assert schedules.all()[0].upcoming(NOW) == []
    assert schedules.collect(NOW + timedelta(days=3)).missed == ()
    schedules.pause(added, paused=False, now=NOW + timedelta(days=5))
    assert schedules.collect(NOW + timedelta(days=5)).missed == ()
    schedules.remove(added)
    with pytest.raises(NoSuchSchedule):
        schedules.find("tea")
    store.undo()
    assert schedules.find("tea").times == "every day at 15:00"


def test_what_waits_of_a_removed_schedule_does_not_begin(store: Store) -> None:
    schedules = Schedules(store, "me")
    added = schedules.add("every day at 15:00", "order tea", NOW, "Europe/Berlin")
    due = NOW + timedelta(hours=1)
    (run,) = schedules.collect(due).due
    schedules.remove(added)
    assert schedules.collect(due + timedelta(minutes=1)).due == ()
    assert not schedules.begin(run, "turn")
    assert [past.state for past in schedules.history()] == [RunState.SKIPPED]


def test_an_arrival_makes_its_schedule_due_once(store: Store) -> None:
    schedules = Schedules(store, "me")
    schedules.add("when I get home", "turn on the wifi", NOW, "Europe/Berlin")
    schedules.add("离开公司时", "导航回家", NOW, "Europe/Berlin")
    events = PlaceEvents()
    happened = [
        (minute, event)
        for minute, scenario in enumerate(
            ["unknown", "office", "office", "unknown", "office", *["unknown"] * 8, "residence", "residence"]
        )
        for event in events.update(scenario, NOW + timedelta(minutes=minute))
    ]
    assert happened == [(10, ("leave", "office")), (14, ("arrive", "residence"))]
    assert schedules.note_event("arrive", "residence", NOW)
    assert not schedules.note_event("arrive", "residence", NOW + timedelta(minutes=3))
    assert [run.instruction for run in schedules.collect(NOW + timedelta(minutes=3)).due] == [
        "turn on the wifi"
    ]


def test_a_battery_that_falls_makes_its_schedule_due_and_a_charged_one_does_not(store: Store) -> None:
    schedules, events = Schedules(store, "me"), BatteryEvents()
    schedules.add("when the battery is low", "turn on battery saver", NOW, "Europe/Berlin")
    schedules.add("电量低于30%时", "关掉蓝牙", NOW, "Europe/Berlin")
    begun = []
    for minute, level in enumerate([40, None, 31, 30, 30, 16, 55, 16]):
        for event, percent in events.update(level):
            schedules.note_event(event, percent, NOW + timedelta(minutes=minute))
        begun.append(len(schedules.collect(NOW + timedelta(minutes=minute)).due))
    assert begun == [0, 0, 0, 1, 1, 1, 1, 1]
    for event, percent in events.update(9):
        schedules.note_event(event, percent, NOW + timedelta(minutes=9))
    due = schedules.collect(NOW + timedelta(minutes=9)).due
    assert {run.instruction for run in due} == {"turn on battery saver", "关掉蓝牙"}


def test_the_level_at_the_start_is_no_event() -> None:
    assert BatteryEvents().update(5) == []


@each(
    ("times", "event"),
    [
        ("when I get in the car", ("arrive", "transportation")),
        ("when I get out of my car", ("leave", "transportation")),
        ("一上车就", ("arrive", "transportation")),
        ("whenever my battery drops below 20 percent", ("battery", "20")),
        ("手机快没电的时候", ("battery", "15")),
    ],
)
def test_events_of_the_car_and_the_battery_are_read(times: str, event: tuple[str, str]) -> None:
    rule = parse_times(times, NOW)
    assert (rule.event, rule.place) == event


@pytest.mark.parametrize("times", [f"when the {'b' * 100_000} texts", "7" * 5_000])
def test_very_long_times_are_refused_without_an_echo(times: str) -> None:
    with pytest.raises(UnreadableTime, match="at most 200 characters") as problem:
        parse_times(times, NOW)
    assert len(str(problem.value)) < 100


def test_the_next_time_has_its_year_where_that_is_another_one(store: Store) -> None:
    schedules = Schedules(store, "1")
    year = NOW.year
    for times, words in (
        ("on 9998-12-31 at 23:59", "Dec 9998 23:59"),
        (f"on {year}-12-31 at 23:59", "Dec 23:59"),
    ):
        assert words in format_schedule(schedules.add(times, "call mom", NOW, "UTC"), NOW)


def test_an_event_that_is_not_watched_is_refused() -> None:
    with pytest.raises(UnreadableTime):
        parse_times("when the battery is full", NOW)


def posted(
    title: str, *, message: bool = True, package: str = "com.example.sms", key: str = ""
) -> PostedNotification:
    return PostedNotification(key or f"0|{package}|{title}", package, title, message)


@each(
    ("times", "event"),
    [
        ("when the bank texts", ("message", "the bank")),
        ("whenever Dr. Lee sends me a message", ("message", "dr. lee")),
        ("when I get a text from the school", ("message", "the school")),
        ("when Ring notifies me", ("notification", "ring")),
        ("收到妈妈的消息后", ("message", "妈妈")),
        ("当招商银行给我发短信的时候", ("message", "招商银行")),
        ("每次收到学校的通知就", ("notification", "学校")),
    ],
)
def test_events_of_who_writes_are_read(times: str, event: tuple[str, str]) -> None:
    rule = parse_times(times, NOW)
    assert (rule.event, rule.place) == event
    assert parse_rule(rule.as_json()) == rule


@each(
    ("text", "past"),
    [
        ("yesterday at 8", "yesterday"), ("last monday at 9", "last monday"),
        ("two days ago", "two days ago"),
        ("昨天早上8点", "昨天"), ("上周一9点", "上周一"), ("三天前", "三天前"),
    ],
)  # fmt: skip
def test_a_time_in_the_past_is_told_to_be_over(text: str, past: str) -> None:
    with pytest.raises(UnreadableTime, match=f"^“{past}” is over already"):
        parse_times(text, NOW)


def test_minutes_may_stand_behind_a_blank() -> None:
    assert parse_times("every weekday at 7 45", NOW) == parse_times("every weekday at 7:45", NOW)


@each("times", ["when someone texts", "when she texts", "when I text mom", "收到短信时", "有人发消息的时候"])
def test_who_names_no_sender_is_refused(times: str) -> None:
    with pytest.raises(UnreadableTime):
        parse_times(times, NOW)


@each(
    ("who", "sender", "is_meant"),
    [
        ("the bank", "First City Bank", True),
        ("the bank", "Bankside Cafe", False),
        ("mom", "Mom", True),
        ("mom", "Tom's Mom", False),
        ("mom", "Mom's Salon", False),
        ("my mom", "Mom", True),
        ("anna", "Anna Lin", True),
        ("anna lin", "Anna", False),
        ("银行", "招商银行", True),
        ("银行", "银行家酒店", False),
        ("我妈妈", "妈妈", True),
        ("the bank", "🏦", False),
    ],
)
def test_whom_a_name_on_the_phone_means(who: str, sender: str, *, is_meant: bool) -> None:
    assert names_sender(who, sender) is is_meant


def test_a_new_message_makes_its_schedule_due_and_others_do_not(store: Store) -> None:
    schedules, events = Schedules(store, "me"), NotificationEvents()
    schedules.add("when the bank texts", "read me the balance", NOW, "Europe/Berlin")
    old, ad = posted("First Bank", key="old"), posted("Bank holiday sale", message=False)
    shown = [[old], [old], [old, ad], [old, posted("Anna")], [old, posted("First Bank", key="new")]]
    begun = []
    for minute, titles in enumerate(shown):
        now = NOW + timedelta(minutes=minute)
        for event, who in events.update(titles, schedules.senders(), now):
            schedules.note_event(event, who, now)
        begun.append(len(schedules.collect(now).due))
    assert begun == [0, 0, 0, 0, 1]


def test_what_came_while_nobody_looked_is_no_event(store: Store) -> None:
    events, bank = NotificationEvents(), [("message", "the bank")]
    assert events.update([], bank, NOW) == []
    assert events.update([posted("First Bank")], bank, NOW + timedelta(hours=2)) == []
    assert events.update([posted("First Bank", key="2")], bank, NOW + timedelta(hours=2, minutes=1)) == bank


def test_a_notification_may_be_of_an_app_and_a_message_may_not() -> None:
    events, senders = NotificationEvents(), [("notification", "ring"), ("message", "ring")]
    events.update([], senders, NOW)
    shown = [posted("Motion at the door", package="com.ringapp.ring", message=False)]
    assert events.update(shown, senders, NOW) == [("notification", "ring")]


def test_a_phone_that_keeps_names_to_itself_is_told_once_a_day(store: Store) -> None:
    schedules = Schedules(store, "me")
    schedules.add("when the bank texts", "read me the balance", NOW, "Europe/Berlin")
    schedules.add("every day at 8", "order coffee", NOW, "Europe/Berlin")
    missed = [schedules.note_unreadable(NOW + timedelta(hours=hours)) for hours in (0, 1, 25)]
    assert [[run.instruction for run in runs] for runs in missed] == [
        ["read me the balance"],
        [],
        ["read me the balance"],
    ]
    assert "who its notifications are from" in format_run(schedules.history(count=1)[0])
