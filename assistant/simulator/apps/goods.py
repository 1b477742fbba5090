"""What shops sell: the shape of the ordering apps' data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assistant.simulator.apps.schema import Entry, Text
from assistant.simulator.apps.searching import SearchData


class Choice(Entry):
    """One of an option's values, with what it adds to the price."""

    name: Text
    price: float = 0


class Option(Entry):
    """What can be chosen about an item: one value, or `many`."""

    name: Text
    choices: tuple[Choice, ...]
    many: bool = False


class Item(Entry):
    """Something to order. `options` name entries of the file's options; `tags` are searched, not shown."""

    name: Text
    price: float
    group: Text | None = None
    options: tuple[str, ...] = ()
    sold_out: bool = False
    about: Text | None = None
    tags: str = ""


class Shop(Entry):
    """Who sells; `minutes` and `fee` are for delivery."""

    name: Text
    kind: Text
    rating: float
    minutes: int = 0
    fee: float = 0
    promoted: bool = False
    items: tuple[Item, ...]


class Address(Entry):
    """Where to deliver."""

    name: Text
    where: Text


class OrderingData(SearchData):
    """A market's goods. `results` says whether a search lists shops or single items."""

    results: Literal["shops", "items"]
    kinds: tuple[Text, ...]
    options: dict[str, Option] = Field(default_factory=dict)
    shops: tuple[Shop, ...]
    addresses: tuple[Address, ...]

    def shop(self, name: str) -> Shop:
        """A shop by its canonical name. Raises `StopIteration` when there is none."""
        return next(shop for shop in self.shops if shop.name.en == name)

    def item(self, shop: str, name: str) -> Item:
        """An item by canonical names. Raises `StopIteration` when there is none."""
        return next(item for item in self.shop(shop).items if item.name.en == name)
