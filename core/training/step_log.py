"""The reports of a training run, thinned, for a figure."""

from core.records.training import StepReport

_MAX_REPORTS = 2000  # more cannot be told apart in a figure, and slow down each redraw


class StepLog:
    """Some of a run's step reports, evenly spread, in bounded memory for runs of any length.

    The first and the last step are always kept. Of the others, every k-th step and the last step of every n-th epoch are
    kept; k doubles each time the log is full, and n too when ends of epochs fill most of it.
    """

    def __init__(self, max_reports: int = _MAX_REPORTS) -> None:
        self._max_reports = max_reports
        self.last: StepReport | None = None  # the newest report
        self._kept: list[StepReport] = []
        self._every_steps = 1
        self._every_epochs = 1

    @property
    def reports(self) -> tuple[StepReport, ...]:
        """The kept reports in order, the newest last."""
        if self.last is None or self._kept[-1] is self.last:
            return tuple(self._kept)
        return (*self._kept, self.last)

    def add(self, report: StepReport) -> None:
        """Add the report of the next step."""
        self.last = report
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
        if ends >= self._max_reports // 2:
            self._every_epochs *= 2
        first, *others = self._kept
        self._kept = [first, *filter(self._is_kept, others)]
