from __future__ import annotations

from assistant.phone.pairing import Invitation, qr_lines

INVITATION = Invitation("studio-AbcDefGhij", "secretsecret").payload
FINDER = ["█▀▀▀▀▀█", "█ ███ █", "█ ▀▀▀ █", "▀▀▀▀▀▀▀"]


def test_a_code_fits_a_small_terminal_with_its_quiet_zone() -> None:
    lines = qr_lines(INVITATION)
    assert len(lines) <= 18
    assert {len(line) for line in lines} == {33}
    assert lines[0].strip() == ""
    assert [line[2:9] for line in lines[1:5]] == FINDER
    assert [line[24:31] for line in lines[1:5]] == FINDER


def test_light_ink_is_the_other_way_round() -> None:
    swapped = str.maketrans("█▀▄ ", " ▄▀█")
    assert [line.translate(swapped) for line in qr_lines(INVITATION, inverted=True)] == qr_lines(INVITATION)
