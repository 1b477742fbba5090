"""What `pm` and `cmd package` tell: what is installed, where, and what a launcher would show."""

from __future__ import annotations

from assistant.simulator.android.command import Context, Result
from assistant.simulator.android.commands.common import full_class, handle, unknown_command
from assistant.simulator.android.commands.intents import HOME, LAUNCHER, MAIN, Intent, read_intent, resolve
from assistant.simulator.android.software import Package

_RESOLVED = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault="


def package_command(context: Context, words: list[str]) -> Result:
    """What `pm` and `cmd package` have in common."""
    match words:
        case ["list", "packages", *rest]:
            return _list(context, rest)
        case ["list", "users", *_]:
            return Result("Users:\n\tUserInfo{0:Owner:c13} running\n")
        case ["path", *_, name]:
            installed = context.services.packages.installed.get(name)
            return Result(f"package:{installed.path}\n") if installed else Result(code=1)
        case ["clear", *_, name]:
            return _clear(context, name)
        case ["resolve-activity", *rest]:
            return _resolve(context, rest)
        case ["query-activities", *rest]:
            return _query(context, rest)
        case ["grant" | "revoke" | "enable" | "disable-user", *_]:
            return Result()
        case []:
            return Result(
                error="Package manager (package) commands:\n  help\n    Print this help text.\n", code=255
            )
    return unknown_command(words[0], "")


def _list(context: Context, words: list[str]) -> Result:
    options = {word for word in words if word.startswith("-")}
    name_filters = [word for word in words if not word.startswith("-") and not word.isdecimal()]
    lines = []
    for package in context.services.packages.installed.values():
        if ("-3" in options and package.system) or ("-s" in options and not package.system):
            continue
        if name_filters and name_filters[0] not in package.name:
            continue
        line = f"package:{package.path}={package.name}" if "-f" in options else f"package:{package.name}"
        if "--show-versioncode" in options:
            line += f" versionCode:{package.version_code}"
        lines.append(f"{line} uid:{package.uid}" if "-U" in options else line)
    return Result("".join(f"{line}\n" for line in lines))


def _clear(context: Context, name: str) -> Result:
    if name not in context.services.packages.installed:
        return Result(error="Failed\n", code=1)
    context.surface.clear(name)
    context.services.note("PackageManager", f"Clear data of {name}")
    return Result("Success\n")


def _without_options(words: list[str]) -> tuple[bool, bool, list[str]]:
    """Whether `--brief` and `--components` were given, and the rest."""
    rest, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("--user", "--query-flags"):
            skip = True
        elif word not in ("--brief", "--components"):
            rest.append(word)
    return "--brief" in words, "--components" in words, rest


def _resolve(context: Context, words: list[str]) -> Result:
    brief, components, rest = _without_options(words)
    resolved = resolve(context, read_intent(rest).intent)
    installed = context.services.packages.installed.get(resolved[0]) if resolved else None
    if resolved is None or installed is None:
        return Result("No activity found\n")
    component = f"{resolved[0]}/{resolved[1]}\n"
    if components:
        return Result(component)
    if brief:
        return Result(f"{_RESOLVED}true\n{component}")
    return Result("\n".join(_information(installed, "")) + "\n")


def _query(context: Context, words: list[str]) -> Result:
    brief, components, rest = _without_options(words)
    intent = read_intent(rest).intent
    matching = _matching(context, intent)
    if not matching:
        return Result("No activities found\n")
    if components:
        return Result("".join(f"{package.component}\n" for package in matching))
    lines = [f"{len(matching)} activities found:"]
    for place, package in enumerate(matching):
        lines.append(f"  Activity #{place}:")
        if brief:
            lines += [f"    {_RESOLVED}true", f"    {package.component}"]
        else:
            lines += _information(package, "    ")
    return Result("\n".join(lines) + "\n")


def _matching(context: Context, intent: Intent) -> list[Package]:
    """The packages that answer an intent; everyone with an icon answers a launcher."""
    packages = [package for package in context.services.packages.installed.values() if package.activity]
    if intent.package:
        packages = [package for package in packages if package.name == intent.package]
    if intent.action in ("", MAIN) and HOME not in intent.categories:
        icons = LAUNCHER in intent.categories
        return [package for package in packages if not icons or package.name != "com.android.launcher3"]
    resolved = resolve(context, intent)
    return [package for package in packages if resolved and package.name == resolved[0]]


def _information(package: Package, indent: str) -> list[str]:
    """`ResolveInfo` in full: a label is a resource of the app, so only its number is shown."""
    label = int(handle(package.name), 16) & 0xFFFF | 0x7F110000
    return [
        f"{indent}{_RESOLVED}false",
        f"{indent}ActivityInfo:",
        f"{indent}  name={full_class(package.name, package.activity)}",
        f"{indent}  packageName={package.name}",
        f"{indent}  labelRes=0x{label:x} nonLocalizedLabel=null icon=0x7f0f0000 banner=0x0",
        f"{indent}  enabled=true exported=true directBootAware=false",
        f"{indent}  taskAffinity={package.name} targetActivity=null persistableMode=PERSIST_ROOT_ONLY",
        f"{indent}  ApplicationInfo:",
        f"{indent}    packageName={package.name}",
        f"{indent}    labelRes=0x{label:x} nonLocalizedLabel=null icon=0x7f0f0000 banner=0x0",
        f"{indent}    processName={package.name}",
        f"{indent}    sourceDir={package.path}",
    ]
