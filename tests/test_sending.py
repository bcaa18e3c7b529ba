"""What the browser is told of a run: all, or only what is new."""

import asyncio
import threading

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.forward_msg_cache import create_reference_msg, populate_hash_if_needed

from pages.server import sending
from pages.server.sending import Sent

SLIDER = "$$ID-slider"
NOTHING = ["page_info_changed", "session_status_changed"]  # that would be new


def message(**fields):
    made = ForwardMsg()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def begin(fragments=()):
    made = ForwardMsg()
    made.new_session.page_script_hash = "page"
    made.metadata.run.script_run_id = "run"
    made.metadata.run.fragment_ids.extend(fragments)
    return made


def status(running):
    made = ForwardMsg()
    made.session_status_changed.script_is_running = running
    return made


def address(query):
    made = ForwardMsg()
    made.page_info_changed.query_string = query
    return made


def text(body, *path):
    made = ForwardMsg()
    made.delta.new_element.markdown.body = body
    made.metadata.delta_path.extend(path)
    return made


def slider(value, *path):
    made = ForwardMsg()
    made.delta.new_element.slider.id = SLIDER
    made.delta.new_element.slider.value.append(value)
    made.delta.new_element.slider.set_value = True
    made.metadata.delta_path.extend(path)
    return made


def typing(*path):
    made = ForwardMsg()
    made.delta.new_element.text_input.id = "$$ID-text"
    made.metadata.delta_path.extend(path)
    return made


def block(label, *path):
    made = ForwardMsg()
    made.delta.add_block.expandable.label = label
    made.metadata.delta_path.extend(path)
    return made


def auto_rerun():
    made = ForwardMsg()
    made.auto_rerun.fragment_id = "watching"
    return made


def hashed(made):
    if made.WhichOneof("type") != "ref_hash":
        populate_hash_if_needed(made)
    return made


def run(*parts, query="a=1", finished=ForwardMsg.FINISHED_SUCCESSFULLY, fragments=()):
    """What one run of the script says, as Streamlit queues it."""
    end = message(script_finished=finished)
    said = [begin(fragments), status(True), address(query), *parts, end, status(False)]
    return [hashed(m) for m in said]


def page(figure="1", value=6.0):
    return [block("more", 0, 1), slider(value, 1, 0), text("same", 0, 0), text(figure, 0, 1, 0)]


def said(state_id, value):
    return [WidgetState(id=state_id, double_value=value)]


def kinds(messages):
    return [m.WhichOneof("type") for m in messages]


def bodies(messages):
    return [m.delta.new_element.markdown.body for m in messages if m.HasField("delta")]


def test_the_first_run_is_told_whole_and_the_next_only_where_it_differs():
    sent, first = Sent(), run(*page("1"))
    assert sent.reduce(first) == first
    told = sent.reduce(run(*page("2"), query="a=2"))
    assert kinds(told) == ["page_info_changed", "delta", "session_status_changed"]
    assert not told[-1].session_status_changed.script_is_running
    assert told[0].page_info_changed.query_string == "a=2" and bodies(told) == ["2"]
    assert bodies(sent.reduce(run(*page("2")))) == []
    assert bodies(sent.reduce(run(*page("1")))) == ["1"]  # laid beside the last run, not the first


def test_after_a_mark_alone_all_is_told():
    """None comes, unless somebody lowers the size from which Streamlit sends one."""
    sent = Sent()
    sent.reduce(run(*page("1")))
    marked = run(*page("1")[:-1], create_reference_msg(hashed(page("1")[-1])))
    assert sent.reduce(marked) == marked
    whole = run(*page("1"))
    assert sent.reduce(whole) == whole


@pytest.mark.parametrize("kind", ["dialog", "toast"])
def test_what_goes_by_itself_is_told_again(kind):
    shown = ForwardMsg()
    if kind == "dialog":
        shown.delta.add_block.dialog.title = "Presets"
    else:
        shown.delta.new_element.toast.body = "done"
    shown.metadata.delta_path.extend((3, 0))
    sent = Sent()
    for _ in range(3):
        assert len(sent.reduce(run(*page(), shown))) == 10


def test_now_and_then_all_is_told():
    sent = Sent()
    sizes = [len(sent.reduce(run(*page(str(k))))) for k in range(2 * sending.MOST_IN_A_ROW)]
    assert sizes[0] == sizes[sending.MOST_IN_A_ROW + 1] == 9
    assert set(sizes[1 : sending.MOST_IN_A_ROW + 1]) == {3}


@pytest.mark.parametrize(
    "other",
    [
        page()[:-1],
        [*page(), text("more", 0, 2)],
        [block("less", 0, 1), *page()[1:]],
        [*page()[:-1], block("more", 0, 1, 0)],
        [*page(), auto_rerun()],
    ],
    ids=["a part less", "a part more", "another block", "a block for an element", "unusual"],
)
def test_another_page_is_told_whole(other):
    sent = Sent()
    sent.reduce(run(*page()))
    assert sent.reduce(run(*other)) == run(*other)


def test_a_widget_that_the_script_sets_back_is_told_so():
    sent = Sent()
    sent.hear(said(SLIDER, 6.0), False)
    for _ in range(3):
        sent.reduce(run(*page()))
    sent.hear(said(SLIDER, 6.0), False)  # another widget was moved
    assert kinds(sent.reduce(run(*page()))) == NOTHING
    sent.hear(said(SLIDER, 9.0), False)
    assert [m.delta.new_element.slider.id for m in sent.reduce(run(*page()))][1:-1] == [SLIDER]


def test_a_widget_is_set_back_each_time_it_is_moved_to_the_same_place():
    """The browser reports 9 each time: that it was set to 6 in between it never reports."""
    sent, moved = Sent(), [WidgetState(id=SLIDER)]
    moved[0].double_array_value.data.append(9.0)
    sent.reduce(run(*page()))
    for _ in range(5):
        sent.hear(moved, False)
        assert [m.delta.new_element.slider.id for m in sent.reduce(run(*page()))][1:-1] == [SLIDER]
    moved[0].double_array_value.data[0] = 6.0  # what it was set to
    for _ in range(3):
        sent.hear(moved, False)
        told = sent.reduce(run(*page()))
    assert kinds(told) == NOTHING


def table(name, rows, *path):
    made = ForwardMsg()
    made.delta.new_element.dataframe.id = name
    made.delta.new_element.dataframe.arrow_data.data = rows
    made.metadata.delta_path.extend(path)
    return made


def test_of_a_widget_in_another_s_place_all_is_told():
    """Else the browser goes on reporting the first, and its callback is called at every move."""
    sent, one, other = Sent(), table("one", b"1", 0, 2), table("other", b"2", 0, 2)
    sent.reduce(run(*page(), one))
    assert len(sent.reduce(run(*page(), table("one", b"3", 0, 2)))) == 3
    assert len(sent.reduce(run(*page(), other))) == 10
    assert len(sent.reduce(run(*page(), one))) == 10
    assert kinds(sent.reduce(run(*page(), one))) == NOTHING
    assert len(sent.reduce(run(*page(), other))) == 10


def test_what_is_moved_while_a_run_is_under_way_counts_for_the_next():
    sent = Sent()
    sent.hear(said(SLIDER, 6.0), False)
    sent.reduce(run(*page()))
    sent.hear(said(SLIDER, 9.0), False)  # during the run that ends now
    sent.reduce(run(*page()))
    assert len(sent.reduce(run(*page()))) == 3
    for _ in range(3):
        sent.hear(said(SLIDER, 6.0), False)
        told = sent.reduce(run(*page()))
    assert kinds(told) == NOTHING


def test_after_back_and_after_typing_the_browser_hears_of_the_run():
    sent = Sent()
    sent.reduce(run(*page(), typing(1, 1)))
    sent.hear([], True)
    assert len(sent.reduce(run(*page(), typing(1, 1)))) == 10
    sent.reduce(run(*page(), typing(1, 1)))
    assert kinds(sent.reduce(run(*page(), typing(1, 1)))) == NOTHING
    sent.hear(said("$$ID-text", 1.0), False)
    assert len(sent.reduce(run(*page(), typing(1, 1)))) == 10


@pytest.mark.parametrize(
    "between",
    [
        run(text("new", 0, 0), fragments=["part"]),
        run(*page(), finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN),
        run(*page(), finished=ForwardMsg.FINISHED_WITH_COMPILE_ERROR),
        [*run(*page()), *run(*page())][:12],
    ],
    ids=["a fragment", "cut short", "failed", "not ended"],
)
def test_after_anything_but_a_whole_run_all_is_told(between):
    sent, last = Sent(), run(*page("2"))
    sent.reduce(run(*page()))
    assert sent.reduce(list(between)) == between
    assert sent.reduce(last) == last


def test_a_run_that_asked_for_another_was_never_told():
    """Streamlit drops what the first has said of the page, and keeps what it said of itself."""
    sent, first = Sent(), run(finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    sent.reduce(run(*page("1")))
    told = sent.reduce([first[0], first[1], *first[3:], *run(*page("2"))])
    assert kinds(told) == ["page_info_changed", "delta", "session_status_changed"]
    assert bodies(told) == ["2"]


def test_a_run_in_pieces_is_told_as_it_comes_and_known_afterwards():
    sent, pieces = Sent(), run(*page("1"))
    assert sent.reduce(pieces[:4]) + sent.reduce(pieces[4:]) == pieces
    assert bodies(sent.reduce(run(*page("2")))) == ["2"]


def test_a_short_run_is_held_and_a_long_one_is_not(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(sending.time, "monotonic", lambda: now[0])
    sent, queue = Sent(), run(*page())[:3]
    assert sent.hold(queue) == sending.HELD
    now[0] = sending.HELD / 2
    assert sent.hold(queue) == 0.0
    now[0] = sending.HELD
    assert sent.hold(queue) is None
    assert sent.hold([text("progress", 0, 0)]) is None  # the run is being sent as it comes
    assert sent.hold([begin()]) == sending.HELD  # another one


def test_messages_of_a_script_come_in_order(monkeypatch):
    """From another thread, some at a time, and before whatever the script says after them."""
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.scriptrunner import ScriptRunnerEvent

    from pages.shared import streamlit_inside

    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    streamlit_inside._hand_over_together()
    heard, wakes = [], []

    class Bare(AppSession):
        def __del__(self):
            pass  # it was never begun

    async def listen():
        session = Bare.__new__(Bare)
        session._event_loop = asyncio.get_running_loop()
        soon = session._call_soon_on_event_loop
        session._call_soon_on_event_loop = lambda f: (wakes.append(1), soon(f))
        session._handle_scriptrunner_event_on_event_loop = lambda sender, event, m=None, *_: (
            heard.append(m or event)
        )

        def script():
            for k in range(3):
                for i in range(100):
                    session._on_scriptrunner_event(
                        None, event=ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=(k, i)
                    )
                session._on_scriptrunner_event(None, event=ScriptRunnerEvent.SCRIPT_STARTED)

        thread = threading.Thread(target=script)
        thread.start()
        while len(heard) < 303:
            await asyncio.sleep(0.005)
        thread.join()

    asyncio.run(asyncio.wait_for(listen(), 20))
    each = [(k, i) for k in range(3) for i in range(100)]
    start = ScriptRunnerEvent.SCRIPT_STARTED
    assert heard == [*each[:100], start, *each[100:200], start, *each[200:], start]
    assert len(wakes) < 100


def test_a_timer_leaves_alone_what_was_said_after_the_end_of_its_run(monkeypatch):
    """It is due while the server is busy, and the script has meanwhile begun anew."""
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.scriptrunner import ScriptRunnerEvent

    from pages.shared import streamlit_inside

    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    streamlit_inside._hand_over_together()
    heard, soon, later = [], [], []

    class Bare(AppSession):
        def __del__(self):
            pass  # it was never begun

    class Loop:
        def call_soon_threadsafe(self, work):
            soon.append(work)

        def call_later(self, seconds, work):
            later.append(work)

    session = Bare.__new__(Bare)
    session._event_loop = Loop()
    session._handle_scriptrunner_event_on_event_loop = lambda sender, event, m=None, *_: (
        heard.append(m or event)
    )

    def say(event, **more):
        session._on_scriptrunner_event(None, event=event, **more)

    say(ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg="old")
    soon.pop()()  # starts the timer
    say(ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS)
    say(ScriptRunnerEvent.SCRIPT_STARTED)
    say(ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg="new")
    for work in [*later, *soon]:
        work()
    for work in later[1:]:
        work()
    ends = ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS, ScriptRunnerEvent.SCRIPT_STARTED
    assert heard == ["old", *ends, "new"]


def test_each_loss_of_the_line_has_its_own_patience(monkeypatch):
    """A session that came back and is lost again waits in full: its first timer is no more."""
    from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

    from pages.shared import streamlit_inside as inside

    now, due, closed = [0.0], [], []

    class Timer:
        def __init__(self, seconds, work):
            self.at, self.work = now[0] + seconds, work
            due.append(self)

        def cancel(self):
            due.remove(self)

    class Loop:
        def call_later(self, seconds, work, *given):
            return Timer(seconds, lambda: work(*given))

        def run_in_executor(self, *_):
            pass

    class Info:
        session = type("Kept", (), {"_session_state": {}})()

    class Manager:
        active = True
        _session_storage = {"one": Info}  # noqa: RUF012
        close_session = closed.append

        def is_active_session(self, _):
            return self.active

        def get_active_session_info(self, _):
            return Info if self.active else None

    monkeypatch.setattr(
        WebsocketSessionManager, "disconnect_session", lambda m, _: setattr(m, "active", False)
    )
    monkeypatch.setattr(inside.asyncio, "get_running_loop", Loop)
    inside._free_closed_sessions()
    manager, lose = Manager(), WebsocketSessionManager.disconnect_session

    def later(seconds):
        now[0] += seconds
        for timer in [t for t in due if t.at <= now[0]]:
            due.remove(timer)
            timer.work()

    lose(manager, "one")
    later(0.9 * inside.KEPT_LOST)
    manager.active = True  # it came back
    lose(manager, "one")
    later(0.9 * inside.KEPT_LOST)
    assert not closed
    later(0.2 * inside.KEPT_LOST)
    assert closed == ["one"]


def test_a_choice_that_is_taken_back_is_told_until_the_browser_reports_it():
    """As the list of groups to select: the script clears it after each choice."""
    box = ForwardMsg()
    box.delta.new_element.selectbox.id = "$$ID-box"
    box.delta.new_element.selectbox.set_value = True
    box.metadata.delta_path.extend((0, 2))
    sent, chosen = Sent(), [WidgetState(id="$$ID-box", string_value="class 1")]
    sent.reduce(run(*page(), box))
    for _ in range(4):
        sent.hear(chosen, False)
        assert len(sent.reduce(run(*page(), box))) == 3
    for _ in range(3):
        sent.hear([WidgetState(id="$$ID-box")], False)
        told = sent.reduce(run(*page(), box))
    assert kinds(told) == NOTHING


@pytest.mark.parametrize("kind", sorted(sending.ANSWERS))
def test_an_answer_to_the_browser_never_waits_for_a_run(kind):
    """The next run clears what waits: an upload or a download would never begin."""
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    answer = ForwardMsg()
    if kind == "heartbeat_ack":
        answer.heartbeat_ack = True
    else:
        getattr(answer, kind).SetInParent()
    sent, queue = Sent(), ForwardMsgQueue()
    for made in run(*page())[:4]:
        queue.enqueue(made)
    assert sent.hold(queue._queue) == sending.HELD
    queue.enqueue(answer)
    assert sent.hold(queue._queue) is None
    queue.clear(retain_lifecycle_msgs=True)  # as Streamlit does when a run begins
    assert kind not in kinds(queue._queue)


def test_what_is_no_part_of_a_run_is_told_beside_it():
    sent, other = Sent(), ForwardMsg()
    other.parent_message.message = "{}"
    sent.reduce(run(*page()))
    told = sent.reduce([other, *run(*page("2"))])
    assert kinds(told) == [
        "parent_message", "page_info_changed", "delta", "session_status_changed"
    ]  # fmt: skip
