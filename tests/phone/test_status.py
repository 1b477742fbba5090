"""Foreground app, keyguard and keyboard, as the versions of Android print them."""

from __future__ import annotations

from assistant.phone.status import facts_commands, is_locked, keyboard_shown, parse_facts, parse_foreground
from assistant.records import ForegroundApp
from tests.tables import each


@each(
    ("lines", "package", "activity"),
    [
        (
            "mCurrentFocus=Window{e74bb23 u0 com.google.tv/com.google.tv.MainActivity}\n"
            "mFocusedApp=AppWindowToken{c79 token=Token{a6b ActivityRecord{35d u0 com.google.tv/.Main}}}",
            "com.google.tv",
            "com.google.tv.MainActivity",
        ),
        (
            "  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{d7 u0 eu.niko/.Main t409}",
            "eu.niko",
            "eu.niko.Main",
        ),
        ("mFocusedApp=ActivityRecord{1a70f4a u0 com.a/com.b.Home} t6294}", "com.a", "com.b.Home"),
        (
            "mCurrentFocus=Window{1 u0 PopupWindow:7c9}\nmFocusedApp=ActivityRecord{2 u0 com.a/.Main t1}",
            "com.a",
            "com.a.Main",
        ),
        ("mCurrentFocus=Window{1 u10 com.work/.Main$Inner}", "com.work", "com.work.Main$Inner"),
    ],
)
def test_the_app_in_front(lines: str, package: str, activity: str) -> None:
    assert parse_foreground(lines) == ForegroundApp(package, activity)


@each("title", ["StatusBar", "NotificationShade", "Keyguard"])
def test_a_system_window_is_not_the_app_below_it(title: str) -> None:
    lines = f"mCurrentFocus=Window{{85a52f2 u0 {title}}}\nmFocusedApp=ActivityRecord{{2 u0 com.a/.Main t1}}"
    app = parse_foreground(lines)
    assert app.package == "com.android.systemui"
    assert app.activity == ""
    assert app.label


def test_an_app_that_does_not_respond() -> None:
    app = parse_foreground("mCurrentFocus=Window{1 u0 Application Not Responding: com.slow}")
    assert (app.package, app.activity) == ("com.slow", "")
    assert "does not respond" in app.label


def test_nothing_in_front() -> None:
    assert parse_foreground("") == ForegroundApp()
    assert parse_foreground("mCurrentFocus=null") == ForegroundApp()


def test_only_the_first_display_counts() -> None:
    lines = (
        "  Display: mDisplayId=42\n    cur=640x480\n  mCurrentFocus=Window{1 u0 com.cast/.Cast}\n"
        "  Display: mDisplayId=0\n    init=1080x2400 420dpi cur=2400x1080 app=2274x1080\n"
        "  mCurrentFocus=Window{2 u0 com.a/.Main}\n  mCurrentRotation=ROTATION_90\n== policy\n== power\n"
    )
    facts = parse_facts(lines)
    assert facts.app.package == "com.a"
    assert facts.size == (2400, 1080)
    assert facts.rotation == 1


@each(
    ("policy", "expected"),
    [
        ("mShowingLockscreen=true mShowingDream=false mDreamingLockscreen=false", True),
        ("mShowingLockscreen=false mShowingDream=false mDreamingLockscreen=true", True),
        ("mShowingLockscreen=false mDreamingLockscreen=false", False),
        ("        mIsShowing=true\n        mInputRestricted=true", True),
        ("        mIsShowing=true\n        mInputRestricted=false", False),
        ("        mIsShowing=false\n        mInputRestricted=false", False),
        ("isKeyguardShowing=true", True),
        ("isKeyguardShowing=false", False),
        ("", False),
    ],
)
def test_the_keyguard(policy: str, expected: bool) -> None:
    assert is_locked(policy) is expected


def test_power_and_keyboard() -> None:
    facts = parse_facts(
        "== policy\n== power\n  mWakefulness=Dozing\n== keyboard\n  mShowRequested=true mInputShown=true\n"
    )
    assert facts.awake is False
    assert facts.keyboard_shown
    assert parse_facts("").awake is None


def test_a_keyboard_that_is_only_said_to_be_shown() -> None:
    assert not keyboard_shown("mInputShown=true\n mIsInputViewShown=false")
    assert not keyboard_shown("mInputShown=false")


def test_old_phones_are_asked_for_windows() -> None:
    assert "dumpsys window windows" in facts_commands(28)[0]
    assert "dumpsys window displays" in facts_commands(29)[0]
    assert "dumpsys window displays" in facts_commands(0)[0]
