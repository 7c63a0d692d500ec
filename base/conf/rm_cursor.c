#include "base/conf/rm_cursor.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define SEPARATORS ", \t\r\n"

/* ---- addresses ---- */

static bool has_http_scheme(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

size_t base_rm_url_base_len(const char *url)
{
    const char *slashes = has_http_scheme(url) ? strstr(url, "://") + 3 : NULL;
    size_t host = slashes ? strcspn(slashes, "/?#") : 0;

    return host ? (size_t)(slashes - url) + host : 0;
}

/* Returns the length of @s, which is @n bytes long, without the slashes at its end. */
static size_t len_without_trailing_slashes(const char *s, size_t n)
{
    while (n > 0 && s[n - 1] == '/')
        n--;
    return n;
}

bool base_rm_url_is_in_list(const char *list, const char *url)
{
    size_t len = len_without_trailing_slashes(url, strlen(url));

    while (*list) {
        size_t skip = strspn(list, SEPARATORS), n = strcspn(list + skip, SEPARATORS);
        size_t bare = len_without_trailing_slashes(list + skip, n);

        if (bare == len && bare > 0 && strncasecmp(list + skip, url, len) == 0)
            return true;
        list += skip + n;
    }
    return false;
}

/* ---- cursor ---- */

void base_rm_cursor_init(struct base_rm_cursor *t, const struct base_rm_list *list)
{
    base_assert(list->n > 0);
    *t = (struct base_rm_cursor){.list = list};
}

void base_rm_cursor_free(struct base_rm_cursor *t)
{
    base_buf_free(&t->failed);
}

const char *base_rm_cursor_url(const struct base_rm_cursor *t)
{
    return t->moved[0] ? t->moved : t->list->url[t->at];
}

const char *base_rm_cursor_failed_urls(const struct base_rm_cursor *t)
{
    return t->failed.len ? t->failed.data : NULL;
}

static bool has_failed(const struct base_rm_cursor *t, const char *url)
{
    return t->failed.len && base_rm_url_is_in_list(t->failed.data, url);
}

void base_rm_cursor_note_success(struct base_rm_cursor *t)
{
    t->answered = true;
    t->hops = 0;
    base_buf_free(&t->failed);
}

bool base_rm_cursor_fail_and_advance(struct base_rm_cursor *t)
{
    size_t n = t->list->n;
    /* When the failed RM is not in the list, a redirect led to it. The listed RM at t->at is then
     * asked again first, and learns from our header that the target has failed. */
    bool unlisted = t->moved[0];

    base_buf_addf(&t->failed, "%s%s", t->failed.len ? "," : "", base_rm_cursor_url(t));
    t->moved[0] = '\0';
    t->answered = false;
    for (size_t k = unlisted ? 0 : 1; k < n + (unlisted ? 0 : 1); k++) {
        size_t next = (t->at + k) % n;

        if (!has_failed(t, t->list->url[next])) {
            t->at = next;
            return true;
        }
    }
    t->at = (t->at + 1) % n;
    t->hops = 0;
    base_buf_free(&t->failed);
    return false;
}

/* Returns the index of @url in the list, or l->n when it is not listed. A @url without a path also
 * matches a listed URL with one. */
static size_t find_listed_rm(const struct base_rm_list *l, const char *url)
{
    size_t n = base_rm_url_base_len(url), i = 0;

    while (i < l->n && !(strcasecmp(l->url[i], url) == 0 ||
                         (url[n] == '\0' && base_rm_url_base_len(l->url[i]) == n &&
                          strncasecmp(l->url[i], url, n) == 0)))
        i++;
    return i;
}

/* Makes @url, shorter than BASE_RM_URL_MAX, the current RM. */
static void set_current_rm(struct base_rm_cursor *t, const char *url)
{
    size_t at = find_listed_rm(t->list, url);

    t->answered = false;
    t->moved[0] = '\0';
    if (at < t->list->n)
        t->at = at;
    else
        snprintf(t->moved, sizeof t->moved, "%s", url);
}

bool base_rm_cursor_follow_redirect(struct base_rm_cursor *t, const char *location)
{
    size_t n = base_rm_url_base_len(location);
    char to[BASE_RM_URL_MAX];

    if (n == 0 || n >= sizeof to || t->hops > t->list->n)
        return base_rm_cursor_fail_and_advance(t);
    memcpy(to, location, n);
    to[n] = '\0';
    if (has_failed(t, to) || strcasecmp(to, base_rm_cursor_url(t)) == 0 ||
        (t->listed_only && find_listed_rm(t->list, to) == t->list->n))
        return base_rm_cursor_fail_and_advance(t);
    t->hops++;
    set_current_rm(t, to);
    return true;
}

void base_rm_cursor_jump_to_leader(struct base_rm_cursor *t, const char *url)
{
    base_buf_free(&t->failed);
    base_buf_adds(&t->failed, base_rm_cursor_url(t));
    t->hops = 0;
    set_current_rm(t, url);
}
