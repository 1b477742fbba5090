"""The three tables behind `settings get`: global, secure and system."""

from __future__ import annotations

from dataclasses import dataclass, field


def _global() -> dict[str, str]:
    return {
        "adb_enabled": "1",
        "airplane_mode_on": "0",
        "animator_duration_scale": "1.0",
        "auto_time": "1",
        "bluetooth_on": "1",
        "device_name": "Sim Phone",
        "low_power": "0",
        "mobile_data": "1",
        "transition_animation_scale": "1.0",
        "wifi_on": "1",
        "window_animation_scale": "1.0",
        "zen_mode": "0",
    }


def _secure() -> dict[str, str]:
    return {
        "android_id": "5f1d6a3e0b7c9d24",
        "default_input_method": "",
        "enabled_input_methods": "",
        "location_mode": "3",
        "night_display_activated": "0",
        "ui_night_mode": "1",
        "user_setup_complete": "1",
    }


def _system() -> dict[str, str]:
    return {
        "accelerometer_rotation": "1",
        "font_scale": "1.0",
        "screen_brightness": "102",
        "screen_brightness_mode": "1",
        "screen_off_timeout": "60000",
        "system_locales": "",
        "time_12_24": "24",
        "user_rotation": "0",
        "volume_music": "5",
    }


@dataclass(slots=True)
class SystemSettings:
    """The tables as stored. `Services.setting` joins them with the radios, keyboards and the display."""

    global_table: dict[str, str] = field(default_factory=_global)
    secure: dict[str, str] = field(default_factory=_secure)
    system: dict[str, str] = field(default_factory=_system)

    def table(self, namespace: str) -> dict[str, str]:
        """A table by the name that the `settings` command uses. Raises `KeyError` for another."""
        return {"global": self.global_table, "secure": self.secure, "system": self.system}[namespace]

    def namespace_of(self, name: str) -> str:
        """The table that holds a setting; a new one belongs to `system`."""
        return next(
            (space for space in ("global", "secure", "system") if name in self.table(space)), "system"
        )
