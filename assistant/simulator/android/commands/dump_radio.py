"""`dumpsys wifi`, `bluetooth_manager`, `location` and `telephony.registry`: where the phone is."""

from __future__ import annotations

from assistant.simulator.android.command import Context
from assistant.simulator.android.commands.common import truth
from assistant.simulator.android.services import Services

_NO_ADDRESS = "02:00:00:00:00:00"
ADDRESS = "192.168.1.23"
"""The phone's own in its Wi-Fi."""


def wifi_information(services: Services) -> str:
    """`SSID: …, BSSID: …` of the connection."""
    point = services.wifi.active
    quote = '"' if services.profile.release >= 10 or point is None else ""
    if point is None:
        return (
            f"SSID: <unknown ssid>, BSSID: {'<none>' if services.profile.release >= 12 else _NO_ADDRESS}, "
            f"MAC: {_NO_ADDRESS}, Supplicant state: DISCONNECTED, RSSI: -127, Link speed: -1Mbps, "
            "Frequency: -1MHz, Net ID: -1, Metered hint: false, score: 0"
        )
    return (
        f"SSID: {quote}{point.ssid}{quote}, BSSID: {point.bssid}, MAC: 3a:1c:5e:90:77:04, IP: /{ADDRESS}, "
        f"Security type: 2, Supplicant state: COMPLETED, Wi-Fi standard: 5, RSSI: {point.rssi}, "
        f"Link speed: 433Mbps, Frequency: {point.frequency}MHz, Net ID: 3, Metered hint: false, score: 60"
    )


def wifi(context: Context, words: list[str]) -> str:
    """`dumpsys wifi`."""
    del words
    services = context.services
    on = "enabled" if services.wifi.enabled else "disabled"
    return (
        f"Wi-Fi is {on}\nVerbose logging is off\nStay-awake conditions: 0\n"
        f"mInIdleMode false\nmScanPending false\n"
        f"mWifiInfo {wifi_information(services)}\n"
    )


def location(context: Context, words: list[str]) -> str:
    """`dumpsys location`."""
    del words
    fix = _fix(context)
    if context.release < 12:
        last = f"  Last Known Locations:\n    network: {fix}\n" if fix else "  Last Known Locations:\n"
        return "Current Location Manager state:\n  Location Listeners:\n" + last
    provider = context.services.location.provider
    enabled = truth(context.services.location.enabled)
    return (
        "Location Manager State:\n  User Info: current=[0] running=[0]\n"
        f"  Location Settings:\n    Location Setting: [u0] {enabled}\n  Location Providers:\n"
        f"    {provider} provider:\n      last location={fix or 'null'}\n      enabled={enabled}\n"
    )


def _fix(context: Context) -> str:
    place = context.services.location
    if place.fixed_at is None:
        return ""
    provider = place.provider if context.release >= 12 else "network"
    latitude, longitude = f"{place.latitude:.6f}", f"{place.longitude:.6f}"
    accuracy = f"{place.accuracy:g}" if context.release < 16 else f"{place.accuracy:.1f}"
    if place.decimal_comma:
        latitude, longitude, accuracy = (value.replace(".", ",") for value in (latitude, longitude, accuracy))
    time = f"et={elapsed(place.fixed_at)}"
    if context.release < 12:
        return (
            f"Location[{provider} {latitude},{longitude} hAcc={accuracy} {time} vAcc=??? sAcc=??? bAcc=???]"
        )
    return f"Location[{provider} {latitude},{longitude} hAcc={accuracy} {time} alt=12.0 vAcc=3.0]"


def elapsed(seconds: float) -> str:
    """A duration as Android prints it: `+2d11h54m48s258ms`, leading zero units left out."""
    milliseconds = round(seconds * 1000)
    text, started = "+", False
    for unit, length in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)):
        count, milliseconds = divmod(milliseconds, length)
        if count or started:
            text, started = f"{text}{count}{unit}", True
    return f"{text}{milliseconds}ms"


def telephony(context: Context, words: list[str]) -> str:
    """`dumpsys telephony.registry`: newer builds star the identifiers out."""
    del words
    cell = context.services.cell
    masked = context.services.quirks.masked_cells
    cell_id, area = (_starred(value) if masked else str(value) for value in (cell.cell_id, cell.area))
    return (
        "last known state:\n  Phone Id=0\n"
        f"    mCallState={cell.call_state}\n    mRingingCallState={int(cell.call_state == 1)}\n"
        f"    mServiceState={{mVoiceRegState=0(IN_SERVICE), mOperatorAlphaLong={cell.operator}}}\n"
        f"    mCellIdentity=CellIdentityLte:{{ mCi={cell_id} mPci={cell.physical_id} mTac={area} "
        f"mEarfcn={cell.channel} mBands=[66] mBandwidth=2147483647 mMcc=460 mMnc=00 "
        f"mAlphaLong={cell.operator} "
        f"mAlphaShort={cell.operator} mAdditionalPlmns={{}} mCsgInfo=null}}\n"
    )


def _starred(value: int) -> str:
    text = str(value)
    kept = 2 if len(text) > 4 else 1
    return text[0] + "*" * (len(text) - 1 - kept) + text[-kept:]
