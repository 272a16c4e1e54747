"""The reports of a training run, for a figure."""

from core.records.training import StepReport

_MAX_REPORTS = 2000  # more cannot be told apart in a figure, and slow down each redraw


class StepLog:
    """Every k-th of a run's step reports and the last one; k doubles each time the log is full."""

    def __init__(self, max_reports: int = _MAX_REPORTS) -> None:
        self._max_reports = max_reports
        self.last: StepReport | None = None  # the newest report
        self._kept: list[StepReport] = []
        self._every = 1  # k

    @property
    def reports(self) -> tuple[StepReport, ...]:
        """The kept reports in order, the newest last."""
        if self.last is None or self._kept[-1] is self.last:
            return tuple(self._kept)
        return (*self._kept, self.last)

    def add(self, report: StepReport) -> None:
        """Add the report of the next step."""
        self.last = report
        if not self._kept or (report.step - 1) % self._every == 0:
            self._kept.append(report)
        if len(self._kept) >= self._max_reports:
            self._every *= 2
            first, *others = self._kept
            self._kept = [first, *(each for each in others if (each.step - 1) % self._every == 0)]
