"""A growing cluster of consistent records: a bounded sample, its medoid, and evidence that fades.

What a cluster keeps does not grow with its records: how many they are, their faded weight, and a sample of at
most `size` records. The sample favours what is recent: each record gets a fixed random rank that rises with
its time (an exponentially biased reservoir), and the highest ranks stay. So the sample depends neither on the
order in which records come nor on how often a day is run again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from math import log

from assistant.memory.him.reading import Reading

Measure = Callable[[Reading, Reading], float]
"""The consistency of two readings, 0..1."""


def faded(weight: float, since: datetime, now: datetime, half_life_days: float) -> float:
    """What is left of a weight after a time; a time that runs backwards leaves it as it is."""
    days = max(0.0, (now - since).total_seconds() / 86400)
    return float(weight * 0.5 ** (days / half_life_days))


def rank(record_id: str, time: datetime, half_life_days: float) -> float:
    """A record's place in samples: a Gumbel number drawn from its id, shifted by its age in half-lives."""
    drawn = int.from_bytes(hashlib.blake2b(record_id.encode(), digest_size=8).digest(), "big")
    uniform = (drawn + 1) / (2**64 + 2)
    return -log(-log(uniform)) + time.timestamp() / 86400 * log(2) / half_life_days


@dataclass(slots=True, eq=False)
class Sampled:
    """A record in a cluster's sample, with its rank and its consistency with the centre."""

    reading: Reading
    rank: float
    fit: float = 1.0


@dataclass(slots=True, eq=False)
class Cluster:
    """One prototype while it grows. `weight` is the faded evidence at the time `last`.

    `founder` is the record that began it and gives it its name. `chosen` are records that the user put
    together: what is consistent with one of them belongs here too.
    """

    id: str
    founder: str
    centre: Reading
    first: datetime
    last: datetime
    count: int = 0
    weight: float = 0.0
    sample: list[Sampled] = field(default_factory=list)
    archived: bool = False
    chosen: list[Reading] = field(default_factory=list)
    settled: bool = False
    _known: dict[tuple[str, str], float] = field(default_factory=dict)

    def join(self, reading: Reading, fit: float, half_life_days: float, size: int) -> None:
        """Count a record, and sample it if its rank is high enough."""
        self.count += 1
        if reading.time >= self.last:
            self.weight = faded(self.weight, self.last, reading.time, half_life_days) + 1.0
            self.last = reading.time
        else:
            self.weight += faded(1.0, reading.time, self.last, half_life_days)
        self.first = min(self.first, reading.time)
        self.keep(Sampled(reading, rank(reading.record_id, reading.time, half_life_days), fit), size)

    def keep(self, one: Sampled, size: int) -> None:
        """Take a record into the sample; the lowest rank leaves when it is full."""
        self.sample.append(one)
        self.sample.sort(key=lambda other: other.rank, reverse=True)
        self.settled = self.settled and one in self.sample[size:]
        for gone in self.sample[size:]:
            name = gone.reading.record_id
            self._known = {pair: value for pair, value in self._known.items() if name not in pair}
        del self.sample[size:]

    def absorb(self, other: Cluster, half_life_days: float, size: int) -> None:
        """Take over the records of another cluster."""
        later = max(self.last, other.last)
        self.weight = faded(self.weight, self.last, later, half_life_days) + faded(
            other.weight, other.last, later, half_life_days
        )
        self.first, self.last = min(self.first, other.first), later
        self.count += other.count
        self.chosen += other.chosen
        self._known |= other._known
        for one in other.sample:
            self.keep(one, size)

    def settle(self, measure: Measure) -> None:
        """Choose the medoid of the sample as the centre, and measure the sample against it.

        A record that was carried out comes before one that was not; of equal ones the newest.
        """
        if not self.sample or self.settled:
            return
        means = [
            sum(self._measured(one, other, measure) for other in self.sample if other is not one)
            for one in self.sample
        ]
        best = max(
            range(len(self.sample)),
            key=lambda place: (
                bool(self.sample[place].reading.path),
                round(means[place], 6),
                self.sample[place].reading.time,
            ),
        )
        self.centre = self.sample[best].reading
        for one in self.sample:
            one.fit = self._measured(self.sample[best], one, measure)
        self.settled = True

    def closeness(self, reading: Reading, measure: Measure) -> float:
        """The mean consistency of a reading with the sample."""
        return sum(measure(reading, one.reading) for one in self.sample) / max(1, len(self.sample))

    def _measured(self, one: Sampled, other: Sampled, measure: Measure) -> float:
        if one is other:
            return 1.0
        left, right = sorted((one.reading.record_id, other.reading.record_id))
        if (value := self._known.get((left, right))) is None:
            value = self._known[left, right] = measure(one.reading, other.reading)
        return value
