#!/usr/bin/env python3
"""Looks at the ResourceManager's pages in Chromium.

  rm_pages.py RM JOB GO FOLDER     the RM's URL; a job that runs until the file GO is there"""
import sys

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402

# The least contrast between the texts of a page and what is behind them (WCAG 2, 1.4.3).
CONTRAST = """(() => {
    const rgb = c => c.match(/[0-9.]+/g).map(Number);
    const light = c => {
        const [r, g, b] = c.slice(0, 3).map(x => x / 255)
            .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = e => {
        for (; e; e = e.parentElement) {
            const c = rgb(getComputedStyle(e).backgroundColor);
            if (c.length < 4 || c[3] > 0)
                return c;
        }
        return [255, 255, 255];
    };
    let least = [99, ''];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const e = texts.currentNode.parentElement;
        if (!texts.currentNode.nodeValue.trim() || !e.getClientRects().length)
            continue;
        const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < least[0])
            least = [contrast, e.outerHTML.slice(0, 200)];
    }
    return least;
})()"""


def check(what, true):
    if not true:
        sys.exit(f"FAIL: {what}")
    print("ok", what)


def check_looks(b, rm, job):
    """Nothing is wider than the screen, and all texts stand out."""
    paths = ("/cluster", "/cluster/app/" + job, "/cluster/nodes", "/cluster/scheduler")
    paths += ("/cluster/nodelabels", "/cluster/cluster", "/cluster/app/application_1_0001")
    for width, dark in ((1300, False), (390, True), (390, False), (1300, True)):
        b.show(width, 900, dark)
        for path in paths:
            b.open(rm + path)
            at = f"{path} at {width} px, {'dark' if dark else 'light'}"
            wide = b.js("document.documentElement.scrollWidth")
            check(f"{at}: {wide} px wide", wide <= width)
            contrast, text = b.js(CONTRAST)
            text = text if contrast < 4.5 else ""
            check(f"{at}: contrast {contrast:.1f} {text}", contrast >= 4.5)


def check_live(b, rm, job, go):
    """The list renews itself in place: the row and the focus stay."""
    b.show(1300, 900, False)
    b.open(rm + "/cluster")
    b.wait("document.querySelector('.live [role=status]').textContent == 'Live'")
    b.js(f"row = document.getElementById('{job}'); link = row.querySelector('a'); link.focus()")
    check("the job runs", "RUNNING" in b.js("row.textContent"))
    with open(go, "w", encoding="utf-8"):
        pass
    b.wait("row.textContent.includes('FINISHED')")
    check("the row stayed", b.js("row.isConnected"))
    check("the focus stayed", b.js("document.activeElement == link"))


def check_keyboard(b, rm):
    b.open(rm + "/cluster")
    b.key("Tab", 9)
    check("the first stop skips the links", b.js("document.activeElement.className") == "skip")
    b.key("Enter", 13)
    b.wait("location.hash == '#main'")
    check("it leads to the content", b.js("document.activeElement.id") == "main")
    b.js("document.querySelector('.live button').focus()")
    b.key("Enter", 13)
    check("Enter pauses", b.js("document.querySelector('.live').innerText") == "Paused Continue")
    pressed = b.js("document.querySelector('.live button').getAttribute('aria-pressed')")
    check("and says so", pressed == "true")
    stops = "[...document.querySelectorAll('a, button, input, select')].every(e => e.tabIndex >= 0)"
    check("all can be reached", b.js(stops))


def check_without_scripts(b, rm, job):
    b.ask("Emulation.setScriptExecutionDisabled", value=True)
    b.open(rm + "/cluster/app/" + job)
    bars = "document.querySelectorAll('td.time rect.map').length"
    check("three tasks on the time line", b.js(bars) == 3)
    check("nothing about scripts", b.js("!document.querySelector('.live:not([hidden])')"))
    b.ask("Emulation.setScriptExecutionDisabled", value=False)


def main():
    rm, job, go, folder = sys.argv[1:]
    with Browser(folder) as b:
        check_looks(b, rm, job)
        check_live(b, rm, job, go)
        check_keyboard(b, rm)
        check_without_scripts(b, rm, job)
        b.open(rm + "/cluster/app/" + job)
        check("no name is a script", b.js("document.title").startswith("<script>"))
        check(f"no error in the browser {b.faults}", not b.faults)


main()
