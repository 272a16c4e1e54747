from streamlit.testing.v1 import AppTest

from core.server.jobs import JobState, Progress, Status


class EndingJob:
    """A job that is in the next of some states each time it is asked, and in the last from then on."""

    stopping = False

    def __init__(self, *states: JobState[Progress]) -> None:
        self._states = list(states)

    def state(self) -> JobState[Progress]:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]


def page() -> None:
    """The script of a page, which notes the job's status in each of its runs."""
    import streamlit as st

    from pages.components.model.progress import show_live_job

    job = st.session_state["job"]
    state = job.state()
    st.session_state["seen"].append(state.status)
    show_live_job(job, state, "training", lambda state: "")


def statuses_drawn(*states: JobState[Progress]) -> list[Status]:
    """Return the status that each run of the page has seen."""
    app = AppTest.from_function(page)
    seen: list[Status] = []
    app.session_state["job"] = EndingJob(*states)
    app.session_state["seen"] = seen
    assert not app.run().exception
    return seen


RUNNING = JobState(Status.RUNNING, Progress(1, 2))
FINISHED = JobState(Status.FINISHED, Progress(2, 2))
WAITING = JobState(Status.WAITING, Progress(), place=1)


def test_a_page_is_drawn_once_more_when_its_job_has_ended_or_left_the_queue_meanwhile() -> None:
    for states in ((RUNNING, FINISHED), (RUNNING,), (FINISHED,), (WAITING, RUNNING), (WAITING,)):
        assert statuses_drawn(*states) == [state.status for state in states]
