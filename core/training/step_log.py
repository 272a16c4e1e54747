from __future__ import annotations

from core.records import StepReport

MAX_REPORTS = 2000  # more cannot be told apart in a figure, and make each redraw slower


class StepLog:
    """Some of a training's step reports, evenly spread, in bounded memory however long it goes on.

    The first step and the last one are always there. Of the others every k-th step and every n-th epoch's last
    step are kept; k doubles each time the log is full, and n too where ends of epochs fill most of it.

    Args:
        max_reports: that are kept, 2 or more.
    """

    def __init__(self, max_reports: int = MAX_REPORTS) -> None:
        self._max_reports = max_reports
        self._kept: list[StepReport] = []
        self._last: StepReport | None = None
        self._every_steps = 1
        self._every_epochs = 1

    @property
    def last(self) -> StepReport | None:
        """The newest report."""
        return self._last

    @property
    def reports(self) -> tuple[StepReport, ...]:
        """The kept ones in order, the newest at the end."""
        if self._last is None or self._kept[-1] is self._last:
            return tuple(self._kept)
        return (*self._kept, self._last)

    def add(self, report: StepReport) -> None:
        """Take over the report of the next step."""
        self._last = report
        if not self._kept or self._is_kept(report):
            self._kept.append(report)
        while len(self._kept) >= self._max_reports:
            self._thin()

    def _is_kept(self, report: StepReport) -> bool:
        ends_kept_epoch = report.ends_epoch and report.epoch % self._every_epochs == 0
        return ends_kept_epoch or (report.step - 1) % self._every_steps == 0

    def _thin(self) -> None:
        ends = sum(report.ends_epoch for report in self._kept)
        self._every_steps *= 2
        if ends > self._max_reports // 2:
            self._every_epochs *= 2
        first, *others = self._kept
        self._kept = [first, *filter(self._is_kept, others)]
