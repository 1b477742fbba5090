"""What a typed line is for. The words of the large test below are other people's: MASSIVE and CLINC150.

All of MASSIVE's with `--hypothesis-profile thorough`, else a quarter.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter

import pytest
from hypothesis import settings

from assistant.bench.corpora import data_folder
from assistant.conversation.routing import RouteKind, route
from tests.tables import each

SHARED = data_folder()

_EVERY = 1 if settings.get_current_profile_name() == "thorough" else 4
"""Of so many lines of MASSIVE one is read."""


@each(
    ("line", "kind"),
    [
        ("order my usual lunch", RouteKind.COMMAND),
        ("remind me to buy milk at six", RouteKind.COMMAND),
        ("text mom thank you for the soup", RouteKind.COMMAND),
        ("remember to call mom at 5", RouteKind.COMMAND),
        ("do I have any new email?", RouteKind.COMMAND),
        ("keep this as a skill", RouteKind.KEEP_SKILL),
        ("Save the last turn as a skill called Lunch", RouteKind.KEEP_SKILL),
        ("把刚才的存为技能，叫早餐", RouteKind.KEEP_SKILL),
        ("keep this as a note", RouteKind.COMMAND),
        ("keep this as a skill and order tea", RouteKind.COMMAND),
        ("every weekday at 8 order my usual coffee", RouteKind.SCHEDULE),
        ("call mom tomorrow at 9", RouteKind.SCHEDULE),
        ("call tom and jerry at 5", RouteKind.SCHEDULE),
        ("call mom and play jazz at 5", RouteKind.COMMAND),
        ("order a coffee and text mom that I take my pills every day at 9", RouteKind.COMMAND),
        ("every day at 9 order a coffee and text mom good morning", RouteKind.SCHEDULE),
        ("call dad in 10 minutes", RouteKind.SCHEDULE),
        ("明天九点给妈妈打电话", RouteKind.SCHEDULE),
        ("call mom today at 25:99", RouteKind.COMMAND),
        ("call me a taxi tomorrow at 9", RouteKind.COMMAND),
        ("call Bob about the party tomorrow at 9", RouteKind.COMMAND),
        ("call off the meeting at 9", RouteKind.COMMAND),
        ("call me at six am", RouteKind.COMMAND),
        ('Edit a message to ABC, whose content is "Nice to meet you", but do not send it', RouteKind.COMMAND),
        ("给妈妈打电话说我明天九点到", RouteKind.COMMAND),
        ("order my usual coffee every weekday at 8", RouteKind.SCHEDULE),
        ("every day except sunday at 8 order my usual coffee", RouteKind.SCHEDULE),
        ("when the bank texts, open the bank app", RouteKind.SCHEDULE),
        ("text Anna that I run every day at 8", RouteKind.COMMAND),
        ("set an alarm every weekday at 7", RouteKind.COMMAND),
        ("every weekday at 7 set an alarm", RouteKind.COMMAND),
        (
            "my neighbour wrote that the parcel came to her door, so let her know with a heart that I "
            "appreciate it all",
            RouteKind.COMMAND,
        ),
        ("点上次那家的面", RouteKind.COMMAND),
        ("今天吃什么", RouteKind.COMMAND),
        ("what did I eat last week?", RouteKind.QUESTION),
        ("我上次打车去哪", RouteKind.QUESTION),
        ("Hey there!", RouteKind.GREETING),
        ("你好！", RouteKind.GREETING),
        ("thank you so much", RouteKind.THANKS),
        ("多谢", RouteKind.THANKS),
        ("thx that was great", RouteKind.THANKS),
        ("thank god that worked", RouteKind.THANKS),
        ("谢谢 你真好", RouteKind.THANKS),
        ("thanks but order another one", RouteKind.COMMAND),
        ("thx now call mom", RouteKind.COMMAND),
        ("thanks can you also text dad", RouteKind.COMMAND),
        ("谢谢 再点一份", RouteKind.COMMAND),
        ("thank dad for the gift", RouteKind.COMMAND),
        ("how do i change the language", RouteKind.LANGUAGE),
        ("怎么换语言", RouteKind.LANGUAGE),
        ("goodbye", RouteKind.FAREWELL),
        ("good night", RouteKind.PARTING),
        ("what can you do?", RouteKind.HELP),
        ("你都会做什么？", RouteKind.HELP),
        ("how do I stop you?", RouteKind.HELP),
        ("stop suggesting lunch", RouteKind.STOP_SUGGESTING),
        ("以后别再推荐午饭了", RouteKind.STOP_SUGGESTING),
        ("remember that I am allergic to peanuts", RouteKind.REMEMBER),
        ("记住，我对花生过敏", RouteKind.REMEMBER),
        ("undo that", RouteKind.UNDO),
        ("redo", RouteKind.REDO),
        ("重做", RouteKind.REDO),
        ("forget the peanut thing", RouteKind.FORGET),
        ("forget everything about mom", RouteKind.FORGET),
        ("忘掉花生的事", RouteKind.FORGET),
        ("forget the wifi network", RouteKind.COMMAND),
        ("stop sending me suggestions", RouteKind.STOP_SUGGESTING),
        ("别再给我发建议了", RouteKind.STOP_SUGGESTING),
        ("stop sending mom messages", RouteKind.COMMAND),
        ("why did you order beef", RouteKind.WHY),
        ("sure", RouteKind.ANSWER),
        ("yes", RouteKind.ANSWER),
        ("7", RouteKind.ANSWER),
        ("可以", RouteKind.ANSWER),
        ("3", RouteKind.ANSWER),
        ("never mind", RouteKind.CANCEL),
        ("停一下", RouteKind.STOP),
        ("继续", RouteKind.RESUME),
    ],
)
def test_a_line_is_for_the_phone_or_not(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


def test_what_is_to_be_remembered_or_stopped_stands_behind_the_words() -> None:
    assert route("Please remember that my boss is Wang Lei.").rest == "my boss is Wang Lei"
    assert route("stop suggesting the evening podcast").rest == "the evening podcast"
    assert route("forget the peanut thing").rest == "peanut"
    assert route("forget everything about mom").rest == "mom"
    assert route("why did you order beef?").rest == "order beef"
    assert route("你刚才为什么点牛肉面").rest == "点牛肉面"
    assert route("why did you pick that one").rest == ""


@each("line", ["有多少人住在旧金山", "我弟弟的同学对什么过敏", "纽约发生了什么事", "东京现在几点钟了"])
def test_what_asks_teaches_nothing_and_the_news_is_no_past_of_the_user(line: str) -> None:
    assert route(line).kind is RouteKind.COMMAND


@each("line", ["我弟弟对什么过敏", "what is my aunt allergic to?", "我妈不吃什么"])
def test_what_somebody_does_not_stand_is_asked_of_the_memory(line: str) -> None:
    assert route(line).kind is RouteKind.QUESTION


@pytest.mark.skipif(not SHARED.exists(), reason="MASSIVE and CLINC150 are not beside this checkout")
def test_other_peoples_tasks_stay_tasks_and_their_talk_is_recognised() -> None:
    with gzip.open(SHARED / "massive-en-zh.tsv.gz", "rt") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1::_EVERY]
    tasks = [
        line
        for row in rows
        if row[1] == "dev" and row[3] not in ("general", "music") and row[2] != "audio_volume_mute"
        for line in row[4:6]
    ]
    taken = [line for line in tasks if route(line).kind is not RouteKind.COMMAND]
    assert len(taken) <= len(tasks) / 200, taken
    with gzip.open(SHARED / "clinc150.json.gz", "rt") as file:
        said = json.load(file)["val"]
    kinds = {"greeting": "greeting", "thank_you": "thanks", "what_can_i_ask_you": "help"}
    asked = Counter(intent for _line, intent in said if intent in kinds)
    right = Counter(intent for line, intent in said if intent in kinds and kinds[intent] == route(line).kind)
    assert all(right[intent] >= 0.6 * asked[intent] for intent in kinds), right


@each(
    ("line", "kind"),
    [
        ("so why did you take the bigger one?", RouteKind.WHY),
        ("你怎么选了这一家", RouteKind.WHY),
        ("was it really sent?", RouteKind.LAST_TURN),
        ("刚才那条发出去了吗", RouteKind.LAST_TURN),
        ("do you share my photos with anybody?", RouteKind.PRIVACY),
        ("你会把我的聊天记录上传吗", RouteKind.PRIVACY),
        ("I'm allergic to shellfish", RouteKind.REMEMBER),
        ("no, Omar is my landlord", RouteKind.REMEMBER),
        ("okay, thanks a lot. good night", RouteKind.PARTING),
        ("oh wait, undo that", RouteKind.UNDO),
        ("这东西怎么用啊", RouteKind.HELP),
        ("please stop suggesting coffee, I quit it", RouteKind.STOP_SUGGESTING),
        ("你别总推荐咖啡了，喝腻了", RouteKind.STOP_SUGGESTING),
        # From here on the words of strangers to the program, read after their first run.
        ("I'm vegetarian since january, remember that", RouteKind.REMEMBER),
        ("I don't work fridays anymore", RouteKind.REMEMBER),
        ("我不吃香菜，记一下", RouteKind.REMEMBER),
        ("我室友叫小李 你记着哈", RouteKind.REMEMBER),
        ("my dentist is dr. moore", RouteKind.REMEMBER),
        ("我花生过敏，以后点东西都注意", RouteKind.REMEMBER),
        ("我换公司了，现在在望京上班", RouteKind.REMEMBER),
        ("no, not that Chris, the one from accounting", RouteKind.CORRECTION),
        ("thats wrong, I never ordered from there", RouteKind.CORRECTION),
        ("you got my birthday wrong its the 14th not the 4th", RouteKind.CORRECTION),
        ("不对，是二号线不是十号线", RouteKind.CORRECTION),
        ("是王建国，不是王建军！", RouteKind.CORRECTION),
        ("撤销刚才那个", RouteKind.UNDO),
        ("what did you just do, step by step", RouteKind.LAST_TURN),
        ("你为啥突然打开支付宝", RouteKind.WHY),
        ("where do you store all this stuff about me", RouteKind.PRIVACY),
        ("does any of it get sent to a server", RouteKind.PRIVACY),
        ("你是不是在偷听我说话", RouteKind.PRIVACY),
        ("我的聊天记录会传到你们服务器吗", RouteKind.PRIVACY),
        ("show me everything you think you know about me", RouteKind.QUESTION),
        ("把你记得的关于我的东西全列出来", RouteKind.QUESTION),
        ("水电费这个月交了没", RouteKind.QUESTION),
        ("把我家地址从你那儿删掉", RouteKind.FORGET),
        ("never ask me again before sending messages", RouteKind.ASKING),
        ("以后发微信不用问我了直接发", RouteKind.ASKING),
        ("付钱之前一定要让我看一眼金额啊", RouteKind.ASKING),
        ("make a routine: when I leave the office, tell Sam and start my podcast", RouteKind.SCHEDULE),
        ("你好呀，你是谁", RouteKind.HELP),
        ("ugh this is way too slow", RouteKind.REMARK),
        ("you asked me that already, just do it", RouteKind.REMARK),
        ("怎么这么慢啊，我自己点都点完了", RouteKind.REMARK),
        ("you're useless, I said the pool not the gym", RouteKind.CORRECTION),
        ("傻不傻啊，让你加到备忘录不是发给我妈", RouteKind.CORRECTION),
        ("把我和前女友有关的东西全删掉", RouteKind.FORGET),
        ("还能恢复吗", RouteKind.RECOVERY),
        # The words of a fifth stranger: none of them is a task for the phone.
        ("lol ok thanks", RouteKind.THANKS),
        ("哈哈谢谢啦", RouteKind.THANKS),
        ("why didnt you set the 7 oclock one?", RouteKind.WHY),
        ("why susan lin?", RouteKind.WHY),
        ("你为啥觉得那是我平时的午饭", RouteKind.QUESTION),
        ("今天不许给小李发任何东西", RouteKind.PROHIBITION),
        ("do not send anything to Tom today", RouteKind.PROHIBITION),
        ("don't text her, she's asleep", RouteKind.PROHIBITION),
        ("dont order anything from that pizza place any more, i got sick", RouteKind.PROHIBITION),
        ("别给妈妈打电话，她在睡觉", RouteKind.PROHIBITION),
        ("don't call mom, call dad", RouteKind.COMMAND),
        ("that didn't work", RouteKind.CORRECTION),
        ("怎么回事 又弄错了", RouteKind.CORRECTION),
        ("order the same again", RouteKind.COMMAND),
        ("will the shop ship it even if there was a pricing mistake", RouteKind.COMMAND),
        ("don't text mom, she's asleep, text dad instead", RouteKind.COMMAND),
        ("don't call my boss, my assistant", RouteKind.COMMAND),
        ("超过50块的别自己下单，先问我", RouteKind.ASKING),
        ("dont ever order anything over 30 bucks without asking me", RouteKind.ASKING),
        ("给我妈发消息以后别再问我", RouteKind.ASKING),
        ("don't ask me every time i text mom", RouteKind.ASKING),
        ("昨天我点披萨了吗", RouteKind.QUESTION),
        ("我周二几点喝的咖啡", RouteKind.QUESTION),
        ("what were we doing before?", RouteKind.LAST_TURN),
        ("刚才在做什么", RouteKind.LAST_TURN),
        # Mine again.
        ("haha", RouteKind.REMARK),
        ("知道了", RouteKind.REMARK),
        ("how come the alarm was not set", RouteKind.WHY),
        ("七点那个怎么没设", RouteKind.WHY),
        ("为什么没设七点的闹钟", RouteKind.WHY),
        ("ask me before you order anything over 30", RouteKind.ASKING),
        ("没问我之前不要付钱", RouteKind.ASKING),
        ("you keep forgetting that", RouteKind.REMARK),
        ("this took far too long", RouteKind.REMARK),
        ("你刚才点错了", RouteKind.REMARK),
        ("can that be undone", RouteKind.RECOVERY),
        ("把跟房东有关的记录都忘掉", RouteKind.FORGET),
    ],
)
def test_talk_to_the_program_is_no_task_for_the_phone(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    "line",
    [
        "order pizza, I'm allergic to nuts",
        "tell Omar I'm allergic to nuts",
        "get me a taxi",
        "thanks, now call mom",
        "my alarm for 7",
        "did it rain yesterday",
        "send my photos to Omar",
        "you should book a table",
        "can you get me a taxi",
        "this is what I want for dinner",
        "why not order pizza",
        "why is the sky blue",
        "为什么天空是蓝色的",
        "明天不要叫我起床",
        "他几点到",
        "我今天几点开会",
        "tell mom not to buy anything without asking me",
        "don't order pizza, order noodles instead",
        "今晚别给妈妈打电话，改成发消息",
        "lol ok thanks, now call mom",
        "给我妈发消息说别再问我",
        "把相册里跟房东有关的照片都删掉",
    ],
)
def test_a_task_stays_one_whatever_it_tells_beside(line: str) -> None:
    assert route(line).kind is RouteKind.COMMAND


@each("line", ["who is my flatmate? i forget which name you have", "我室友叫什么？我忘了"])
def test_what_stands_behind_a_question_is_no_part_of_it(line: str) -> None:
    question = route(line).question
    assert question is not None
    assert question.fact in ("flatmate", "我室友", "室友")


@each(
    ("line", "kind"),
    [
        ("Good evening dear, is anybody there?", RouteKind.GREETING),
        ("有人吗", RouteKind.GREETING),
        ("how do I turn this off", RouteKind.HELP),
        ("how can I close the program", RouteKind.HELP),
        ("how do I turn off the wifi", RouteKind.COMMAND),
    ],
)
def test_who_is_there_and_how_to_leave_are_no_tasks(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    "line",
    [
        "撤回刚才那条",
        "转账之前先看一下余额",
        "I want to see if the shop is still open",
        "remind me that I need to buy milk tomorrow, remember that",
        "no coriander noodles from the corner shop please",
        "send my location to Ben",
    ],
)
def test_what_the_phone_can_do_stays_its_task(line: str) -> None:
    assert route(line).kind is RouteKind.COMMAND


def test_what_a_line_is_about_is_told_without_what_stands_around_it() -> None:
    assert route("别老给我推荐那家黄焖鸡了，吃腻了").rest == "黄焖鸡"
    assert route("把我家地址从你那儿删掉").rest == "我家地址"
    assert route("I'm vegetarian since january, remember that").rest == "I'm vegetarian since january"


@each(
    ("line", "kind"),
    [
        ("don't ever open the gallery", RouteKind.PROHIBITION),
        ("Please never write to my boss!", RouteKind.PROHIBITION),
        ("以后别打开我的相册", RouteKind.PROHIBITION),
        ("never mind", RouteKind.CANCEL),
        ("don't ever forget to water the plants on friday", RouteKind.COMMAND),
        ("以后别忘了浇花", RouteKind.COMMAND),
        ("never suggest lunch", RouteKind.STOP_SUGGESTING),
        ("never ask me again before sending messages", RouteKind.ASKING),
        ("play never gonna give you up", RouteKind.COMMAND),
    ],
)
def test_what_is_forbidden_for_good_is_no_task(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    ("text", "rest"),
    [
        ("别再提醒我点午饭", "点午饭"),
        ("don't remind me to order lunch", "order lunch"),
        ("stop reminding me about the podcast", "the podcast"),
    ],
)
def test_to_stop_reminding_switches_a_suggestion_off(text: str, rest: str) -> None:
    target = route(text)
    assert (target.kind, target.rest) == (RouteKind.STOP_SUGGESTING, rest)


@each(
    ("text", "what"),
    [
        ("please delete everything you know about Tom", "Tom"),
        ("could you please forget everything about my ex", "my ex"),
        ("I want you to forget about Tom", "Tom"),
        ("get rid of everything you have on Tom", "Tom"),
        ("remove mom's number from your memory please", "mom's number"),
        ("forget Susan Lin", "Susan Lin"),
        ("forget my time in Paris", "my time in Paris"),
        ("把关于小王的都忘掉", "小王"),
        ("把小王忘了吧", "小王"),
        ("删掉你知道的关于小王的一切", "小王"),
        ("把小王的记忆删了", "小王"),
        ("别再记小王了", "小王"),
        ("forget everything", ""),
        ("delete everything you know about me", ""),
        ("wipe your memory", ""),
        ("忘掉我的一切", ""),
    ],
)
@each("running", [False, True])
def test_a_wish_to_forget_is_no_task_for_the_phone(text: str, what: str, running: bool) -> None:
    read = route(text, running=running)
    assert (read.kind, read.rest) == (RouteKind.FORGET, what)


@each(
    "text",
    [
        "delete Tom from contacts",
        "delete the message from Tom",
        "delete all photos",
        "delete everything about the trip in notes",
        "erase the conversation with mom",
        "clear the cart",
        "forget the wifi network",
        "don't forget to call mom",
        "clear the memory card data",
        "把小王的联系人删掉",
        "删除小王的聊天记录",
        "把牛奶从购物车里删掉",
        "我忘了密码",
    ],
)
def test_what_is_deleted_on_the_phone_stays_a_task(text: str) -> None:
    assert route(text).kind is RouteKind.COMMAND


@each(
    ("text", "kind", "rest"),
    [
        ("stop sending me suggestions", RouteKind.STOP_SUGGESTING, ""),
        ("stop the suggestions", RouteKind.STOP_SUGGESTING, ""),
        ("please stop suggesting things to me", RouteKind.STOP_SUGGESTING, ""),
        ("disable suggestions", RouteKind.STOP_SUGGESTING, ""),
        ("关掉建议", RouteKind.STOP_SUGGESTING, ""),
        ("stop suggesting lunch", RouteKind.STOP_SUGGESTING, "lunch"),
        ("start suggesting again", RouteKind.RESUME_SUGGESTING, ""),
        ("turn suggestions back on", RouteKind.RESUME_SUGGESTING, ""),
        ("恢复建议", RouteKind.RESUME_SUGGESTING, ""),
    ],
)
def test_suggestions_are_switched_by_words(text: str, kind: RouteKind, rest: str) -> None:
    assert (route(text).kind, route(text).rest) == (kind, rest)


@each(
    ("text", "kind"),
    [
        ("我对花生过敏", RouteKind.REMEMBER),
        ("我对什么过敏", RouteKind.QUESTION),
        ("我对花生过敏吗", RouteKind.QUESTION),
        ("上次那个任务成功了吗", RouteKind.LAST_TURN),
        ("did the last task work?", RouteKind.LAST_TURN),
        ("我上次打车去哪", RouteKind.QUESTION),
    ],
)
def test_what_is_told_or_asked_of_the_last_task_asks_no_memory(text: str, kind: RouteKind) -> None:
    assert route(text).kind is kind


@each("line", ["can anybody see what I say?", "does anyone see what I type here?", "有人能看到我说的话吗"])
def test_who_can_see_what_is_said_is_a_question_about_privacy(line: str) -> None:
    assert route(line).kind is RouteKind.PRIVACY


@each("line", ["read it to me", "read that out loud please", "念给我听", "朗读一下"])
def test_what_is_to_be_read_aloud_is_no_task(line: str) -> None:
    assert route(line).kind is RouteKind.ALOUD
    assert route("read the news to me").kind is RouteKind.COMMAND


@each("line", ["那份不要了", "i don't want that one", "I don’t want it"])
def test_what_is_not_wanted_begins_nothing(line: str) -> None:
    assert route(line).kind in (RouteKind.CORRECTION, RouteKind.CANCEL)


@each(
    ("line", "kind"),
    [
        ("我说的话会发到哪里去？", RouteKind.PRIVACY),
        ("把我的记录都删了", RouteKind.FORGET),
        ("把我的通话记录都删了", RouteKind.COMMAND),
        ("还是给我推荐吧", RouteKind.RESUME_SUGGESTING),
        ("给我推荐吧", RouteKind.COMMAND),
        ("what was the last thing you did", RouteKind.LAST_TURN),
        ("did the weather thing work", RouteKind.LAST_TURN),
        ("forget it, get the beef noodles", RouteKind.COMMAND),
        ("forget that I like tea", RouteKind.FORGET),
    ],
)
def test_what_strangers_typed_is_taken_for_what_it_is(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    ("line", "kind"),
    [
        ("谁能看到我打的字", RouteKind.PRIVACY),
        ("谁会知道我说的这些", RouteKind.PRIVACY),
        ("谁在偷听我", RouteKind.PRIVACY),
        ("where does what I type go?", RouteKind.PRIVACY),
        ("删掉你记住的所有东西", RouteKind.FORGET),
        ("又可以推荐了", RouteKind.RESUME_SUGGESTING),
        ("what did you do last?", RouteKind.LAST_TURN),
        ("天气那个成功了吗", RouteKind.LAST_TURN),
        ("what did you order for me today", RouteKind.QUESTION),
        ("今天你给我点了什么", RouteKind.QUESTION),
        ("我喜欢喝咖啡吗", RouteKind.QUESTION),
        ("remind me when I get home to water the plants", RouteKind.REMINDER),
        ("到家提醒我浇花", RouteKind.REMINDER),
        ("提醒我八点倒垃圾", RouteKind.COMMAND),
        ("remind me when the bank opens", RouteKind.COMMAND),
        ("把我的聊天记录都删了", RouteKind.COMMAND),
        ("把我说的话发到家庭群", RouteKind.COMMAND),
        ("晚上给我推荐个电影", RouteKind.COMMAND),
        ("还是给我推荐一家火锅店吧", RouteKind.COMMAND),
        ("what did mom send me today?", RouteKind.COMMAND),
    ],
)
def test_what_program_and_memory_answer_in_other_words_is_no_task(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    ("line", "kind"),
    [
        ("第二个吧", RouteKind.ANSWER),
        ("the second one", RouteKind.ANSWER),
        ("one", RouteKind.COMMAND),
        ("turn off suggestions after 10pm", RouteKind.QUIET_HOURS),
        ("晚上十点以后关掉推荐", RouteKind.QUIET_HOURS),
        ("turn off suggestions", RouteKind.STOP_SUGGESTING),
        ("what is scheduled", RouteKind.SCHEDULE),
        ("switch to chinese please", RouteKind.LANGUAGE),
        ("切换成英文", RouteKind.LANGUAGE),
        ("switch to dark mode", RouteKind.COMMAND),
        ("用英文给妈妈发消息", RouteKind.COMMAND),
        ("忘掉刚才说的", RouteKind.UNDO),
        ("forget what i just said", RouteKind.UNDO),
        ("forget my allergy", RouteKind.FORGET),
        ("what did i just cancel", RouteKind.LAST_TURN),
        ("did i order coffee yesterday or not", RouteKind.QUESTION),
    ],
)
def test_what_concerns_the_program_needs_no_phone(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each("line", ["don't text my boss", "please do not order anything", "别给老板发消息", "不要再点外卖了"])
def test_a_mere_prohibition_begins_nothing(line: str) -> None:
    assert route(line).kind is RouteKind.PROHIBITION


@each(
    "line", ["don't call my boss, text her", "don't forget to call Mom", "别打电话了，发短信", "别忘了买牛奶"]
)
def test_a_prohibition_with_a_task_beside_it_is_a_command(line: str) -> None:
    assert route(line).kind is not RouteKind.PROHIBITION


@each("text", ["好", "好的", "好啊", "ok"])
def test_a_yes_to_nothing_is_no_thanks(text: str) -> None:
    assert route(text).kind is RouteKind.ANSWER


@each(
    "text",
    ["search what love means", "text her what it means to me", "what does after work mean", "这首歌是指什么"],
)
def test_a_line_about_a_meaning_teaches_nothing(text: str) -> None:
    assert route(text).kind is not RouteKind.REMEMBER


@each(
    "line",
    [
        "ugh what a day",
        "so bored today",
        "wow, that took forever",
        "今天真是累死了",
        "唉，好无聊啊",
        "天哪，太慢了吧",
    ],
)
def test_a_sigh_begins_nothing(line: str) -> None:
    target = route(line)
    assert (target.kind, target.is_remark) == (RouteKind.REMARK, True)


@each(
    "line",
    [
        "I'm hungry",
        "好饿啊",
        "is it raining today",
        "外面下雨了吗",
        "play something fun",
        "slow cooker",
        "太阳好大",
    ],
)
def test_what_something_can_be_done_about_is_no_mere_sigh(line: str) -> None:
    assert route(line).kind is not RouteKind.REMARK


@each(
    ("line", "kind", "behind"),
    [
        ("cheers mate, when did I last call Anna", RouteKind.QUESTION, "when did I last call Anna"),
        ("多谢啦 我昨天吃了什么", RouteKind.QUESTION, "我昨天吃了什么"),
        ("ok thanks, undo", RouteKind.UNDO, "undo"),
        ("hello, my aunt is called Rita", RouteKind.REMEMBER, "my aunt is called Rita"),
        ("thanks, who is on the phone right now", RouteKind.COMMAND, "who is on the phone right now"),
        ("thanks, that was quick", RouteKind.THANKS, "thanks, that was quick"),
        ("thanks, call Anna", RouteKind.COMMAND, "call Anna"),
        ("text Anna thanks, when are you free", RouteKind.COMMAND, "text Anna thanks, when are you free"),
    ],
)
def test_what_stands_behind_a_thanks_is_not_swallowed(line: str, kind: RouteKind, behind: str) -> None:
    read = route(line)
    assert (read.kind, read.text) == (kind, behind)


@each(
    "line",
    [
        "could you please keep the replies brief",
        "make your answers a bit longer and use 12-hour time",
        "answer in shorter sentences please",
        "be less formal with me",
        "show times in 24h format",
        "stop being so chatty",
        "no emojis please",
        "回答简洁一点好吗",
        "说话客气点",
        "别这么啰嗦",
        "用二十四小时制显示时间",
    ],
)
def test_how_the_program_is_to_speak_is_no_task(line: str) -> None:
    assert route(line).kind is RouteKind.MANNER


@each(
    "line",
    [
        "set the phone to 24-hour time",
        "write a formal email to my boss",
        "make the alarm louder",
        "reply to Tom politely that I am late",
        "send shorter messages to mom",
        "把手机时间改成24小时制",
        "给老板写一封正式的邮件",
    ],
)
def test_how_a_task_is_to_be_done_stays_one(line: str) -> None:
    assert route(line).kind is RouteKind.COMMAND


def test_in_mid_turn_how_to_speak_may_be_for_the_turn() -> None:
    assert route("write more formally", running=True).kind is not RouteKind.MANNER


@each(
    ("line", "kind", "thanks"),
    [
        ("what do you actually know about me", RouteKind.QUESTION, False),
        ("thanks. and what do you actually know about me?", RouteKind.QUESTION, True),
        ("谢谢 你到底知道我什么", RouteKind.QUESTION, True),
        ("thanks, can you call mom?", RouteKind.COMMAND, True),
        ("thanks so much!", RouteKind.THANKS, False),
    ],
)
def test_no_question_is_lost_behind_thanks_or_a_word_that_stresses(
    line: str, kind: RouteKind, thanks: bool
) -> None:
    read = route(line)
    assert (read.kind, read.thanks) == (kind, thanks)


@each(
    ("line", "kind"),
    [
        ("thanks! oh and text alex that i'll be 10 mins late", RouteKind.COMMAND),
        ("thx, also turn on the light", RouteKind.COMMAND),
        ("thanks, oh and you were quick", RouteKind.THANKS),
        ("付款之前先问我", RouteKind.ASKING),
        ("你忘了点饮料", RouteKind.COMMAND),
        ("你忘了我的地址吧", RouteKind.FORGET),
    ],
)
def test_an_order_behind_thanks_and_what_is_said_of_a_deed_are_told_apart(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    "line",
    [
        "nah thats too expensive, forget it, ill take the bus",
        "forget it, i'll walk",
    ],
)
@pytest.mark.parametrize("running", [True, False])
def test_who_gives_something_up_wants_nothing_forgotten(line: str, running: bool) -> None:
    assert route(line, running=running).kind is not RouteKind.FORGET
