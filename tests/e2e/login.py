"""A person logs in and out in a real browser.

Usage: login.py RM LOG-PAGE ELSEWHERE END TOKEN-FILE FOLDER

ELSEWHERE is a path of the RM that redirects to another origin, and from there to END."""
import sys

from browser import Browser


def check(what, ok):
    if not ok:
        sys.exit(f"FAIL: {what}")


def click(b, selector):
    b.js(f"document.querySelector('{selector}').click()")


def main():
    rm, log, elsewhere, end, token_file, folder = sys.argv[1:]
    with open(token_file, encoding="utf-8") as f:
        token = f.readline().strip()
    with Browser(folder) as b:
        b.open(log)
        check("a log needs a user", "Who are you?" in b.js("document.body.innerText"))
        click(b, "main a")
        b.wait("document.querySelector('input[name=token]') != null")
        b.js("document.querySelector('input[name=token]').value = 'wrong'")
        click(b, "main button")
        b.wait("document.querySelector('[role=alert]') != null")
        b.js(f"document.querySelector('input[name=token]').value = '{token}'")
        click(b, "main button")
        b.wait(f"location.href == '{log}' && document.body?.innerText.includes('hidden')")
        check("no script sees the cookie", b.js("document.cookie") == "")
        b.open(rm + "/conf")
        check("the other daemon knows the user", "creel.auth" in b.js("document.body.innerText"))
        b.open(rm.replace("127.0.0.1", "localhost") + "/conf")
        check("another host does not", "Who are you?" in b.js("document.body.innerText"))
        b.open(rm + "/login")
        check("the page says who it is", "You are ann" in b.js("document.body.innerText"))
        click(b, "main button")
        b.wait("document.body?.innerText.includes('has forgotten')")
        b.open(log)
        check("logged out", "Who are you?" in b.js("document.body.innerText"))
        b.open(rm + "/login?to=" + elsewhere)
        b.js(f"document.querySelector('input[name=token]').value = '{token}'")
        click(b, "main button")
        b.wait(f"location.href == '{end}'")


main()
