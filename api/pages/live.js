/* Keeps a page up to date: fetches it again every few seconds, and carries over what has changed
 * between the element "live" there and the one here. Stops while nobody looks, and when paused. */
(function () {
    'use strict';
    const SHORTEST_MS = 3000;
    const LONGEST_MS = 60000;
    const live = document.getElementById('live');
    const bar = document.querySelector('.live');
    if (!live || !bar || !window.fetch || !window.DOMParser)
        return;
    const status = bar.querySelector('[role=status]');
    const button = bar.querySelector('button');
    let wait = SHORTEST_MS;
    let timer = 0;
    let busy = false;
    let paused = false;
    let heard = new Date();

    function say(text, kind) {
        if (status.textContent !== text) /* else screen readers would repeat it */
            status.textContent = text;
        status.className = kind;
    }

    function carryOverAttributes(old, now) {
        for (const a of Array.from(old.attributes))
            if (!now.hasAttribute(a.name) && a.name !== 'open')
                old.removeAttribute(a.name);
        for (const a of now.attributes)
            if (old.getAttribute(a.name) !== a.value)
                old.setAttribute(a.name, a.value);
    }

    /* Makes @old equal to @now in place, so that focus, selection and scrolling stay. Elements
     * with an id are told apart by it. */
    function carryOver(old, now) {
        const kept = new Set(Array.from(now.children, c => c.id).filter(id => id));
        let at = old.firstChild;

        carryOverAttributes(old, now);
        for (const n of now.childNodes) {
            while (at && at.id && !kept.has(at.id)) {
                const gone = at;
                at = at.nextSibling;
                gone.remove();
            }
            const same = at && at.nodeName === n.nodeName && (at.id || '') === (n.id || '');
            const moved = same || !n.id ? null : Array.from(old.children).find(c => c.id === n.id);
            if (moved) {
                old.insertBefore(moved, at);
                carryOver(moved, n);
            } else if (!same) {
                old.insertBefore(document.importNode(n, true), at);
            } else {
                if (n.nodeType === Node.ELEMENT_NODE)
                    carryOver(at, n);
                else if (at.nodeValue !== n.nodeValue)
                    at.nodeValue = n.nodeValue;
                at = at.nextSibling;
            }
        }
        while (at) {
            const gone = at;
            at = at.nextSibling;
            gone.remove();
        }
    }

    async function fetchPage() {
        const answer = await fetch(location.href, {
            headers: {Accept: 'text/html'},
            cache: 'no-store',
            signal: AbortSignal.timeout(30000),
        });

        if (answer.status === 401) /* the session has ended: the page itself says so */
            location.reload();
        if (!answer.ok)
            throw new Error('status ' + answer.status);
        return new DOMParser().parseFromString(await answer.text(), 'text/html');
    }

    async function update() {
        const begun = performance.now();

        timer = 0;
        if (busy || paused || document.hidden)
            return;
        busy = true;
        try {
            const fresh = (await fetchPage()).getElementById('live');
            if (!fresh) { /* nothing changes any more */
                location.reload();
                return;
            }
            carryOver(live, fresh);
            heard = new Date();
            wait = Math.max(SHORTEST_MS, 20 * (performance.now() - begun));
            if (!paused)
                say('Live', 'good');
        } catch (e) {
            say('No answer since ' + heard.toLocaleTimeString() + '; trying again', 'bad');
            wait = Math.min(2 * wait, LONGEST_MS);
        }
        busy = false;
        schedule(wait);
    }

    function schedule(ms) {
        clearTimeout(timer);
        timer = setTimeout(update, ms);
    }

    button.addEventListener('click', () => {
        paused = !paused;
        button.textContent = paused ? 'Continue' : 'Pause';
        button.setAttribute('aria-pressed', String(paused));
        say(paused ? 'Paused' : 'Live', paused ? '' : 'good');
        if (!paused)
            update();
    });
    document.addEventListener('visibilitychange', () => {
        if (!document.hidden && !timer)
            update();
    });
    bar.hidden = false;
    say('Live', 'good');
    schedule(SHORTEST_MS);
})();
