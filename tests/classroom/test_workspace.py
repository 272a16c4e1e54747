from __future__ import annotations

from core.classroom.workspace import WorkspaceStore


def store(live: set[str], most: int = 10, seconds: float = 1000.0) -> WorkspaceStore:
    return WorkspaceStore(most, seconds, lambda session_id: session_id in live)


def test_a_reloaded_tab_gets_its_workspace_back() -> None:
    workspaces = store(live={"new"})
    before = workspaces.create("old")
    assert workspaces.claim(before.id, "new") is before
    assert before.session_id == "new"


def test_another_live_tab_keeps_its_workspace() -> None:
    workspaces = store(live={"first", "second"})
    first = workspaces.create("first")
    assert workspaces.claim(first.id, "second") is None
    assert workspaces.knows(first.id)


def test_an_unknown_id_gets_nothing() -> None:
    assert store(live=set()).claim("guess", "session") is None


def test_the_longest_unused_goes_first() -> None:
    workspaces = store(live=set(), most=3)
    kept = [workspaces.create(f"{number}") for number in range(3)]
    kept[0].last_used += 100
    workspaces.create("one more")
    assert [workspaces.knows(workspace.id) for workspace in kept] == [True, False, True]


def test_old_ones_go() -> None:
    workspaces = store(live=set(), seconds=10.0)
    old = workspaces.create("old")
    old.last_used -= 11
    workspaces.create("new")
    assert not workspaces.knows(old.id)


def test_ids_cannot_be_guessed() -> None:
    workspaces = store(live=set())
    ids = {workspaces.create("session").id for _ in range(10)}
    assert len(ids) == 10
    assert all(len(workspace_id) >= 20 for workspace_id in ids)
