"""Back stacks: which pages of which apps are open, and which app lies on top of which."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.simulator.apps.host import Page

HOME = "com.android.launcher3"


@dataclass(slots=True)
class Task:
    """One app's open pages, the topmost last. The launcher's task has none."""

    package: str
    pages: list[Page] = field(default_factory=list)

    @property
    def top(self) -> Page | None:
        """The page on top."""
        return self.pages[-1] if self.pages else None


@dataclass(slots=True)
class Tasks:
    """All tasks, the one in front last; the launcher's is always among them."""

    order: list[Task] = field(default_factory=lambda: [Task(HOME)])

    @property
    def front(self) -> Task:
        """The task that the user sees."""
        return self.order[-1]

    def find(self, package: str) -> Task | None:
        """A package's task."""
        return next((task for task in self.order if task.package == package), None)

    def recent(self) -> list[Task]:
        """The apps' tasks, the last used first."""
        return [task for task in reversed(self.order) if task.package != HOME]

    def bring(self, package: str) -> Task:
        """Move a package's task to the front, a new and empty one where it had none."""
        task = self.find(package) or Task(package)
        if task in self.order:
            self.order.remove(task)
        self.order.append(task)
        return task

    def send_back(self, package: str) -> None:
        """Put a task behind all others: what lay under it shows."""
        task = self.find(package)
        if task is not None:
            self.order.remove(task)
            self.order.insert(0, task)

    def remove(self, package: str) -> None:
        """End a task with all its pages."""
        self.order = [task for task in self.order if task.package != package or package == HOME]
