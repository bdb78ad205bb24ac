"""The page of a report in a real browser: all is there, can be used, and needs nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from sabacc_training.reports.charts import LEGEND_HEIGHT, standings_chart
from sabacc_training.reports.files import write_report
from sabacc_training.reports.model import Entry, HandCount, Report

from tests.support.chromium import PROGRAM, Browser, browser
from tests.training.reports.played_report import HOSTILE, LONG, played_report

A4_WIDTH = 680
"""Pixels between the margins of a sheet."""
MOST_SHRUNK = 1.5
"""What is wider than the sheet by a greater factor is cut off."""

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="there is no Chromium: install the package chromium to run this"
)


@pytest.fixture(scope="module")
def report() -> Report:
    agents = {HOSTILE: "tight", LONG: "always_raise", "heuristic": "heuristic"}
    return played_report(agents, deals=2, reduced=True)


@pytest.fixture(scope="module")
def page(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(report, folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def chromium(page: Path, tmp_path_factory: pytest.TempPathFactory):
    with browser(tmp_path_factory.mktemp("profile")) as started:
        started.open(page)
        yield started


@pytest.fixture
def opened(chromium: Browser, page: Path):
    """The page on a wide light screen, all folded; afterwards, nothing may have gone wrong."""
    chromium.look()
    chromium.run("document.querySelectorAll('details').forEach(each => { each.open = false; })")
    yield chromium
    assert chromium.problems == []
    assert chromium.requests == [page.as_uri()]


def texts(opened: Browser, selector: str) -> list[str]:
    return opened.run(f"[...document.querySelectorAll({selector!r})].map(e => e.textContent)")


def wait_until(opened: Browser, condition: str) -> None:
    """Wait until an expression is true: some events come a moment later."""
    opened.run(
        "new Promise(done => { const look = () => "
        f"({condition}) ? done() : setTimeout(look, 5); look(); }})"
    )


def test_tables_and_charts_are_there(opened, report):
    plots = opened.run(
        "[...document.querySelectorAll('.plot')].map(e => [e.id, e.querySelectorAll('svg').length])"
    )
    names = ["standings-pairs", "luck-pairs", "moves-cards", "moves-betting"]
    assert [name for name, _ in plots] == [f"chart-{name}" for name in names]
    assert all(drawings for _, drawings in plots)
    ranked = [row.agent for row in report.formats[0].standings]
    assert texts(opened, "#pairs .matrix:first-of-type tbody th")[:3] == ranked
    assert len(texts(opened, ".matrix td small")) == 2 * 6  # reduced and raw, both ways
    shown = opened.run("document.body.innerText")
    for words in ("mante/hand", "Raw", "Reduced", "Nulrhek", "illegal action", "15.0 minutes"):
        assert words in shown


def test_the_chart_of_luck_says_what_its_axes_are(opened):
    axis = "#chart-luck-pairs .{}"
    assert texts(opened, axis.format("ytitle")) == ["likely to be ahead"]
    assert texts(opened, axis.format("xtitle")) == ["hands played (logarithmic)"]
    assert texts(opened, axis.format("xtick text"))[-1] == "100,000"


def test_a_chart_keeps_room_for_a_legend_only_where_it_has_one(report):
    results = report.formats[0]
    both = standings_chart(results).layout
    rows = [
        row.model_copy(update={"margin": row.margin.model_copy(update={"reduced": None})})
        for row in results.standings
    ]
    raw = standings_chart(results.model_copy(update={"standings": tuple(rows)})).layout
    assert (both.showlegend, raw.showlegend) == (True, False)
    assert both.margin.t - raw.margin.t == both.height - raw.height == LEGEND_HEIGHT


def test_names_are_text_whatever_they_hold(opened):
    assert opened.run("typeof window.hacked") == "undefined"
    assert opened.run("document.querySelectorAll('th script, th img, .plot img').length") == 0
    assert HOSTILE in texts(opened, "#pairs tbody th")
    labels = texts(opened, "#chart-standings-pairs .ytick text")
    assert any(label.startswith("<script>") for label in labels)


def test_a_hand_is_stepped_through_with_the_mouse_and_the_keys(opened, report):
    summary = "document.querySelector('.replay summary')"
    inside = "document.querySelector('.replay')"

    def step() -> tuple[int, str]:
        now = opened.run(f"{inside}.querySelector('.now').textContent")
        picture = opened.run(f"{inside}.querySelector('img').src")
        return int(now.split()[1]), picture

    opened.run(f"{summary}.focus()")
    opened.press("Enter")
    wait_until(opened, f"{inside}.querySelector('.now').textContent")
    moves = len(report.costly_hands[0].history["moves"])
    seen = [step()]
    forward = f"{inside}.querySelector('[data-go=forward]')"
    opened.run(f"{forward}.focus()")
    for _ in range(moves):
        opened.press("Enter")
        seen.append(step())
    assert [number for number, _ in seen] == list(range(moves + 1))
    assert len({picture for _, picture in seen}) > moves / 2
    opened.press("Enter")  # past the end
    assert step() == seen[-1]
    opened.run(f"{inside}.querySelector('[data-go=back]').click()")
    assert step() == seen[-2]
    opened.run(f"{inside}.querySelector('input').focus()")
    opened.press("Home")
    assert step() == seen[0]
    opened.run(f"{inside}.querySelector('[data-step=\"2\"]').click()")
    assert step() == seen[2]
    assert opened.run(f"{inside}.querySelector('[aria-current]').dataset.step") == "2"


def test_a_seat_sees_only_what_it_knew(opened):
    inside = "document.querySelector('.replay')"
    opened.run(f"{inside}.open = true")
    wait_until(opened, f"{inside}.querySelector('.now').textContent")
    pictures = []
    for view in range(3):
        opened.run(
            f"{{ const view = {inside}.querySelector('select'); view.value = {view};"
            " view.dispatchEvent(new Event('change')); }"
        )
        pictures.append(opened.run(f"decodeURIComponent({inside}.querySelector('img').src)"))
    assert [picture.count("2 cards") for picture in pictures] == [0, 1, 1]
    natural = f"{inside}.querySelector('img').decode().then(() => true)"
    assert opened.run(natural)


def test_dark_mode_has_light_text_on_dark_paper_in_charts_too(opened):
    def lightness(element: str, colour: str) -> float:
        script = f"getComputedStyle(document.querySelector({element!r})).{colour}"
        red, green, blue = opened.run(f"{script}.match(/[\\d.]+/g).slice(0, 3).map(Number)")
        return (red + green + blue) / 3

    for dark in (False, True):
        opened.look(dark=dark)
        paper = lightness("body", "backgroundColor")
        assert (paper < 60) == dark
        for element, colour in (
            ("body", "color"),
            (".xtick text", "fill"),
            (".legend text", "fill"),
            (".matrix td", "color"),
            (".note", "color"),
        ):
            assert abs(lightness(element, colour) - paper) > 90, (element, dark)
    assert opened.picture()[:4] == b"\x89PNG"


def test_a_phone_scrolls_only_inside_tables(opened):
    opened.look(width=320, height=640)
    opened.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert opened.run("document.documentElement.scrollWidth") == 320
    boxes = opened.run(
        "[...document.querySelectorAll('.scroll')].map(box => [box.scrollWidth > box.clientWidth,"
        " box.tabIndex, box.getAttribute('aria-label')])"
    )
    assert any(wide for wide, _, _ in boxes)
    assert all(tab == 0 and label for _, tab, label in boxes)
    small = opened.run(
        "[...document.querySelectorAll('.controls button')].filter(each => each.offsetWidth < 44)"
    )
    assert not small


def test_a_phone_shows_captions_and_the_titles_of_axes_whole(opened):
    opened.look(width=360, height=640)
    wait_until(opened, "document.querySelector('.plot svg').clientWidth < 360")
    beyond = (
        "[...document.querySelectorAll({!r})].filter(each => each.getBoundingClientRect().right >"
        " each.closest({!r}).getBoundingClientRect().right).length"
    )
    assert opened.run(beyond.format("caption:not(.hidden)", ".scroll")) == 0
    for part in (".g-xtitle text", ".g-ytitle text", ".xtick text"):
        assert opened.run(beyond.format(part, ".plot")) == 0


def test_it_prints_with_everything_unfolded(opened):
    opened.run(
        "addEventListener('beforeprint', () => {"
        " window.folded = document.querySelectorAll('details:not([open])').length }) || true"
    )
    pdf = opened.pdf()
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page") > 3
    assert opened.run("window.folded") == 0
    assert opened.run("document.querySelectorAll('details[open]').length") == 0


def test_paper_has_room_for_the_hands_of_all_agents_that_ship(chromium, page, report, tmp_path):
    names = [f"zoo:agent-{number}" for number in range(17)]
    hands = [HandCount(agent=name, hand="Pair", shown=20, won=10) for name in names]
    many = {
        "agents": (*report.agents, *(Entry(name=name, spec="tight") for name in names)),
        "shown_hands": (*report.shown_hands, *hands),
    }
    write_report(report.model_copy(update=many), tmp_path)
    chromium.look(width=A4_WIDTH, paper=True)
    chromium.open(tmp_path / "report.html")
    table = "document.querySelector('#hands table').getBoundingClientRect()"
    width = chromium.run(f"{table}.right")
    chromium.open(page)
    assert width <= A4_WIDTH * MOST_SHRUNK


def test_everything_has_a_name_for_screen_readers(opened):
    nameless = opened.run(
        "[...document.querySelectorAll('button, input, select, [role=img], [role=region]')]"
        ".filter(each => !(each.getAttribute('aria-label') || each.textContent).trim()).length"
    )
    assert nameless == 0
    assert opened.run("document.documentElement.lang") == "en"
    assert opened.run("document.querySelectorAll('table:not(:has(caption))').length") == 0
    assert opened.run("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size") == (
        opened.run("document.querySelectorAll('[id]').length")
    )


def test_charts_do_not_move_the_page(opened):
    assert opened.run(
        "[...document.querySelectorAll('.plot')].every("
        "e => Math.abs(e.getBoundingClientRect().height - parseFloat(e.style.height)) < 1)"
    )
