"""The page in a real browser: games by mouse and by keyboard, and nothing on the network."""

import json
import shutil

import pytest

from gops_lab.web import Solutions, exported_page, read_position

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
PHONE = 390


class Page:
    """A browser with our page in it."""

    def __init__(self, driver):
        self.driver = driver
        self.expects_refusal = False

    def open(self, address, ready="#stage :is(#value, form), #error:not(:empty)"):
        self.driver.get("about:blank")
        self.driver.get(address)
        self.await_(ready)

    def await_(self, selector):
        return WebDriverWait(self.driver, 20, 0.03).until(
            lambda driver: driver.find_elements(By.CSS_SELECTOR, selector)
        )

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.await_(selector)[0].click()

    def text(self, selector):
        return self.one(selector).text

    def values(self, selector):
        """Return the full numbers behind what is shown."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => +e.dataset.value)",
            selector,
        )

    def run(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def until(self, code):
        WebDriverWait(self.driver, 20, 0.03).until(lambda driver: self.run(f"return {code}"))

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    @property
    def focused(self):
        return self.run("return document.activeElement.id")

    @property
    def link(self):
        return self.run("return location.hash.slice(1)").split("&play=")[0]

    def tab_to(self, name):
        for _ in range(60):
            if self.focused == name:
                return
            self.press(Keys.TAB)
        raise AssertionError(f"{name} cannot be reached with the Tab key")


@pytest.fixture(scope="module")
def browser():
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not (chromium and chromedriver):
        pytest.skip("no chromium with its chromedriver here; Debian: chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, "--window-size=1280,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, server):
    """The browser; afterwards nothing was complained about, and nothing asked elsewhere."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    page = Page(browser)
    yield page
    # Chromium itself notes what a server refuses.
    refused = "the server responded with a status of 400"
    noted = [entry["message"] for entry in browser.get_log("browser")]
    assert [message for message in noted if refused not in message] == []
    assert bool(noted) == page.expects_refusal
    asked = [
        message["params"]["request"]["url"]
        for message in (
            json.loads(entry["message"])["message"] for entry in browser.get_log("performance")
        )
        if message["method"] == "Network.requestWillBeSent"
    ]
    allowed = (server.url, "file:///", "data:image/svg+xml", "blob:", "about:", "chrome")
    assert [url for url in asked if not url.startswith(allowed)] == []


def expect_position(page, data):
    """Every number of a position stands on the page as it was answered."""
    assert page.values("#value") == [data["value"]]
    stage = data["stage"]
    assert page.values(".heat button") == [payoff for row in stage["payoffs"] for payoff in row]
    for player in "ab":
        rows = f"#bids-{player} tbody"
        assert page.values(f"{rows} td:nth-of-type(1)") == [
            bid["probability"] for bid in stage[player]
        ]
        assert page.values(f"{rows} .given") == [bid["given_away"] for bid in stage[player]]
        shown = [row.text.split()[0] for row in page.all(f"{rows} td:nth-of-type(1)")]
        assert [float(number.strip(",")) for number in shown] == [
            round(bid["probability"], 4) for bid in stage[player]
        ]
        drawn = page.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => ['--least', '--greatest']"
            ".map(name => +getComputedStyle(e).getPropertyValue(name)))", f"{rows} .track",
        )
        assert drawn == [[bid["least"], bid["greatest"]] for bid in stage[player]]


LATE = (
    "cards=6&objective=win&at_hand_a=1,3,5&at_hand_b=2,3,6&at_prizes=1,4&at_upcard=5&at_carried=2"
    "&at_lead=3"
)


@pytest.mark.parametrize("link", ["cards=4&line=3", LATE])
def test_the_numbers_on_the_page_are_those_of_the_answer(page, server, link):
    page.open(f"{server.url}#{link}")
    expect_position(page, server.ask("position", link=link)[1])


def test_a_position_is_walked_through(page, server):
    page.open(f"{server.url}#cards=4")
    page.click("#prize-3")
    page.await_(".heat")
    page.run("document.getElementById('cell-2-4').focus()")
    assert "B takes 3" in page.text("#pair")
    page.click("#cell-2-2")  # a tie
    page.await_("#prize-4")
    assert page.text(".tied") == "3\ntied"
    page.click("#prize-4")
    page.click("#card-a-0")  # both cards are chosen in the hands
    page.click("#card-b-3")
    page.await_("#prize-1")
    assert page.link == "cards=4&line=3:2:2,4:1:4"
    assert page.text(".seat-b .captured") == "captured\n3\n4\n7"
    page.click("#round-1")
    page.until("location.hash === '#cards=4&line=3'")
    expect_position(page, server.ask("position", link="cards=4&line=3")[1])
    for _ in range(3):
        page.await_("#forward:not(:disabled)")
        before = page.link
        page.click("#forward")
        page.until(f"location.hash !== '#{before}'")
    assert page.link == "cards=4&line=3:2:2,4:1:4"
    page.driver.back()
    page.until("document.getElementById('status').textContent.includes('Prize 4 is exposed')")
    page.click("#back")
    page.until("location.hash === '#cards=4&line=3:2:2'")


def test_rules_and_positions_are_typed(page, server):
    page.open(f"{server.url}#cards=4")
    page.run("for (const box of document.querySelectorAll('details')) box.open = true")
    page.one("#rules-ties [value=split]").click()
    page.one("#rules-cards").clear()
    page.one("#rules-cards").send_keys("5", Keys.ENTER)
    page.until("location.hash === '#cards=5&ties=split'")
    for name, written in {"hand_a": "1 5", "hand_b": "2, 4", "prizes": "3", "upcard": "2"}.items():
        field = page.one(f"#at-{name}")
        field.clear()
        field.send_keys(written)
    page.click("#show")
    page.until("location.hash.includes('at_hand_a=1,5')")
    page.await_(".heat")
    expect_position(page, server.ask("position", link=page.link)[1])
    before = page.link
    page.one("#at-hand_a").clear()
    page.one("#at-hand_a").send_keys("7 8", Keys.ENTER)
    page.expects_refusal = True
    page.await_("#error:not(:empty)")
    assert "hand_a (7, 8) holds 7" in page.text("#error")
    assert page.link == before


def test_a_whole_game_is_played_by_clicks(page, server):
    page.open(f"{server.url}#cards=4&ties=discard")
    page.click("#mode-play")
    page.one("#against [value=match]").click()
    page.click("#deal")
    for count in (4, 3, 2, 1):
        page.until(f"document.querySelectorAll('.seat-a button.card').length === {count}")
        if count == 3:
            page.click("#hint")
            page.await_("#hint-text")
            data = server.ask("position", link=page.link)[1]
            assert page.values("#bids-a .given") == [
                bid["given_away"] for bid in data["stage"]["a"]
            ]
        # The first bid is a bad one, whatever was drawn: the lowest card for a high prize, the
        # highest for a low one.
        high = read_position(page.link).line.state.upcard > 2
        page.all(".seat-a button.card")[0 if high or count < 4 else -1].click()
    page.await_("#result")
    link = page.link
    assert len(read_position(link).line.rounds) == 4
    points = server.ask("table", link=link)[1]["points"]
    assert f"{points[0]} to {points[1]}" in page.text("#result")
    page.click("#review")
    page.await_(".review")
    rounds = server.ask("review", link=link, against="match")[1]["rounds"]
    assert page.values(".review tbody td:nth-of-type(2)") == [one["value"] for one in rounds]
    for column, player in ((4, "a"), (7, "b")):
        assert page.values(f".review tbody td:nth-of-type({column})") == [
            one[f"given_away_{player}"] for one in rounds
        ]
    assert sum(one["given_away_a"] for one in rounds) > 0
    assert [cell.text for cell in page.all(".review tbody td:last-child")] == [
        f"{one['upcard']} 100 %" for one in rounds
    ]


def test_a_whole_match_is_played_with_the_keyboard(page, server):
    page.open(f"{server.url}#cards=3&objective=win")
    page.tab_to("mode-play")
    page.press(Keys.ENTER)
    page.await_("#setup")
    page.run("document.activeElement.blur()")
    page.tab_to("games-1")
    page.press(Keys.ARROW_DOWN)
    assert page.focused == "games-3"
    page.tab_to("deal")
    page.press(Keys.ENTER)
    for game in (1, 2, 3):
        for count in (3, 2, 1):
            page.until(
                f"document.querySelectorAll('.seat-a button.card').length === {count}"
                " && document.activeElement.closest('.seat-a')"
            )
            assert "is exposed" in page.text("#status")
            if count == 3:
                page.press(Keys.ARROW_RIGHT)
            page.press(Keys.ENTER)
        page.await_("#result")
        page.until("document.activeElement.id !== ''")
        assert page.focused == ("next-game" if game < 3 else "review")
        page.press(Keys.ENTER)
    page.await_(".review")
    assert len(page.all(".review")) == 3
    position = read_position(page.link)
    assert (position.game, position.line.is_over) == (3, True)
    assert [line.rounds[0].bid_a for line in position.lines] == [2, 2, 2]
    last = server.ask("review", link=page.link)[1]["rounds"]
    assert page.values(".scroll:last-child tbody td:nth-of-type(2)") == [
        one["value"] for one in last
    ]


def test_the_way_back_from_a_game_is_the_position_it_was_begun_at(page, server):
    page.open(f"{server.url}#cards=3&line=2")
    page.click("#mode-play")
    page.click("#deal")
    page.click(".seat-a button.card")
    page.until("document.querySelectorAll('.seat-a button.card').length === 2")
    page.driver.back()
    page.until("location.hash === '#cards=3&line=2'")
    page.await_(".heat")
    page.driver.forward()  # no bid was taken back meanwhile
    page.until("document.querySelectorAll('.seat-a button.card').length === 2")


def test_the_stage_game_is_read_with_arrow_keys(page, server):
    page.open(f"{server.url}#cards=4&line=3")
    page.tab_to("cell-1-1")
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert page.focused == "cell-2-1"  # the end of a row is the end
    assert page.text("#pair").startswith("A 2, B 1: A takes 3")
    page.press(Keys.ENTER)
    page.until("document.activeElement.id === 'prize-1'")
    page.press(Keys.ARROW_RIGHT, Keys.ENTER)
    page.until("document.activeElement.id === 'cell-1-2'")
    assert page.link == "cards=4&line=3:2:1,2"


@pytest.mark.parametrize(
    "link",
    ["cards=4&line=<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>",
     "cards=999999999999", "cards=4&play=<img src=x onerror=window.hacked=1>&seed=1"],
)
def test_hostile_links_are_one_sentence(page, server, link):
    page.open(f"{server.url}#{link}", "#error:not(:empty), .seat-a button.card")
    if "play=" in link:
        page.click(".seat-a button.card")
        page.await_("#error:not(:empty)")
    page.await_("#table .seat")  # something is shown all the same
    page.await_("#error:not(:empty)")
    assert page.run("return window.hacked === undefined")
    page.expects_refusal = True


def test_an_answer_that_is_late_says_nothing_about_what_came_after_it(page, server):
    page.open(f"{server.url}#cards=4&line=3")
    page.run("""
        const ask = window.fetch;
        window.late = 0;
        window.fetch = async (address) => {
          if (address.includes("1%3A1")) await new Promise((done) => setTimeout(done, 600));
          const answer = await ask(address);
          if (address.includes("1%3A1")) setTimeout(() => { window.late += 1; }, 100);
          return answer;
        };
        document.getElementById("cell-1-1").click();
        document.getElementById("cell-2-1").click();
    """)
    page.until("window.late > 0")
    assert page.text("#status").startswith("A bid 2, B bid 1: A takes 3.")
    assert page.link == "cards=4&line=3:2:1"


def test_a_server_that_is_gone_is_one_sentence(page, server):
    page.open(f"{server.url}#cards=4&line=3")
    page.run("window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
    page.click("#cell-2-2")
    page.await_("#error:not(:empty)")
    assert page.text("#error") == (
        "the server does not answer: is gops-lab explore still running?"
    )
    assert page.link == "cards=4&line=3"


def test_everything_can_be_named_by_a_screen_reader(page, server):
    page.open(f"{server.url}#cards=4&line=3:2:2,4")
    page.run("for (const box of document.querySelectorAll('details')) box.open = true")
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {}
    for node in tree:
        if not node.get("ignored"):
            name = node.get("name", {}).get("value", "")
            roles.setdefault(node["role"]["value"], []).append(name)
    for role in ("button", "textbox", "combobox", "table", "group", "region", "image"):
        assert roles[role], role
        assert all(roles[role]), f"a {role} has no name"
    assert "A: bid 3" in roles["button"]
    assert "prize 4 is exposed" in roles["image"]
    assert "tied prizes on the table: 3 points" in roles["image"]
    assert page.one("#status").get_attribute("aria-live") == "polite"
    assert "Prize 4 is exposed, 7 at stake" in page.text("#status")


# Contrast as WCAG 2 defines it: 4.5 for text, 3 for large text. Colours are drawn to be read, since
# the style mixes them in other spaces than sRGB.
FAINT = """
const pen = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
const rgba = (colour) => {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
const luminance = (colour) => colour.slice(0, 3).map((part) => part / 255)
  .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
return [...document.querySelectorAll("body *")].filter((element) => {
  const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!text || !element.checkVisibility()) return false;
  if (element.closest(".hidden, noscript, option, :disabled")) return false;
  let [opacity, layers] = [1, []];
  for (let one = element; one; one = one.parentElement) {
    opacity *= getComputedStyle(one).opacity;
    layers.unshift(rgba(getComputedStyle(one).backgroundColor));
  }
  const paper = layers.reduce((under, top) => over(top, under), [255, 255, 255]);
  const style = getComputedStyle(element);
  const ink = rgba(style.color);
  ink[3] *= opacity;
  const [dark, light] = [luminance(paper), luminance(over(ink, paper))].sort((a, b) => a - b);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  return (light + 0.05) / (dark + 0.05) < (large ? 3 : 4.5);
}).map((element) => `${element.className} ${element.textContent}`);
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_that_is_written_can_be_read(page, server, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        over = "cards=1&line=1:1:1&play=match"
        for link in ("cards=5&line=5:3:3,4", "cards=13&line=7:9:9,4", over):
            page.open(f"{server.url}#{link}", "#stage :is(#value, h2)")
            page.run("for (const box of document.querySelectorAll('details')) box.open = true")
            if link == over:
                page.click("#review")
                page.await_(".review")
            assert page.run(FAINT) == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_dark_light_and_the_width_of_a_phone(page, server):
    shades = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        page.open(f"{server.url}#cards=4&line=3")
        shades[scheme] = page.run("return getComputedStyle(document.body).backgroundColor")
    assert shades["light"] != shades["dark"]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    size = {"width": PHONE, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for link in ("cards=13&line=7", "cards=4&line=3:2:2"):
            page.open(f"{server.url}#{link}")
            assert page.run("return document.documentElement.scrollWidth") <= PHONE
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_game_in_a_file_is_explored_and_played(page, server, tmp_path):
    file = tmp_path / "four.html"
    file.write_text(exported_page(read_position("cards=4"), Solutions()), encoding="utf-8")
    page.open(file.as_uri())
    page.click("#prize-3")
    page.click("#cell-2-2")
    page.click("#prize-1")
    page.await_(".heat")
    data = server.ask("position", link="cards=4&line=3:2:2,1")[1]
    assert page.values("#value") == pytest.approx([data["value"]], abs=1e-8)
    payoffs = [payoff for row in data["stage"]["payoffs"] for payoff in row]
    assert page.values(".heat button") == pytest.approx(payoffs, abs=1e-8)
    assert page.text(".tied") == "3\ntied"
    page.click("#mode-play")
    page.click("#deal")
    for count in (4, 3, 2, 1):
        page.until(f"document.querySelectorAll('.seat-a button.card').length === {count}")
        page.all(".seat-a button.card")[0].click()
    page.click("#review")
    page.await_(".review")
    rounds = server.ask("review", link=page.link)[1]["rounds"]
    told = page.values(".review tbody td:nth-of-type(2)")
    assert told == pytest.approx([one["value"] for one in rounds], abs=1e-8)


def test_a_file_refuses_links_that_it_cannot_follow(page, tmp_path):
    file = tmp_path / "two.html"
    file.write_text(exported_page(read_position("cards=2"), Solutions()), encoding="utf-8")
    for link, sentence in {
        "cards=3": "another game",
        "cards=2&at_lead=5": "another game",
        "garbage": "another game",
        "cards=2&line=null": "rounds like 5:3:4",
        "cards=2&line=1:1": "rounds like 5:3:4",
        "cards=2&line=1:9:1": "9 is not among 1, 2",
        "cards=2&line=1:1:1/2": "not in the file",
    }.items():
        page.open(f"{file.as_uri()}#{link}", "#error:not(:empty)")
        assert sentence in page.text("#error")
        page.await_("#value")  # something is shown all the same


def test_a_line_of_the_full_deck_in_a_file(page, server, tmp_path):
    link = "cards=13&line=7:9:9,4:2:3"
    file = tmp_path / "line.html"
    file.write_text(exported_page(read_position(link), Solutions()), encoding="utf-8")
    page.open(file.as_uri())
    page.click("#round-2")
    page.await_(".heat")
    data = server.ask("position", link="cards=13&line=7:9:9,4")[1]
    assert page.values("#value") == pytest.approx([data["value"]], abs=1e-8)
    page.click("#cell-1-1")
    page.await_("#error:not(:empty)")
    assert "holds one line of play" in page.text("#error")
    page.click("#forward")
    page.await_("#error:empty")
    assert page.text(".seat-b .captured") == "captured\n7\n4\n11"


def test_the_page_saves_itself_as_a_file(page, server, tmp_path):
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    page.open(f"{server.url}#cards=3")
    page.click("#save")
    page.until("document.getElementById('status').textContent === 'The file is saved.'")
    WebDriverWait(page.driver, 30, 0.05).until(lambda _: (tmp_path / "gops-3-cards.html").exists())
