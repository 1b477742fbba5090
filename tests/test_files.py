from __future__ import annotations

from pathlib import Path

from assistant.files import ResourceLock


def test_one_program_at_a_time_has_a_phone(tmp_path: Path) -> None:
    mine, theirs = ResourceLock(tmp_path / "running"), ResourceLock(tmp_path / "running")
    assert not mine.others()
    assert mine.take("192.168.1.20:5555")
    assert not theirs.take("192.168.1.20:5555")
    assert theirs.others()
    assert theirs.take("emulator-5554")
    mine.release()
    mine.release()
    assert theirs.take("192.168.1.20:5555")
    # Who claims another phone lets go of the one before.
    assert mine.take("emulator-5554")
