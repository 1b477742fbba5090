from __future__ import annotations

from assistant.cli.setup import tmux_findings
from tests.tables import each


@each(
    ("told", "mended"),
    [
        ("500 1", ["tmux set -s escape-time 20"]),
        ("500 0", ["tmux set -s escape-time 20", "tmux detach; tmux -u attach"]),
        ("20 1", []),
        ("10 ", []),
        ("", []),
    ],
)
def test_what_a_tmux_holds_back_is_told_with_the_command_that_mends_it(told: str, mended: list[str]) -> None:
    findings = tmux_findings({"TMUX": "/tmp/tmux-0/s,1,0"}, lambda asked: told)
    assert [finding.mend for finding in findings if not finding.good] == mended
    assert findings


def test_elsewhere_there_is_nothing_to_tell() -> None:
    assert tmux_findings({}, lambda asked: "500 0") == []
