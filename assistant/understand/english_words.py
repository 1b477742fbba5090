"""The English lexicon by word class and meaning, and the tokenizer that classifies the words of a command.

Entries are singular and in lower case. They are written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


def words_of(text: str) -> frozenset[str]:
    """The words of a text, for a lexicon."""
    return frozenset(text.split())


DETERMINERS = words_of("the a an this that these those some any each every one another")
POSSESSIVES = words_of("my our your")
THIRD_POSSESSIVES = words_of("his her its their whose")
PRONOUNS = words_of(
    "i we you he she it they me us him them myself yourself himself herself itself who what which "
    "something anything everything nothing someone anyone everyone somebody anybody everybody mine "
    "yours there here"
)
PREPOSITIONS = words_of(
    "of in on at to from for with by about near nearby around into onto over under via through without "
    "within between before after during until till since against across along behind beside besides "
    "beyond inside outside toward towards upon off out up down above below per than like as past except "
    "regarding @"
)
CONJUNCTIONS = words_of(
    "and or but then so because if when while whether although unless once plus nor that whenever"
)
AUXILIARIES = words_of(
    "am is are was were be been being do does did have has had will would shall should can could may "
    "might must 'm 're 've 'll 'd n't isn't aren't don't doesn't didn't won't can't let's not need "
    "needs"
)
ADVERBS = words_of(
    "please now today tonight tomorrow yesterday again instead also too still just only soon later "
    "immediately currently together once twice already yet anyway first back away asap quickly directly "
    "next early late right straight monday tuesday wednesday thursday friday saturday sunday weekly "
    "daily monthly everyday there online aloud loudly hey ok okay via how why where whenever afterwards "
    "afterward tonight's"
)
TITLES = words_of("mr mrs ms miss sir dr prof saint st")

VERBS = words_of(
    "send tell ask fill enter create publish upload delete remove reply forward download install "
    "uninstall open launch start stop pause resume continue close find locate search check see view "
    "watch read listen play call phone ring dial text message email mail ping notify inform remind "
    "invite add put post share like follow comment praise book reserve order reorder buy purchase get "
    "grab fetch bring take pick drop deliver ship pay transfer wire recharge top-up set turn switch "
    "enable disable mute unmute silence show display give make compose write draft type paste copy cut "
    "edit change update rename move save store collect favorite bookmark subscribe unsubscribe navigate "
    "drive walk ride go head return come visit look compare calculate track scan print join leave block "
    "unblock report rate review recommend translate convert schedule reschedule cancel confirm rent "
    "hail repeat redo rebook refill congratulate wish thank greet mention tag log use run record let "
    "help request cook clean dim raise lower increase decrease keep hold wait try choose select click "
    "tap press say speak sing plan arrange prepare stream shuffle skip wake know want queue crop attach "
    "export import lend lets sort filter face-time facetime video-call dm whatsapp meet"
)
ALWAYS_VERBS = words_of(
    "send tell ask fill enter create publish upload delete remove install uninstall open launch close "
    "find locate listen ring dial notify inform remind invite add put buy purchase get grab fetch bring "
    "take deliver pay enable disable mute unmute show give make compose write paste rename navigate go "
    "return come visit compare calculate join leave recommend translate convert cancel confirm reorder "
    "rebook repeat congratulate wish thank mention let choose select speak keep know want attach is "
    "forward reply has"
)
TALKING = words_of(
    "tell ask text message send remind inform notify wish give show call email ping dm invite thank buy "
    "lend get congratulate mail bring help let whatsapp order reply phone make cook"
)
"""Verbs that take a person and then something else, without a word between."""

WATCHING = words_of("watch play stream resume")

KIN = words_of(
    "mom mum mommy mummy mama momma mother dad daddy papa father pa parent sister brother sibling "
    "sis bro son daughter husband wife hubby wifey spouse fiance fiancé fiancee fiancée grandma "
    "grandmother granny nana nan grandpa grandfather grandad granddad gramps grandparent grandson "
    "granddaughter grandchild grandkid aunt auntie aunty uncle cousin nephew niece mother-in-law "
    "father-in-law brother-in-law sister-in-law son-in-law daughter-in-law in-law stepmother stepmom "
    "stepfather stepdad stepbrother stepsister stepson stepdaughter half-brother half-sister godmother "
    "godfather godson goddaughter twin ex-wife ex-husband ex mother-in-laws great-grandmother "
    "great-grandfather great-aunt great-uncle"
)
FRIENDS = words_of(
    "friend bestie bff buddy pal mate girlfriend boyfriend gf bf lover sweetheart crush soulmate "
    "roommate flatmate housemate dormmate deskmate classmate schoolmate teammate workmate colleague "
    "coworker co-worker neighbor neighbour acquaintance schoolfriend playmate penpal pen-pal confidant "
    "partner family folk relative"
)
ROLES = words_of(
    "boss manager supervisor leader director chief employer superior teacher professor tutor mentor "
    "advisor adviser instructor coach trainer lecturer counselor counsellor headmaster principal "
    "headteacher dean doctor dentist physician pediatrician therapist psychologist psychiatrist "
    "physiotherapist optician vet veterinarian nurse lawyer attorney accountant banker landlord "
    "landlady tenant lodger hairdresser barber stylist beautician manicurist masseur nanny babysitter "
    "sitter housekeeper cleaner gardener plumber electrician mechanic handyman secretary "
    "client customer student intern apprentice subordinate employee contractor supplier vendor dealer "
    "agent broker idol pastor priest rabbi imam midwife caregiver carer chauffeur elder butler "
    "decorator architect caretaker janitor superintendent headmistress"
)
POSSESSED_PEOPLE = words_of(
    "assistant kid child baby toddler boy girl infant team crew squad class student daughter son pet dog cat "
    "puppy kitten guest visitor driver follower fan match date subscriber contact hero idol men man "
    "woman guy people"
)
"""People who are personal only when they are somebody's: "my kids", not "songs for kids"."""

PERSON_MODIFIERS = words_of(
    "high middle elementary junior senior "
    "best good close old dear former ex new current elder eldest older oldest younger youngest little "
    "big baby twin second third first only maternal paternal late childhood school high-school college "
    "university work office company online offline internet game gaming gym family personal private "
    "primary next-door upstairs downstairs desk class math maths mathematics english chinese physics "
    "chemistry biology history geography music art pe piano guitar violin swimming tennis football "
    "basketball badminton yoga fitness dance driving homeroom head department project team group line "
    "deputy vice general hometown same-city fellow travel hiking running study lab graduate thesis phd "
    "academic life business real estate local regular female male long-distance trusted favorite "
    "favourite usual wechat qq tiktok douyin weibo facebook instagram whatsapp telegram snapchat "
    "discord twitter linkedin alipay steam xbox messenger kakaotalk skype signal rednote bilibili "
    "taobao dingtalk mutual common girl boy net"
)
PERSON_COMPOUNDS = words_of(
    "request list circle suggestion finder service support relation ship card jeans boat model figure "
    "shark bear shower food toy song movie show film meme day tongue land board ware market care "
    "edition mode link sharing plan account tree guy doctor feud reunion recipe restaurant pack ticket "
    "size dinner meal trip law court education training school certificate job position role vacancy "
    "desk office room review feedback satisfaction portal login app page zone section tag rating rate "
    "loyalty retention emulator goose nature theresa teresa"
)
"""What makes a compound about no particular person: "friend request", "customer service"."""

PLACES = words_of(
    "home house apartment flat dorm dormitory hometown workplace office company school campus "
    "kindergarten nursery daycare gym classroom lab laboratory canteen cubicle workstation homestead "
    "birthplace condo work hq"
)
BARE_PLACES = words_of(
    "home school company office dorm dormitory hometown workplace campus work kindergarten gym canteen "
    "classroom lab"
)
"""Places that are personal without any determiner: "near school", "back to the office"."""

DEFINITE_PLACES = BARE_PLACES - {"work"} | {"dorm", "apartment", "nursery", "daycare"}
PLACE_MODIFIERS = words_of(
    "own old new former current previous second first primary middle high elementary junior senior "
    "boarding work holiday vacation summer parents main local branch head family rented student alma"
)
PLACE_COMPOUNDS = words_of(
    "screen page button tab bar bus uniform supply game appliance decor improvement depot theater "
    "theatre office alone run key kit loan assistant automation app row feed menu device light speaker "
    "furniture furnishing remedy workout made edition delivery security cinema wifi network video hour "
    "party song movie shooting holiday chair desk software suite profile registration stock share news "
    "shopping goods garden"
)
"""What makes a compound about no particular place: "home screen", "school bus", "company news"."""

NOT_PLACE_BEFORE = words_of(
    "post box ticket tax patent head oval microsoft libre open google apple insurance phone airline "
    "shipping courier delivery record production film parent public driving language business law "
    "medical nursing grammar art music cooking dance flight summer sunday old night trade limited "
    "holding software tech technology train bus travel moving internet gas electric water power care "
    "funeral retirement foster rental charter drama military smart escape physics house white full "
    "opera coffee steak pancake publishing"
)
HAVE_OWNERS = words_of("home house apartment flat place dorm dormitory room")
"""Places without a public name: with their owner they stand for an address."""

GROUPS = words_of("group groupchat team channel chat chatroom")
GROUP_MODIFIERS = words_of(
    "family class professional work project dorm dormitory company school department office team study "
    "friend friends roommate classmate colleague neighborhood neighbour neighbor community building "
    "parent parents teacher major course gym book reading running hiking game gaming fan fans student "
    "lab research thesis graduation alumni discussion club travel trip shopping hobby group relatives "
    "wechat qq homework notice volunteer chat residents owners employee staff management sales "
    "marketing design development"
)

FACTS = words_of(
    "number phone address email birthday birthdate anniversary age height weight size taboo allergy "
    "preference taste hobby name nickname surname username account id identity passport license licence "
    "plate wechat-id contact details detail information info postcode zipcode zip code card salary "
    "nationality blood-type blood zodiac constellation sign diet appetite mood schedule timetable shift "
    "location whereabouts hometown job occupation major grade favourite favorite interest habit need "
    "wish cellphone mobile telephone landline extension pronoun title birth-date birth wedding"
)
"""What one can know about a person, so that the owner alone does not fill it in."""

VISITS = words_of("appointment visit checkup prescription note day")
"""What belongs to a role in general: "a doctor's appointment"."""

ADDRESSES = words_of("address location postcode zipcode phone number telephone hotline whereabouts")

CONTENT = words_of(
    "post moment video photo picture message text status story reel tweet feed page profile comment "
    "album file document link avatar homepage blog vlog article note voicemail voice call email mail "
    "invitation request question answer reply song playlist recording screenshot sticker red-packet "
    "packet envelope gift livestream stream dynamic update space zone channel review rating order list "
    "chat conversation recommendation work merchandise concert show performance merch news website clip "
    "short live content"
)
"""What a person has put into an app: the owner's name is enough to find it."""

DEVICE = words_of(
    "phone alarm calendar reminder event appointment meeting email mail inbox outbox message text "
    "notification contact contacts list playlist photo picture album gallery screen volume brightness "
    "battery bluetooth wifi wi-fi camera clock timer stopwatch account profile setting settings order "
    "orders cart basket wallet coupon voucher history file folder document note notes call voicemail "
    "voice tab browser bookmark library feed timeline tweet post status story schedule agenda todo "
    "to-do task location position area current screenshots screenshot device tablet ringtone wallpaper "
    "storage keyboard language app apps download downloads clipboard music song podcast audiobook book "
    "video points balance bill subscription page space moments favorites favourites draft trash spam "
    "queue complaint feedback suggestion subject shopping groceries grocery way opinion behalf "
    "mind life own day week morning evening night weekend request question answer data speaker speakers "
    "microphone vacuum lights light lamp socket plug thermostat tv television time zone god self "
    "username password steps cv resume comment comments review chat chats conversation conversations "
    "group groups "
    "collection purchases purchase cloud disk drive computer's receipt receipts ticket tickets flight "
    "reservation booking parcel package delivery hand ear eye reading order's homepage circle"
)
"""What the phone or the app knows by itself when the user says "my": alarms, lists, the inbox."""

MEDIA = words_of(
    "song music podcast video book audiobook playlist album radio station movie film series show list"
)
"""What people play and read again; "the book I am reading" is personal, "the photo I took" is a file."""

LIKING = words_of(
    "like likes love loves prefer prefers eat eats drink drinks watch watches use uses wear wears want wants"
)
MOVING = words_of(
    "go goes went going walk walked drive drove fly flew move moved travel travelled traveled talk "
    "talked spoke been asleep listen listened listening belong belongs write wrote come came return "
    "sleep subscribe take took"
)
"""Verbs whose "to" belongs to them: "the place we went to"."""

SENT = words_of(
    "sent shared posted wrote gave made recommended uploaded published mentioned asked left bought forwarded"
)
NUMBERS = words_of(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "half dozen"
)
MEETING = words_of("add find make search meet become hire recommend look")
"""Verbs whose "a friend" is anyone."""

NETWORKS = words_of("wifi wi-fi network wlan hotspot router internet")
KEYS = words_of("password passcode code key login pin")
LOCKS = words_of("door gate garage safe locker building alarm lock")
"""What keys open, besides networks."""
TRAVELLING = words_of(
    "ticket way ride taxi cab trip bus road journey route train flight uber drive walk lift car traffic "
    "commute"
)
NEWEST = words_of("last latest new newest recent unread next first")
NOT_PARTICIPLES = words_of(
    "meeting training building parking wedding morning evening living wing ring thing string spring"
)

KINDS = words_of(
    "lunch dinner breakfast brunch supper food takeout takeaway meal coffee tea drink snack dessert music "
    "song playlist podcast audiobook radio news movie film series show video groceries grocery taxi cab ride "
    "haircut workout game book something medicine bite listening reading"
)
"""Kinds of things that a preference can name: "order lunch" leaves open which."""

PARTS_OF_DAY = words_of(
    "midday noon evening morning afternoon night weekend weekday late early daily bedtime"
)

HABIT_ADJECTIVES = words_of(
    "usual favorite favourite preferred frequent customary habitual accustomed go-to beloved fave "
    "well-loved best-loved cherished time-honored signature"
)
WEAK_HABIT_ADJECTIVES = words_of(
    "regular standard normal routine default typical everyday daily trusty ordinary"
)
"""Habit words only behind "my": "my regular coffee", not "a regular coffee"."""

HABIT_ADVERBS = words_of(
    "often frequently commonly usually regularly always most habitually normally constantly repeatedly "
    "generally typically routinely mostly recently last previously just lately seldom rarely "
    "infrequently daily"
)
HABIT_PARTICIPLES = words_of(
    "bought used ordered purchased visited played watched listened listened-to eaten drunk worn viewed "
    "read contacted called dialed dialled searched browsed taken ridden chosen picked consumed booked "
    "cooked made frequented travelled traveled rented sung shared followed loved liked seen sent opened "
    "shopped subscribed recommended paid messaged eating drinking going buying traveled-to patronized"
)
KEPT_PARTICIPLES = words_of(
    "collected favorited favourited followed bookmarked starred subscribed saved liked pinned wishlisted"
)
"""What the user has marked before, followed by what it is: "the collected film"."""

PAST_ADJECTIVES = words_of("last previous earlier past")
REPEATABLE = words_of(
    "order purchase meal takeout takeaway trip ride journey booking haircut lunch dinner breakfast "
    "coffee pizza shopping seat hotel restaurant shop store pick choice selection drink snack dish menu"
)
LINKING_NOUNS = words_of(
    "list kind type sort brand cup bottle box bag pack piece pair bowl glass slice collection set can carton "
    "bunch"
)

POSSESSED_PLACES = words_of(
    "city town country village neighborhood neighbourhood district province county state region "
    "community street building university college church hospital clinic bank pharmacy cinema "
    "supermarket restaurant cafe bar pub salon barbershop library mosque temple park hotel room desk "
    "garage cottage cabin villa residence residency block compound station stop mall market store shop "
    "bakery"
)

ROUTINE_EVENTS = words_of(
    "class classes work school lecture lectures lesson lessons practice training shift bed sleep exam "
    "exams bedtime commute course courses rehearsal workout duty"
)
STARTING = words_of("start starts begin begins end ends finish finishes stop stops close closes")
TIME_WORDS = words_of("time times hour hours")
ROUTINE_TIMES = words_of(
    "wake-up wakeup wake get-up getting-up rising bed sleep sleeping class work working off-work "
    "commute commuting office school off-duty lesson shift training workout exercise "
    "lunch-break nap"
)
ROUTINE_VERBS = words_of(
    "get gets wake come go arrive leave finish start begin am fall reach head return knock clock sleep study"
)
GETTING = words_of(
    "get getting go going wake waking leave leaving arrive arriving come coming finish finishing"
)
ROUTINE_TAILS = words_of(
    "up home off work from to school class bed the office asleep back dinner eating working at in"
)
HEADLESS = words_of("usual")
OTHER_WHOS = words_of(
    "anything something everything nothing everyone anyone someone nobody way fact case reason day"
)
USING = words_of("listen eat drink watch read order buy wear play cook drive use take call")
LIVING = words_of("live lived work worked study studied stay stayed parked grew grew-up dwell reside sleep")
PAST_MARKS = words_of("yesterday ago before last earlier recently previously")
WANTING = words_of(
    "need want have should can must will could would am 'm 'll 'd 've may might like-to do did shall "
    "plan hope think guess know mean said say asked ask get"
)
TYPICAL = words_of("usually always often normally regularly typically generally mostly frequently")


DOING = USING | words_of(
    "follow support attend own hold subscribe study practice practise join recommend learn"
)
"""What somebody does again and again with one certain thing: "the team I support"."""

PAST_FORMS = words_of(
    "went bought had ate got took met saw told taught gave made sent wrote sang drank wore drove flew lent "
    "left found heard did spoke rode swam ran slept sat paid sold lost won chose"
)
"""Past forms without "ed"."""

PUT_THERE = words_of("uploaded posted published downloaded recorded saved shot created edited drew filmed")
"""How something came into an app, which finds it by that."""

MOMENTS = words_of("day night evening morning afternoon weekend week eve")
EVENTS = words_of(
    "exam exams test trip flight interview wedding graduation birthday anniversary appointment vacation "
    "holiday competition match game presentation surgery deadline departure move checkup party race "
    "concert meeting ceremony defense defence marathon hike journey performance rehearsal recital"
)
"""What happens on a day that only the user knows: "the day before the exam"."""

GATHERINGS = words_of(
    "club meeting appointment session seminar tutorial workshop rehearsal choir interview party exam test "
    "therapy physio checkup ceremony"
)
"""What begins at an hour that only those know who go there: "when book club starts"."""

BOUNDS = words_of("beginning ending outset")
"""Nouns for where something begins or ends, besides the verbs that are nouns as well: "start", "end"."""

LYING = words_of("bed sleep")
"""Routine events that are a thing or a state as well, not a gathering: "the end of my bed"."""

ACTIVITIES = words_of(
    "run jog gym yoga pilates study workout exercise sport party commute bath shower breakfast lunch dinner "
    "homework meditation nap travel sleep work wake-up road"
)
"""What one does while something plays: "my study music"."""

NO_ACTIVITY = words_of(
    "missing existing remaining pending following trending upcoming streaming recording loading"
)
"""Words that end as an activity and only say which: "my remaining podcasts"."""

OFTEN_DAYS = words_of(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings "
    "afternoons nights"
)
"""Days of a habit: "the sandwich I have on Mondays"."""


_TOKEN = re.compile(
    r"(?P<quote>\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|《[^》]*》|(?<!\w)'[^'\n]+'(?!\w))"
    r"|(?P<tail>(?<=\w)['’](?:s|m|re|ve|ll|d)\b|(?<=s)['’](?=\s))"
    r"|(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*(?:n['’]t)?)"
    r"|(?P<number>[\d][\w:./,%-]*\w|\d)"
    r"|(?P<mark>\S)"
)


class TokenClass(StrEnum):
    """What a word is in its place, as far as the closed classes tell."""

    NOUN = "noun"
    VERB = "verb"
    DETERMINER = "determiner"
    POSSESSIVE = "possessive"
    PRONOUN = "pronoun"
    PREPOSITION = "preposition"
    CONJUNCTION = "conjunction"
    AUXILIARY = "auxiliary"
    ADVERB = "adverb"
    OWNING = "owning"
    NUMBER = "number"
    NAME = "name"
    QUOTED = "quoted"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark at `start`..`end` of the text; `lower` has its case and apostrophe folded."""

    start: int
    end: int
    text: str
    lower: str
    part: TokenClass

    @property
    def capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


def tokenize(text: str, apps: Sequence[str] = ()) -> tuple[Token, ...]:
    """The tokens of a text. Words of app labels are names; quoted text is one token."""
    matches = [(match.lastgroup or "mark", match) for match in _TOKEN.finditer(text)]
    app_spans = _find_app_labels(text, apps)
    tokens: list[Token] = []
    for index, (group, match) in enumerate(matches):
        lower = match[0].lower().replace("’", "'")
        following = matches[index + 1][1][0].lower() if index + 1 < len(matches) else ""
        inside = any(start <= match.start() and match.end() <= end for start, end in app_spans)
        part = (
            TokenClass.NAME if inside and group == "word" else _classify_word(group, lower, tokens, following)
        )
        tokens.append(Token(match.start(), match.end(), match[0], lower, part))
    return tuple(tokens)


def singular(word: str) -> str:
    """The lexicon's form of a noun."""
    for ending, instead in (("ies", "y"), ("ves", "fe"), ("ses", "s"), ("ches", "ch"), ("s", "")):
        if len(word) > len(ending) + 2 and word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return {"children": "child", "men": "man", "women": "woman"}.get(word, word)


def is_in_lexicon(token: Token, lexicon: Iterable[str]) -> bool:
    """Whether a word, as it is or in its singular, stands in a lexicon."""
    return token.lower in lexicon or singular(token.lower) in lexicon


def _find_app_labels(text: str, apps: Sequence[str]) -> list[tuple[int, int]]:
    """Where the labels of apps stand; a label that is a plain word counts only beside an opening word."""
    spans = []
    for label in apps:
        is_common_noun = singular(label.lower()) in _COMMON_NOUNS
        before = r"\b(?:open|launch|start|in|on|via|using|use)\s+(?:the\s+)?" if is_common_noun else r"\b"
        after = r"(?:\s+app)?\b(?!['’]s)" if is_common_noun else r"\b"
        pattern = before + "(" + re.escape(label) + ")" + after
        spans += [match.span(1) for match in re.finditer(pattern, text, re.IGNORECASE)]
    return spans


_COMMON_NOUNS = KIN | FRIENDS | ROLES | PLACES | GROUPS | KINDS | MEDIA | CONTENT | DEVICE | FACTS
_CLOSED: tuple[tuple[frozenset[str], TokenClass], ...] = (
    (POSSESSIVES | THIRD_POSSESSIVES, TokenClass.POSSESSIVE),
    (DETERMINERS, TokenClass.DETERMINER),
    (PRONOUNS, TokenClass.PRONOUN),
    (CONJUNCTIONS, TokenClass.CONJUNCTION),
    (PREPOSITIONS, TokenClass.PREPOSITION),
    (AUXILIARIES, TokenClass.AUXILIARY),
    (ADVERBS, TokenClass.ADVERB),
)
_BEFORE_VERB = (
    TokenClass.MARK,
    TokenClass.CONJUNCTION,
    TokenClass.PRONOUN,
    TokenClass.AUXILIARY,
    TokenClass.ADVERB,
    TokenClass.QUOTED,
)


def _classify_word(group: str, lower: str, before: Sequence[Token], following: str) -> TokenClass:
    if group == "quote":
        return TokenClass.QUOTED
    if group == "number":
        return TokenClass.NUMBER
    if group == "tail":
        return TokenClass.OWNING if lower in ("'s", "'") else TokenClass.AUXILIARY
    if group == "mark":
        return TokenClass.PREPOSITION if lower == "@" else TokenClass.MARK
    if lower in NUMBERS and lower != "one":
        return TokenClass.NUMBER
    if (
        lower == "that"
        and before
        and before[-1].part in (TokenClass.NOUN, TokenClass.NAME, TokenClass.PRONOUN)
    ):
        return TokenClass.CONJUNCTION
    for lexicon, part in _CLOSED:
        if lower in lexicon:
            return part
    return TokenClass.VERB if _is_verb(lower, before, following) else TokenClass.NOUN


def _is_verb(lower: str, before: Sequence[Token], following: str) -> bool:
    """Whether a word that can be a verb is one here, judged by its neighbours."""
    if lower in ALWAYS_VERBS:
        return not (before and before[-1].part in (TokenClass.POSSESSIVE, TokenClass.DETERMINER))
    if lower not in VERBS:
        return False
    if not before or before[-1].part in _BEFORE_VERB:
        return following not in ("'s", "’s")
    last = before[-1]
    if last.lower in ("to", "please", "then", "not"):
        return lower not in PLACES
    opens_object = following in DETERMINERS | POSSESSIVES | PRONOUNS
    if lower in TALKING and singular(following) in KIN | FRIENDS | ROLES:
        return True
    return last.part in (TokenClass.NOUN, TokenClass.NAME, TokenClass.NUMBER) and opens_object
