"""Whether a command names a time to come at which it may be meant to begin."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from assistant.proactive.offers import usual_moments, with_clock_time
from assistant.proactive.schedule_events import TimeToCome
from assistant.proactive.schedule_times import (
    begins_then,
    find_time_to_come,
    means_now,
    read_days,
    read_moments,
    read_recurring,
    split_times,
)
from tests.tables import each

NOW = datetime(2026, 11, 24, 15, 20, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Tuesday."""
_TEN_PAST = NOW.replace(hour=10, minute=12)


def come(command: str) -> TimeToCome:
    found = find_time_to_come(command, NOW)
    assert found is not None
    return found


@each(
    ("command", "times", "instruction", "moments"),
    [
        ("order two pizzas tomorrow at 7pm", "tomorrow at 7pm", "order two pizzas", ["25 19:00"]),
        ("tomorrow at noon, get me a salad", "tomorrow at noon", "get me a salad", ["25 12:00"]),
        ("buy tomorrow at noon the lamp", "tomorrow at noon", "buy the lamp", ["25 12:00"]),
        ("could you pay the rent on friday", "on friday", "pay the rent", []),
        ("hail a cab in 40 minutes", "in 40 minutes", "hail a cab", ["24 16:00"]),
        ("play whale songs at 9", "at 9", "play whale songs", ["24 21:00", "25 09:00"]),
        ("ring the dentist later", "later", "ring the dentist", []),
        ("after class drive me to the gym", "after class", "drive me to the gym", []),
        ("after 5:30pm take me home", "after 5:30pm", "take me home", ["24 17:30"]),
        ("turn the heating off tonight", "tonight", "turn the heating off", []),
        ("tomorrow morning text Bo happy birthday", "tomorrow morning", "text Bo happy birthday", []),
        ("明天晚上七点叫个披萨", "明天晚上七点", "叫个披萨", ["25 19:00"]),
        ("帮我后天买一盏灯", "后天", "买一盏灯", []),
        ("给房东转三千块，周五", "周五", "给房东转三千块", []),
        ("放学后导航去健身房", "放学后", "导航去健身房", []),
        ("四十分钟后打车", "四十分钟后", "打车", ["24 16:00"]),
        ("睡前放首歌", "睡前", "放首歌", []),
        ("昨晚没睡好，睡前放首歌", "睡前", "昨晚没睡好,放首歌", []),
        ("帮我打车，晚上八点给小王打电话", "晚上八点", "打车,给小王打电话", ["24 20:00"]),
        ("play last night's songs at 9 pm", "at 9 pm", "play last night's songs", ["24 21:00"]),
        ("tomorrow order tea and text Bo", "tomorrow", "order tea and text Bo", []),
        ("order tea and call Bo tomorrow at 7pm", "tomorrow at 7pm", "order tea and call Bo", ["25 19:00"]),
    ],
)
def test_what_would_be_done_at_once_has_a_time_to_begin(
    command: str, times: str, instruction: str, moments: list[str]
) -> None:
    found = come(command)
    assert (found.times, found.instruction) == (times, instruction)
    assert [f"{moment:%d %H:%M}" for moment in found.moments] == moments


@each(
    ("command", "instruction", "moments"),
    [
        ("on friday at 9 switch off the 14:00 alarm", "switch off the 14:00 alarm", ["27 09:00", "27 21:00"]),
        ("friday 9am turn off the 14:00 alarm", "turn off the 14:00 alarm", ["27 09:00"]),
        ("turn off the 14:00 alarm on friday at 9am", "turn off the 14:00 alarm", ["27 09:00"]),
        ("turn the 14:00 alarm off tomorrow at 9am", "turn the 14:00 alarm off", ["25 09:00"]),
        ("tomorrow at 8 pm cancel the meeting with Bo", "cancel the meeting with Bo", ["25 20:00"]),
        ("delete the 7 am alarm tomorrow at 8 pm", "delete the 7 am alarm", ["25 20:00"]),
        ("stop the timer in 5 minutes", "stop the timer", ["24 15:25"]),
        ("周五晚上九点关掉14:00的闹钟", "关掉14:00的闹钟", ["27 21:00"]),
        ("明天晚上八点把七点的闹钟关掉", "把七点的闹钟关掉", ["25 20:00"]),
    ],
)
def test_a_thing_with_its_own_time_is_ended_at_another_that_is_said(
    command: str, instruction: str, moments: list[str]
) -> None:
    found = come(command)
    assert found.instruction == instruction
    assert [f"{moment:%d %H:%M}" for moment in found.moments] == moments


@each(
    "command",
    [
        "set an alarm for 6:45 tomorrow",
        "wake us at five",
        "remind me on friday to pay the rent",
        "reserve a table for four on friday at 7",
        "get two tickets to the zoo on saturday",
        "order a cake for friday",
        "add dentist tomorrow at 3 to the calendar",
        "text Bo that the party is tomorrow at 8",
        "note: call the bank on friday",
        "what is on tonight",
        "look up trains on sunday",
        "transfer 45.50 to Bo",
        "play track 9",
        "order dumplings 2",
        "order what I had last friday",
        "every friday at 6 order sushi",
        "don't order anything tomorrow",
        "turn the volume to 8",
        "order two pizzas",
        "明天早上六点叫醒我",
        "提醒我周五交房租",
        "订周五晚上的酒店",
        "告诉小王会议改到明天",
        "点一份我周一常吃的套餐",
        "周日有什么电影",
        "走快一点去公司",
        "in two hours pls",
        "tomorrow then, thanks",
        "turn off the friday 9am alarm",
        "turn off the alarm for friday at 9",
        "turn off my 7am alarm tomorrow",
        # A time behind an alarm is its own.
        *("turn off the alarm on friday at 9 pm", "turn on the alarm tomorrow at 8am"),
        *("pause the alarm tomorrow at 7am", "关掉闹钟明天早上七点"),
        "cancel the dentist appointment on friday at 9",
        "cancel my 3pm haircut",
        "tomorrow at 9 remind me to turn off the heating",
        "friday at 9 set an alarm for the dentist",
        "取消明天早上七点的闹钟",
        "明天早上七点的闹钟关掉",
        "周五9点提醒我关掉闹钟",
        "半小时后再说吧",
        # What is said in one clause, or by a deed with a time of its own, puts off no other.
        *("order a pizza and text Bo i'm coming tomorrow", "play jazz and tell Bo i'll be there at 5"),
        *("text Bo i'm coming tomorrow and set an alarm for 7", "提醒我明天带伞，顺便发消息给小王说我晚点到"),
        *("order tea, then email Bo the report is due on friday", "点一份披萨，然后告诉小王我明天到"),
        # What is over, with its time of day.
        *("放一下昨晚睡前听的歌", "昨天晚饭后点的那个再来一份", "昨晚十点听的歌再放一遍"),
        *("play what I had on last night before bed", "order what I had yesterday after work"),
        *("play the song from yesterday at 5", "回放上周五下班后的那首歌"),
        "",
    ],
)
def test_a_time_of_the_thing_itself_is_none_to_begin(command: str) -> None:
    assert find_time_to_come(command, NOW) is None


@each(
    ("command", "times", "days"),
    [
        # The 26th is a Thursday of this week, which “next Thursday” may mean, or the one behind it.
        ("next thursday ring the plumber", "next thursday", [26, 3]),
        ("hire a bike next saturday", "next saturday", [28, 5]),
        ("wednesday or thursday get me a pizza", "wednesday or thursday", [25, 26]),
        ("over the weekend order some tulips", "over the weekend", [28, 29]),
        ("周末给房东打电话", "周末", [28, 29]),
        ("周四或者周五给房东打电话", "周四或者周五", [26, 27]),
    ],
)
def test_a_day_that_can_be_several_is_told_with_all_of_them(
    command: str, times: str, days: list[int]
) -> None:
    found = come(command)
    assert (found.times, [day.day for day in found.days], found.moments) == (times, days, ())
    assert usual_moments(found, NOW) == ()


def test_an_hour_on_a_day_that_can_be_several_is_one_of_each() -> None:
    found = come("ring the plumber next thursday at 6 pm")
    assert [f"{moment:%d %H:%M}" for moment in found.moments] == ["26 18:00", "03 18:00"]
    assert split_times("ring the plumber next thursday at 6 pm", NOW, once=True) is None


@each(
    ("command", "times"),
    [
        ("next week ring the plumber", "next week"),
        ("order tulips in a few days", "in a few days"),
        ("pay the plumber at the end of the month", "at the end of the month"),
        ("a week from thursday get me a pizza", "a week from thursday"),
        ("thursday after next get me a pizza", "thursday after next"),
        ("on halloween text Bo boo", "on halloween"),
        ("on june 31 ring the plumber", "on june 31"),
        ("下个月给房东转三千", "下个月"),
        ("下下周三给房东打电话", "下下周三"),
        ("大后天给房东打电话", "大后天"),
        ("中秋节给奶奶打电话", "中秋节"),
        ("月底给房东转三千", "月底"),
    ],
)
def test_a_time_of_which_no_day_can_be_told_is_one_to_come(command: str, times: str) -> None:
    found = come(command)
    assert (found.times, found.moments, usual_moments(found, NOW)) == (times, (), ())
    # A bare hour would be today's.
    assert read_moments("at 6", found, NOW) == ()
    assert [moment.day for moment in read_moments("friday at 18:00", found, NOW)] == [27]


def test_an_hour_of_today_that_has_been_is_the_one_to_come() -> None:
    assert [moment.hour for moment in come("ring the plumber at 9 today").moments] == [21]
    assert come("ring the plumber at 9 am today").moments == ()


def test_a_day_alone_may_be_an_answer() -> None:
    assert read_days("the day after tomorrow", NOW) == (date(2026, 11, 26),)
    assert read_days("12月3日", NOW) == (date(2026, 12, 3),)
    assert read_days("this friday and saturday", NOW) == (date(2026, 11, 27), date(2026, 11, 28))
    assert read_days("本周五和周六", NOW) == (date(2026, 11, 27), date(2026, 11, 28))
    for words in ("tomorrow at 8", "hm", "fridays", "friday and saturday", "每周五"):
        assert not read_days(words, NOW)


@each(
    "command",
    [
        "order a cake for christmas",
        "play the weekend playlist",
        "text Bo that next week is fine",
        "order a cake for my birthday",
        "play next",
        "skip to the next song",
        "点2号套餐",
        "来一份周末套餐",
        # Nor is a day of which somebody asks why nothing was done.
        "周三那天咋没吃面",
    ],
)
def test_words_of_the_calendar_in_a_name_are_no_time_to_begin(command: str) -> None:
    assert find_time_to_come(command, NOW) is None


@each(
    ("command", "answer", "moments"),
    [
        ("pay the rent on friday", "10 am", ["27 10:00"]),
        ("pay the rent on friday", "at 9", ["27 09:00", "27 21:00"]),
        ("pay the rent on friday", "tomorrow at 6 pm", ["25 18:00"]),
        ("pay the rent on friday", "whenever", []),
        ("ring the dentist later", "in an hour", ["24 16:20"]),
        # After class is never half past five in the morning.
        ("after class drive me to the gym", "5:30", ["24 17:30"]),
        ("放学后导航去健身房", "5点半", ["24 17:30"]),
        ("明天叫个披萨", "晚上七点", ["25 19:00"]),
    ],
)
def test_the_time_of_day_may_be_told_afterwards(command: str, answer: str, moments: list[str]) -> None:
    read = read_moments(answer, come(command), NOW)
    assert [f"{moment:%d %H:%M}" for moment in read] == moments


@each(
    ("command", "moments"),
    [
        ("pay the rent on friday", ["27 09:00", "27 12:00", "27 18:00"]),
        ("on saturday email Bo the list", ["28 09:00", "28 12:00", "28 18:00"]),
        ("下周三给小王转100", ["02 09:00", "02 12:00", "02 18:00"]),
        ("tomorrow morning ring the bank", ["25 08:00"]),
        ("this saturday ring the bank", ["28 09:00", "28 12:00", "28 18:00"]),
        ("ring the dentist later", []),
    ],
)
def test_on_a_day_alone_morning_noon_and_evening_are_usual(command: str, moments: list[str]) -> None:
    assert [f"{moment:%d %H:%M}" for moment in usual_moments(come(command), NOW)] == moments


def test_a_meal_has_its_hour() -> None:
    assert [moment.hour for moment in usual_moments(come("get me dinner tomorrow"), NOW)] == [18]
    assert [moment.hour for moment in usual_moments(come("明天叫份午饭"), NOW)] == [12]


def test_now_is_said_in_few_words() -> None:
    assert means_now("Right now.")
    assert means_now("马上")
    assert not means_now("now and then")


@each(
    ("command", "clock"),
    [
        ("in 2 hours remind me to call mom", "remind me to call mom at 12:12"),
        ("remind me to call mom in 2 hours", "remind me to call mom at 12:12"),
        ("Please remind me in half an hour to stretch.", "Please remind me to stretch at 10:42"),
        ("in 2 hours remind me to text dad", "remind me to text dad at 12:12"),
        ("remind me in 15 hours to sleep", "remind me to sleep at 01:12 tomorrow"),
        ("两小时后提醒我给妈妈打电话", "12:12提醒我给妈妈打电话"),
        ("提醒我给妈妈打电话，两小时后", "12:12提醒我给妈妈打电话"),
        ("过半小时提醒我喝水", "10:42提醒我喝水"),
        ("15小时后提醒我吃药", "明天01:12提醒我吃药"),
    ],
)
def test_a_reminder_after_a_while_is_one_at_a_time_of_day(command: str, clock: str) -> None:
    assert with_clock_time(command, _TEN_PAST) == clock


@each(
    "command",
    [
        # What dad is told has the time; days; what comes again; no reminder; and nothing to be reminded of.
        "remind me to tell dad that I land in 2 hours",
        "in 3 days remind me to pay",
        "every 2 hours remind me to drink",
        "remind me at 5 to leave",
        "提醒我明天两小时后吃药",
        "in 20 minutes play some jazz",
        "set a timer for 20 minutes",
        "remind me in two hours",
    ],
)
def test_any_other_time_is_left_to_the_command(command: str) -> None:
    assert with_clock_time(command, _TEN_PAST) == command


@each(
    "command",
    [
        "今天晚餐吃什么好呢",
        "should we eat out tonight?",
        "what is planned for tomorrow?",
        "drive me to the shop at 17 Harbour Road",
        "我明天要不要去爬山呢",
    ],
)
def test_a_musing_and_the_number_of_a_house_are_no_time_to_begin(command: str) -> None:
    assert find_time_to_come(command, NOW) is None


@each(
    ("command", "times", "instruction", "moments"),
    [
        (
            "text Dave happy birthday mate!! but dont send it before tomorrow morning",
            "tomorrow morning",
            "text Dave happy birthday mate!!",
            [],
        ),
        (
            "text Dave happy birthday, but do not send that until 7pm",
            "7pm",
            "text Dave happy birthday",
            ["24 19:00"],
        ),
        ("email Bo the plan, but wait until friday", "friday", "email Bo the plan", []),
        (
            "message Bo well done, send it at 8:30 tomorrow",
            "at 8:30 tomorrow",
            "message Bo well done",
            ["25 08:30", "25 20:30"],
        ),
        ("text Bo tomorrow at 9am: see you there", "tomorrow at 9am", "text Bo: see you there", ["25 09:00"]),
        ("tell Bo tonight: dinner is on me", "tonight", "tell Bo: dinner is on me", []),
        (
            "message Bo at 6pm saying dinner is ready",
            "at 6pm",
            "message Bo saying dinner is ready",
            ["24 18:00"],
        ),
        ("ring the garage but not before 4pm", "4pm", "ring the garage", ["24 16:00"]),
        ("transfer 20 to Bo but don't do it until friday", "friday", "transfer 20 to Bo", []),
        ("text Bo well done. wait until she lands", "she lands", "text Bo well done.", []),
        ("给小李发生日快乐，但明天早上再发", "明天早上", "给小李发生日快乐", []),
        ("给小李发生日快乐，别在晚上8点之前发", "晚上8点", "给小李发生日快乐", ["24 20:00"]),
        ("给小李明天早上9点发消息：生日快乐", "明天早上9点", "给小李发消息:生日快乐", ["25 09:00"]),
        ("给房东转三千块，不过周五再转", "周五", "给房东转三千块", []),
    ],
)
def test_what_holds_a_deed_back_is_no_part_of_what_is_said(
    command: str, times: str, instruction: str, moments: list[str]
) -> None:
    found = come(command)
    assert (found.times, found.instruction) == (times, instruction)
    assert [f"{moment:%d %H:%M}" for moment in found.moments] == moments


@each(
    "command",
    [
        "tell Bo I'll be late tonight",
        "and tell Bo ill be late tonight",
        "oh and text Bo that I land tomorrow at 9",
        "send a message to Bo: home late tonight",
        "text Bo: don't send it before monday",
        "tell Bo not to send it before monday",
        "tell the landlord I won't pay before friday",
        "text Bo I'm out but I will call before 6",
        "remind me to call Bo but not before 6",
        "跟小李说我今晚晚点回来",
        "告诉房东房租明天再付",
        "跟小李说我先睡了，明天再打给她",
        "whats the weather in Oslo tomorrow",
    ],
)
def test_a_time_in_what_is_told_or_asked_begins_nothing_later(command: str) -> None:
    assert find_time_to_come(command, NOW) is None


@each(
    "answer",
    ["no, text her right now", "no now", "just send it now please", "right away", "不，现在就发", "马上发吧"],
)
def test_a_no_to_waiting_means_now(answer: str) -> None:
    assert means_now(answer)


@each("answer", ["not now", "no, now is bad", "text her at 9", "不要现在"])
def test_another_answer_does_not_mean_now(answer: str) -> None:
    assert not means_now(answer)


@each(
    ("line", "answer", "moments", "again"),
    [
        ("at 7 tell me the weather", "every morning from tomorrow", [], "every morning at 07:00"),
        ("at 7 tell me the weather", "every day at 7am", [], "every day at 7am"),
        ("at 7 tell me the weather", "evening obviously", ["24 19:00"], ""),
        ("at 7 tell me the weather", "this evening please", ["24 19:00"], ""),
        ("明天放歌", "每天晚上十点", [], "每天晚上十点"),
        ("明天放歌", "晚上十点左右吧", ["25 22:00"], ""),
        ("明天给高医生打电话", "明早九点再打吧", ["25 09:00"], ""),
        ("明天放歌", "早上八点就行", ["25 08:00"], ""),
        ("later text dad happy birthday", "wednesday 9am, text dad happy birthday", ["25 09:00"], ""),
        # Another deed, and no hour.
        ("later text dad happy birthday", "wednesday 9am, text mom happy birthday", [], ""),
        ("明天给高医生打电话", "明早九点发给他", [], ""),
        ("later call mom", "every day", [], ""),
    ],
)
def test_an_answer_may_say_times_that_come_again_a_half_of_the_day_or_the_deed_with_its_time(
    line: str, answer: str, moments: list[str], again: str
) -> None:
    asked = come(line)
    assert [f"{at:%d %H:%M}" for at in read_moments(answer, asked, NOW)] == moments
    assert read_recurring(answer, asked, NOW) == again


def test_what_comes_again_from_tomorrow_does_not_come_today() -> None:
    asked = come("at 7 pm tell me the weather")
    assert read_recurring("every evening from tomorrow", asked, NOW) == ""
    assert read_recurring("every evening", asked, NOW) == "every evening at 19:00"


@each(
    ("line", "is_sure"),
    [
        ("明天22:00打开6:45的闹钟", True),
        ("明天早上9:00给高医生打电话，问问周四下午四点以后能不能给妮妮约牙医", True),
        ("wednesday 9am, text dad happy birthday", True),
        # An hour of two, the time of what is bought or paid, and one that stands behind the deed.
        ("tomorrow at 8 turn on the heating", False),
        ("明天中午12点点午饭", False),
        ("tomorrow 8pm pay the rent", False),
        ("order lunch tomorrow at 12", False),
    ],
)
def test_what_is_done_at_once_surely_begins_at_the_time_that_stands_first(line: str, is_sure: bool) -> None:
    assert begins_then(line, come(line)) is is_sure


@each(
    "line",
    [
        "给妮妮约牙医 还是上次那个高医生 周四下午四点以后 先打电话问问",
        "给妮妮约牙医 周四下午四点以后",
        "明天下午三点约老王吃饭",
        "打电话问问周四下午四点能不能看牙",
    ],
)
def test_the_time_of_an_appointment_is_none_to_begin(line: str) -> None:
    assert find_time_to_come(line, NOW) is None


@each(
    "command",
    [
        "order the same lunch as on Friday, but two of them",
        "order lunch like we had on monday",
        "get me the same coffee as tuesday",
        "order the lunch i had friday",
        "点和周五一样的午饭",
        "像周一那样点杯咖啡",
        "点周五吃的那个面",
    ],
)
def test_a_day_with_which_something_is_compared_is_past(command: str) -> None:
    assert find_time_to_come(command, NOW) is None


def test_a_time_behind_such_a_day_is_still_to_come() -> None:
    come = find_time_to_come("order the same as friday at 6pm tomorrow", NOW)
    assert come is not None
    assert come.times == "at 6pm tomorrow"
