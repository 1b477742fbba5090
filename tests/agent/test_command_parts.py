"""Which parts a command has, what each demands, and which were not begun."""

from __future__ import annotations

from assistant.agent.checkpoint import tell_not_begun
from assistant.agent.completion import (
    CompletionVerifier,
    TraceLog,
    Verification,
    required_kinds,
)
from assistant.agent.instruction_check import find_unheeded
from assistant.events import ActionKind
from assistant.i18n import has_chinese
from assistant.memory.prototypes.terms import split_parts
from assistant.memory.turns import StoredStep, UserRemark
from assistant.records import (
    TypeText,
)
from tests.agent.test_completion_verifier import DELETE, DOUBTED, PAY, SEND, page, row, switch, tapped
from tests.growth import growth
from tests.tables import each


@each(
    ("instruction", "kinds"),
    [
        ("send a message to Mom: I will be late", {SEND}),
        ("tell Zhang Ming that Friday lunch works", {SEND}),
        ("tell me the weather", set()),
        ("read the last message from Project Harbour", set()),
        ("open the mail and reply that I agree", {SEND}),
        ("call Dad", {SEND}),
        ("remind me to call Dad", set()),
        ("I want to order a pizza", {PAY}),
        ("write a note: buy stamps", set()),
        ("记个便签：买邮票", set()),
        ("call a taxi to the airport", {PAY}),
        ("order beef noodles without coriander", {PAY}),
        ("show my order history", set()),
        ("add milk to the cart, but do not buy it", set()),
        ("find a train to Shanghai and book the first one", {PAY}),
        ("delete the dentist appointment", {DELETE}),
        ("set an alarm for 7:30", set()),
        ("给妈妈发消息说我晚点到", {SEND}),
        ("告诉爸爸我到了", {SEND}),
        ("告诉我明天的天气", set()),
        ("给李雷打电话", {SEND}),
        ("点一份牛肉面不要香菜", {PAY}),
        ("七点一刻叫我", set()),
        ("买一张去上海的火车票", {PAY}),
        ("查一下我的订单", set()),
        ("把牙医的日程删除", {DELETE}),
        ("看看购物车，不要下单", set()),
        ("给小周转30块", {PAY}),
        ("打车去公司，看看多少钱", {PAY}),
        # What only asks for a price demands no deed, and a doubt about it would lead a model to do it.
        ("下班去湖畔茶楼打车多少钱 别叫车 就看看", set()),
        ("打车去机场要多久？", set()),
        ("帮我看看买一张去上海的票要多少钱", set()),
        ("看看多少钱然后下单", {PAY}),
        ("不管多少钱都帮我买一张去上海的票", {PAY}),
        ("买一张去上海的票不管多少钱", {PAY}),
        ("无论打车多少钱，送我去机场", {PAY}),
        ("多少钱都行帮我下单", {PAY}),
        ("付款前先看多少钱再付款", {PAY}),
        ("付款前先看多少钱", {PAY}),
        ("打车去公司看看多少钱", {PAY}),
        ("打车去公司再告诉我多少钱", {PAY}),
        ("给妈妈发消息说机票多少钱", {SEND}),
        # Money that is to be given, not what is turned, passed on or was given before.
        ("给妈妈转一百", {PAY}),
        ("给妈妈转5块钱", {PAY}),
        ("给妈妈转99.50买菜", {PAY}),
        ("给张三转一下这篇文章", set()),
        ("把这张照片给张三转一份", set()),
        ("我给张三转了200吗", set()),
        ("我给张三转200块了吗", set()),
        ("向左转90度", set()),
        ("给图片向右转90度", set()),
        ("给图片转900度", set()),
        ("给我转三号线", set()),
        ("给视频转一个格式", set()),
        ("给视频转1080p", set()),
    ],
)
def test_what_a_command_demands(instruction: str, kinds: set[ActionKind]) -> None:
    assert required_kinds(instruction) == kinds


@each("text", ["打车去机场", "给三三转一二三四五六七八", "多少钱", "买一张"])
def test_a_long_command_is_read_in_linear_time(text: str) -> None:
    words = [text * (size // len(text)) for size in (2000, 8000)]
    assert growth(required_kinds, *words) < 9


def test_words_that_nothing_answered_are_named() -> None:
    trace, claims = TraceLog(), CompletionVerifier(confirm=False)
    steps = [tapped("Beef noodles ¥26"), tapped("Submit order", 2, PAY)]
    trace.observe(page(row("Beef noodles ¥26"), name="Menu"), steps[:1])
    trace.observe(page(row("Order placed"), name="Order"), steps)
    for _attempt in range(2):
        verification, sentence = claims.verify(
            "order beef noodles and add a cola to it", steps, "Ordered.", trace
        )
    assert verification is DOUBTED
    assert "“add a cola to it”" in sentence
    assert "beef noodles" not in sentence


@each(
    "command",
    [
        "play the running song, got the later train",
        "play the running song, dont skip it just tell me the title",
        "play the running song, sorry, thank you",
        "play the running song, because i am bored",
        "play the running song, i missed my bus",
        "play the running song, its too quiet",
        "play the running song, im in a hurry",
        "播放跑步那首歌，谢谢你了",
        "播放跑步那首歌，因为无聊",
        "播放跑步那首歌，太安静了",
        "play the running song, keep the others",
        "播放跑步那首歌，别的不变",
        "play the running song, im knackered",
        "play the running song, something calm",
        "play the running song, something a bit quiet please, sorry",
        "play the running song and whats it called",
        "play the running song, thx a lot! and make it quick pls",
        "play the running song; so hungry today",
        "播放跑步那首歌，先别付钱",
        "play the running song, next time just do it",
        "play the running song, from now on always ask me first",
        "播放跑步那首歌，今天真饿",
        "播放跑步那首歌，肚子饿死了，赶紧的",
        "播放跑步那首歌，以后别问我了",
        "that's fine, play the running song",
        "那就这样吧，播放跑步那首歌",
    ],
)
def test_a_part_that_is_no_wish_is_not_looked_for(command: str) -> None:
    trace = TraceLog()
    trace.observe(page(row("Ten Kilometres"), row("十公里", 2), name="Now playing"), [])
    assert trace.find_unanswered(command, "Playing.") == []


@each(("screen", "named"), [("目的地 家 柳园8幢", []), ("目的地 云楼12层", ["送家里"])])
def test_where_something_goes_is_shown_by_the_name_of_the_own_place(screen: str, named: list[str]) -> None:
    trace = TraceLog()
    trace.observe(page(row("牛肉面"), row(screen, 2), name="订单"), [])
    assert trace.find_unanswered("点牛肉面，送家里", "点好了。") == named


@each(
    ("command", "answer", "told"),
    [
        (
            "play the running song and louder please",
            "Playing, at 40 %. “louder please” = “Volume 40 %”",
            "Playing, at 40 %. “louder please”: “Volume 40 %”.",
        ),
        (
            "bit louder pls and whats this album called",
            'It is Piano Rooms. "bit louder pls" = "Volume 40 %".',
            "It is Piano Rooms. “bit louder pls”: “Volume 40 %”.",
        ),
        (
            "play the running song and louder please",
            "Playing. “louder please” = “Running song · Volume 40 %”",
            "Playing. “louder please”: “Running song · Volume 40 %”.",
        ),
        ("play the running song and turn on the lamp", "Done. “turn on the lamp” = “Running song”", ""),
        # It stands on no screen, is for other words, or is not in the form.
        ("play the running song and louder please", "Done. “louder please” = “Volume 40 % · Loud”", ""),
        ("play the running song and a burger", "Done. “a burger” = “Cheeseburger”", ""),
        ("play the running song and a burger", "Done. “the burger” = “Volume 40 %”", ""),
        ("play the running song and a burger", "Done, “a burger” too: Volume 40 %.", ""),
    ],
)
def test_words_that_stand_on_a_screen_answer_a_part_where_the_model_names_them(
    command: str, answer: str, told: str
) -> None:
    song = "跑步歌" if has_chinese(command) else "Running song"
    trace, steps = TraceLog(), [tapped("Sound")]
    trace.observe(page(switch("Sound", False), row("Volume 30 %", 2), row(song, 3)), [])
    trace.observe(page(switch("Sound", True), row("Volume 40 %", 2), row(song, 3)), steps)
    claims = CompletionVerifier(confirm=True)
    verification, question = claims.verify(command, steps, "Done.", trace)
    assert verification is Verification.LOOK_AGAIN
    assert "” = “words of the screen”" in question
    last = claims.verify(command, steps, answer, trace)
    assert last == (Verification.BELIEVED, told) if told else last[0] is Verification.DOUBTED


@each(
    ("part", "seen", "is_answered"),
    [
        ("alarm at 5:40 pm pls", "17:40", True),
        ("明天六点五十叫我", "06:50 · Once", True),
        ("alarm at 6:40 pm pls", "17:40", False),
        ("turn on the lamp", "Once", False),
        ("not so loud", "Once", False),
        ("text Dad too", "Once", False),
        ("louder please", "…", False),
    ],
)
def test_a_figure_a_deed_and_a_denial_are_not_answered_by_any_words(
    part: str, seen: str, is_answered: bool
) -> None:
    trace = TraceLog()
    trace.observe(page(row("06:50"), row("17:40", 2), row("Once", 3)), [])
    assert trace.has_trace is False
    assert (trace.confirms(part, {part: seen}) != "") is is_answered


@each(
    ("part", "seen", "is_answered"),
    [
        ("but not the sleepy one", "Ten Kilometres", True),
        ("不要助眠那首", "Ten Kilometres", True),
        # It has what is denied, was not chosen, or is no choice.
        ("but not ten kilometres", "Ten Kilometres", False),
        ("but not the sleepy one", "Moon over Tiles", False),
        ("not so loud", "Volume 40 %", False),
    ],
)
def test_what_was_chosen_instead_answers_a_denial(part: str, seen: str, is_answered: bool) -> None:
    trace = TraceLog()
    trace.observe(page(row("Moon over Tiles"), row("Ten Kilometres", 2), row("Volume 40 %", 3)), [])
    trace.observe(page(row("Ten Kilometres"), row("Volume 40 %", 2)), [tapped("Ten Kilometres")])
    trace.catch_up()
    assert (trace.confirms(part, {part: seen}) != "") is is_answered


@each(
    "command",
    [
        "play the running song, oi",
        "tell mom the noodles are coming, n thank her for me",
        "play the running song, blimey",
        "play the running song, then its fine",
        "play the running song, thats perfect",
        "接朵朵的提醒改成四点一刻，怕堵车",
        "放跑步歌，主要怕迟到",
    ],
)
def test_cries_fears_and_words_without_content_are_not_looked_for(command: str) -> None:
    trace = TraceLog()
    trace.observe(page(row("Something else"), name="Page"), [])
    rest = command.replace("，", ", ").split(", ")[1]
    assert rest not in trace.find_unanswered(command, "Done.")


def test_no_words_of_a_screen_answer_what_the_turn_went_against() -> None:
    trace, steps = TraceLog(), [tapped("Sound")]
    trace.observe(page(switch("Sound", False), row("Volume 30 %", 2), row("Song", 3)), [])
    trace.observe(page(switch("Sound", True), row("Volume 40 %", 2), row("Song", 3)), steps)
    claims, answer = CompletionVerifier(confirm=True), "Done. “leave the sound” = “Volume 40 %”"
    for _look in range(2):
        verification, sentence = claims.verify("sound on", steps, answer, trace, against=["leave the sound"])
    assert verification is Verification.DOUBTED
    assert "“leave the sound”" in sentence


@each(
    ("command", "named"),
    [
        # Something more that is wanted is no way in which the first is to be.
        ("order noodles and something sweet", "something sweet"),
        ("order noodles, something sweet", "something sweet"),
        ("get noodles, anything vegan", "anything vegan"),
        ("play noodles, something else", "something else"),
        ("play noodles, something without vocals", "something without vocals"),
        ("play noodles and something calm", "something calm"),
        ("play noodles and get noodles, something calm", "something calm"),
        ("来份牛肉面，轻松一点的", "轻松一点的"),
        ("order noodles, dont forget a cola", "dont forget a cola"),
        ("order noodles, i am vegetarian", "i am vegetarian"),
        ("order noodles, it is for Anna", "it is for Anna"),
        ("order noodles, we are four", "we are four"),
        ("order noodles, got to have a cola with it", "got to have a cola with it"),
        ("order noodles, i'm bringing a friend", "i'm bringing a friend"),
        ("order noodles, dont put onions just add a cola", "just add a cola"),
        ("order noodles, leave the bag at the door", "leave the bag at the door"),
        ("点牛肉面，别忘了可乐", "别忘了可乐"),
        ("点牛肉面，麻烦你加个可乐", "麻烦你加个可乐"),
        ("点牛肉面，我吃素", "我吃素"),
        ("点牛肉面，快加个可乐啊", "快加个可乐啊"),
        ("order noodles, next time add a cola", "next time add a cola"),
        ("order noodles, from now on the large one", "from now on the large one"),
        ("order noodles, starving for a cola", "starving for a cola"),
        ("点牛肉面，以后不要放香菜", "以后不要放香菜"),
        ("点牛肉面，真空包装", "真空包装"),
        ("点牛肉面，快点加个可乐", "快点加个可乐"),
        ("点牛肉面，冰的", "冰的"),
        ("点牛肉面，以后不要提示音", "以后不要提示音"),
        ("点牛肉面，以后不用确认收货", "以后不用确认收货"),
        ("order noodles for mom and ty", "ty"),
    ],
)
def test_a_wish_behind_other_words_is_looked_for(command: str, named: str) -> None:
    trace = TraceLog()
    paid = tapped("Submit order", 2, PAY)
    menu = "牛肉面" if "牛" in command else "Noodles"
    trace.observe(page(row(menu), name="Menu"), [])
    trace.observe(page(row(f"{menu} ×1"), name="Order"), [paid])
    assert named in trace.find_unanswered(command, "Ordered.")


@each(
    ("command", "touched", "named"),
    [
        ("order a latte and a dessert", "Desert rose tea", "a dessert"),
        ("order toast and butter", "Better Bakery", "butter"),
        ("order a latte and a croisant pls", "Croissant", "a croisant pls"),
        ("open the chat and add Anderson", "Andersen", "add Anderson"),
        ("open the group and invite Simons", "Simmons", "invite Simons"),
        ("open the chat and add johnson", "Johnston", "add johnson"),
        ("play jazz then play Scared", "Sacred", "play Scared"),
        ("text fernando hi then call fernanda", "Fernando", "call fernanda"),
    ],
)
def test_a_word_that_is_only_like_one_that_was_touched_is_looked_for(
    command: str, touched: str, named: str
) -> None:
    trace = TraceLog()
    steps = [tapped(touched), tapped("Send", 2, SEND)]
    trace.observe(page(row("Latte Toast Jazz"), name="Page"), [])
    trace.observe(page(row("Latte Toast Jazz fernando"), name="Done"), steps)
    assert trace.find_unanswered(command, "Done.") == [named]


@each(
    "command",
    [
        "打开蓝牙，快把闹钟关了",
        "订披萨，快发给妈妈啊",
        "打开蓝牙，刚才那个闹钟关了",
        "放首歌，刚刚那条消息删了",
        "打开蓝牙，好把闹钟关了啊",
    ],
)
def test_a_chinese_part_that_asks_is_no_reason(command: str) -> None:
    trace = TraceLog()
    trace.observe(page(row("蓝牙 已开 披萨 放首歌"), name="页面"), [])
    assert trace.find_unanswered(command, "") == [command.partition("，")[2]]


@each(
    "command",
    [
        "order pizza, as i said add fries",
        "order pizza, as i said fries",
        "order pizza, because i am cold raise the heating",
        "order pizza, i was going, cancel the alarm",
    ],
)
def test_a_part_that_asks_behind_a_reason_is_looked_for(command: str) -> None:
    trace = TraceLog()
    trace.observe(page(row("Pizza"), name="Page"), [tapped("Submit order", 2, PAY)])
    assert trace.find_unanswered(command, "") == [command.rpartition(", ")[2]]


@each("rest", ["i'm running late", "don't be late", "because i am busy"])
def test_what_stands_in_a_message_is_looked_for(rest: str) -> None:
    trace, claims = TraceLog(), CompletionVerifier(confirm=False)
    sent = [tapped("Send", 2, SEND)]
    trace.observe(page(row("Tom"), name="Chat"), [])
    trace.observe(page(row("Tom"), row("hi", 2), name="Chat"), sent)
    command = f"text tom hi, {rest}"
    assert claims.verify(command, sent, "Sent.", trace)[0] is Verification.LOOK_AGAIN
    result, sentence = claims.verify(command, sent, "Sent.", trace)
    assert result is Verification.DOUBTED
    assert rest in sentence


@each(
    ("command", "idle"),
    [
        ("play the running song, let her know", "let her know"),
        ("play the running song, it's urgent so call him", "it's urgent so call him"),
        ("play the running song, we need a taxi", "we need a taxi"),
        ("播放跑步那首歌，关灯", "关灯"),
        ("播放跑步那首歌，让她早点来", "让她早点来"),
    ],
)
def test_that_a_part_asks_for_nothing_is_not_believed_of_the_model(command: str, idle: str) -> None:
    trace, claims, steps = TraceLog(), CompletionVerifier(confirm=False), [tapped("Play")]
    song = "跑步 那首歌" if has_chinese(command) else "The running song"
    trace.observe(page(row(song), name="Home"), [])
    trace.observe(page(row(song), row("3", 2), name="Playing"), steps)
    answer = f"Playing. [asks nothing: {idle}]"
    (first, sentence), (last, _) = (claims.verify(command, steps, answer, trace) for _look in range(2))
    assert (first, last) == (Verification.LOOK_AGAIN, Verification.DOUBTED)
    assert "asks for nothing" not in sentence


@each(
    ("command", "parts"),
    [
        ("order a latte, no straw", ["order a latte", "no straw"]),
        ("set an alarm for 7:30 on weekdays", ["set an alarm for 7:30 on weekdays"]),
        ("send a message to Mom: late, and tired", ["send a message to Mom: late, and tired"]),
        ("write “salt, and pepper” and save", ["write “salt, and pepper”", "save"]),
        ("点一份牛肉面，再加一杯可乐", ["点一份牛肉面", "加一杯可乐"]),
        ("屏暮再调暗一点点", ["屏暮再调暗一点点"]),
        ("开灯再关门", ["开灯", "关门"]),
        ("导航去湖畔茶楼，原话是“去老地方”", ["导航去湖畔茶楼"]),
        ("Go to the teahouse, as asked: “the usual place”", ["Go to the teahouse"]),
    ],
)
def test_the_parts_of_a_command(command: str, parts: list[str]) -> None:
    assert [part for part in split_parts(command) if part] == parts


@each(
    ("command", "touched", "told"),
    [
        (
            "call Susan Lin then text Dad that i called her and then set an alarm for 6:30",
            ["Contacts", "Mom"],
            "Not begun: “text Dad that i called her”, “set an alarm for 6:30”.",
        ),
        (
            "call Susan Lin then text Dad that i called her and then set an alarm for 6:30",
            ["Contacts", "Mom", "phone", "Dad", "i called her"],
            "Not begun: “set an alarm for 6:30”.",
        ),
        (
            "给林素珊打电话，然后给爸爸发消息说我打过了，再设一个六点半的闹钟",
            ["通讯录", "妈妈", "爸爸", "我打过了"],
            "Not begun: “设一个六点半的闹钟”.",
        ),
        ("text Mom i'm late and hungry", ["Mom"], ""),
        ("call Susan Lin then set an alarm for 6:30", [], ""),
        ("call Susan Lin then set an alarm for 6:30", ["Alarm"], ""),
        ("call Susan Lin", ["Contacts"], ""),
    ],
)
def test_a_cancelled_turn_tells_which_parts_were_not_begun(
    command: str, touched: list[str], told: str
) -> None:
    steps = [
        StoredStep(number=number, action=TypeText(text=text)) for number, text in enumerate(touched, start=1)
    ]
    assert tell_not_begun(command, steps) == told


@each("remark", ["等等，不对，要两份", "wait no, make it two", "2 portions please", "要2份"])
def test_a_count_behind_a_hesitation_is_heard(remark: str) -> None:
    remarks = [UserRemark(after=1, text=remark)]
    assert find_unheeded(remarks, "oat latte ×1 燕麦拿铁", "") == [remark]
    assert find_unheeded(remarks, "oat latte ×2 燕麦拿铁", "") == []
