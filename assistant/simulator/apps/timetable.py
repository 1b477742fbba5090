"""Trains between two cities: made up, but the same each time they are looked up."""

from __future__ import annotations

from dataclasses import dataclass
from math import dist

from assistant.simulator.chance import pick, share, whole

SEATS = {"Second class": ("二等座", 1.0), "First class": ("一等座", 1.6), "Business class": ("商务座", 3.0)}
"""Seat classes: the Chinese name, and the price relative to second class."""


@dataclass(frozen=True, slots=True)
class Train:
    """One connection on one day; `price` is for second class, `left` the free seats by class."""

    number: str
    depart: str
    arrive: str
    minutes: int
    price: float
    left: dict[str, int]

    @property
    def fast(self) -> bool:
        """Whether it is a high-speed train."""
        return self.number[0] == "G"

    def cost(self, seat: str) -> float:
        """The price of a seat class in yuan."""
        return round(self.price * SEATS[seat][1] * 2) / 2


def trains(
    origin: str, where: tuple[float, float], goal: str, there: tuple[float, float], date: str
) -> list[Train]:
    """The day's trains between two cities at their coordinates in km, by departure."""
    kilometres = max(40.0, dist(where, there) * 1.15)
    trains = []
    for nth in range(20):
        about = (origin, goal, nth)
        leave = 6 * 60 + nth * 46 + whole(0, 40, "leave", *about)
        slow = share("slow", *about) < 0.25
        speed = 105 + 25 * share("speed", *about) if slow else 215 + 50 * share("speed", *about)
        minutes = round(kilometres / speed * 60) + 12
        number = f"K{whole(100, 1000, *about)}" if slow else f"G{whole(1000, 10000, *about)}"
        price = round(kilometres * (0.17 if slow else 0.43) * 2) / 2
        classes = list(SEATS)[:1] if slow else list(SEATS)
        left = {seat: pick((0, 3, 9, 20, 20, 20, 20, 20), seat, date, *about) for seat in classes}
        trains.append(Train(number, _clock(leave), _clock(leave + minutes), minutes, price, left))
    return sorted(trains, key=lambda train: train.depart)


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
