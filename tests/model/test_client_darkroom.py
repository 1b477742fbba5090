from __future__ import annotations

from assistant.model.client import ImageEncoder
from assistant.settings.schema import ModelSettings
from tests.model.screens import png, screen

SETTINGS = ModelSettings(image_side=640)


async def test_a_screenshot_seen_early_is_sent_as_it_would_be_later() -> None:
    shot = png(1080, 2400)
    early, late = ImageEncoder(SETTINGS), ImageEncoder(SETTINGS)

    early.expect(shot)

    assert await early.frame_of(screen(screenshot=shot)) == await late.frame_of(screen(screenshot=shot))


async def test_the_screen_that_is_sent_is_never_an_earlier_one() -> None:
    first, second = png(300, 200), png(200, 300)
    darkroom = ImageEncoder(SETTINGS)

    darkroom.expect(first)
    darkroom.expect(second)
    frame = await darkroom.frame_of(screen(screenshot=second))

    assert (frame.width, frame.height) == (200, 300)
    await darkroom.close()


async def test_a_black_screen_is_not_sent_though_its_picture_was_made() -> None:
    shot = png(1080, 2400)
    darkroom = ImageEncoder(SETTINGS)

    darkroom.expect(shot)

    assert not (await darkroom.frame_of(screen(screenshot=shot, secure=True))).url
    await darkroom.close()
