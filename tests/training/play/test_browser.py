"""The page in a real browser: whole hands by mouse and by keyboard, sizes, colours, access."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright
from sabacc_training.play.table_folder import TableFolder

from sabacc_env import rule_sets
from tests.support.play_server import new_table, serving

CHROMIUM = shutil.which("chromium")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

SHORT = (("casino", 2, "keyboard"), ("spacers", 8, "mouse"))
"""The hands of the default tests; the slow ones have all."""
every_hand = [
    pytest.param(*hand, marks=() if hand in SHORT else pytest.mark.slow)
    for hand in itertools.product(rule_sets(), (2, 8), ("keyboard", "mouse"))
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableFolder, str]]:
    with serving(tmp_path_factory.mktemp("play")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page; whatever it complains about fails the test."""
    context = browser.new_context(reduced_motion="reduce")
    found = context.new_page()
    problems: list[str] = []
    found.on("pageerror", lambda error: problems.append(str(error)))
    found.on(
        "console",
        lambda said: (
            problems.append(said.text)
            if said.type in ("error", "warning") and "status of 400" not in said.text
            else None
        ),
    )
    yield found
    context.close()
    assert not problems


def sit_down(page: Page, server: tuple[TableFolder, str], *seats: str, **keys: Any) -> None:
    tables, address = server
    page.goto(f"http://{address}/table/{new_table(tables, *seats, **keys)}")
    page.wait_for_selector("#table article")


def next_turn(page: Page) -> bool:
    """Wait until there is a move to make, or the hand is over; say which."""
    page.wait_for_selector("#actions [data-shortcut], #next, #actions a")
    return page.query_selector("#actions [data-shortcut]") is not None


def until(page: Page, condition: str) -> None:
    """Wait until an expression is true; Playwright's own way needs eval, which the page forbids."""
    for _ in range(600):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {condition}")


def turn_of(page: Page) -> int:
    return int(page.evaluate("table.turn"))


def play_by(page: Page, how: str, moves: int = 200) -> int:
    """Play the hand to its end; return the number of moves."""
    for made in range(moves):
        if not next_turn(page):
            return made
        turn = turn_of(page)
        buttons = page.locator("#actions [data-shortcut]:not(.junk)")
        place = made % 3 % buttons.count() if buttons.count() else 0
        if how == "keyboard":
            page.keyboard.press(str(place + 1) if buttons.count() else "1")
        else:
            page.locator("#actions [data-shortcut]").nth(place).click()
        until(page, f"table.turn !== {turn}")
    raise AssertionError("the hand does not end")


@pytest.mark.parametrize(("rules", "num_players", "how"), every_hand)
def test_whole_hands(
    page: Page, server: tuple[TableFolder, str], rules: str, num_players: int, how: str
) -> None:
    agents = ["calling_station"] * (num_players - 1)
    sit_down(page, server, "person", *agents, rules=rules, hands=2)
    for hand in (1, 2):
        assert f"hand {hand} of 2" in page.inner_text("#position")
        assert play_by(page, how) > 0
        assert "pot of" in page.inner_text("#status")
        if hand == 1:
            if how == "keyboard":
                page.keyboard.press("n")
            else:
                page.click("#next")
            until(page, "table.hand === 2")
    assert "The match is over" in page.inner_text("#status")


def test_an_amount_is_raised_by_keyboard_alone(page: Page, server: tuple[TableFolder, str]) -> None:
    sit_down(page, server, "person", "calling_station", rules="casino", hands=1)
    while next_turn(page) and page.query_selector("#amount") is None:
        turn = turn_of(page)
        page.keyboard.press("1")
        until(page, f"table.turn !== {turn}")
    page.keyboard.press("r")
    page.keyboard.type("17")
    page.keyboard.press("Enter")
    until(page, "table.log.some((entry) => entry.text.startsWith('You raise to 17'))")


@pytest.mark.parametrize(
    ("num_players", "scheme"),
    [
        (8, "dark"),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((2, "light"), (8, "light"))),
    ],
)
def test_nothing_overflows_and_everyone_can_use_it(
    browser: Browser, server: tuple[TableFolder, str], num_players: int, scheme: Any
) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    sit_down(page, server, "person", *["tight"] * (num_players - 1), rules="three_en", hands=1)
    next_turn(page)
    page.keyboard.press("h")
    page.wait_for_selector("#advice table")
    for width in (320, 768, 1440, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious(page) == []
    play_by(page, "keyboard")
    page.keyboard.press("c")
    page.wait_for_selector("#advice table")
    assert serious(page) == []
    page.click("#show-keys")
    assert serious(page) == []
    context.close()


def serious(page: Page) -> list[str]:
    """Return what axe-core finds that is serious or critical."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html']}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_a_new_table_is_opened_by_the_page(page: Page, server: tuple[TableFolder, str]) -> None:
    page.goto(f"http://{server[1]}/")
    page.select_option("#rules", "spacers")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.select_option("#players", "3")
    assert page.locator("#who select").count() == 3
    assert serious(page) == []
    page.click("text=House rules")
    page.fill("#house-rules", "hand_ante=0.5")
    page.click("text=Sit down")
    until(page, "document.getElementById('alert').textContent.includes('hand_ante')")
    page.fill("#house-rules", "")
    page.click("text=Sit down")
    page.wait_for_selector("#table article")
    assert page.locator("#table article").count() == 3
    page.click("#show-rules")
    page.wait_for_selector("#rules-page[open]")
    assert "Spacers" in page.inner_text("#rules-page")
    assert "stand: change nothing." in page.locator("#rules-page li").all_inner_texts()
    assert page.evaluate("document.getElementById('rules-page').scrollTop") == 0


def test_the_first_hand_has_a_guide(page: Page, server: tuple[TableFolder, str]) -> None:
    page.goto(f"http://{server[1]}/")
    page.click("#first-hand")
    page.wait_for_selector("#guide:not([hidden])")
    assert "Welcome" in page.inner_text("#guide")
    assert "stand: change nothing." in page.locator("#guide li").all_inner_texts()
    assert serious(page) == []
    play_by(page, "mouse")
    until(page, "table.guide[0].startsWith('That was a hand')")


def test_a_reload_and_a_lost_connection_change_nothing(
    page: Page, server: tuple[TableFolder, str]
) -> None:
    sit_down(page, server, "person", "tight", rules="casino", hands=1)
    next_turn(page)
    before = page.evaluate("JSON.stringify(table)")
    page.reload()
    next_turn(page)
    assert page.evaluate("JSON.stringify(table)") == before
    page.context.set_offline(True)
    page.context.set_offline(False)
    turn = turn_of(page)
    page.keyboard.press("1")
    until(page, f"table.turn !== {turn}")


def test_a_page_whose_table_cannot_be_read_says_so(
    page: Page, server: tuple[TableFolder, str]
) -> None:
    sit_down(page, server, "person", "tight", rules="casino")
    page.evaluate("connect('none')")  # as after a restart of the server without this table's file
    until(page, "document.getElementById('alert').textContent.endsWith('Trying again.')")
    assert "there is no such table" in page.inner_text("#alert")


def turn_that_stays(page: Page) -> int:
    """Wait until nothing happens at the table for a while: a busy machine pauses late."""
    for _ in range(60):
        turn = turn_of(page)
        page.wait_for_timeout(300)
        if turn_of(page) == turn:
            return turn
    raise AssertionError("the table goes on")


def test_agents_are_watched_with_pause_and_speed(
    page: Page, server: tuple[TableFolder, str]
) -> None:
    sit_down(page, server, "tight", "loose", rules="casino", hands=500)
    page.wait_for_selector("#pause")
    assert page.inner_text("#speed option:checked") == "at once"  # what the server was started with
    page.keyboard.press("p")
    turn = turn_that_stays(page)
    assert not page.evaluate("table.match_over")
    page.reload()
    page.wait_for_selector("#pause:has-text('Go on')")
    assert turn_of(page) == turn
    page.keyboard.press("p")
    until(page, f"table.turn > {turn}")
