#include "api/admin/log_level.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/pages/escape.h"
#include "base/io/log.h"

static const struct {
    const char *name;
    enum base_log_level level;
} level_names[] = {
    {"OFF", BASE_LOG_OFF},     {"FATAL", BASE_LOG_FATAL}, {"ERROR", BASE_LOG_ERROR},
    {"WARN", BASE_LOG_WARN},   {"INFO", BASE_LOG_INFO},   {"DEBUG", BASE_LOG_DEBUG},
    {"TRACE", BASE_LOG_TRACE}, {"ALL", BASE_LOG_ALL},
};

static bool parse_level(const char *text, enum base_log_level *out)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (strcasecmp(text, level_names[i].name) == 0) {
            *out = level_names[i].level;
            return true;
        }
    return false;
}

static const char *get_level_name(enum base_log_level level)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (level_names[i].level == level)
            return level_names[i].name;
    return "INFO";
}

const char *api_log_level_find_area(const char *name, const char *package)
{
    size_t n = strlen(name), all = strlen(package);

    if (n == 0 || strcmp(name, "root") == 0)
        return "";
    if (n <= all && strncmp(package, name, n) == 0 && (package[n] == '.' || n == all))
        return "";
    return n > all && strncmp(name, package, all) == 0 && name[all] == '.' ? name + all + 1 : name;
}

/* Returns @text without blanks around it; the caller frees. */
static char *copy_trimmed(const char *text)
{
    size_t n;

    text += strspn(text, " \t\r\n");
    n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        n--;
    return base_strndup(text, n);
}

/* Adds a line of the answer, in the comment from which `yarn daemonlog` reads it. */
static void add_result(struct base_buf *page, const char *what, const char *value)
{
    base_buf_addf(page, "<!-- OUTPUT -->%s: <b>", what);
    api_html_add_escaped(page, value);
    base_buf_adds(page, "</b><br />\n");
}

static void set_level(struct api_request *rq, struct base_buf *page, const char *name,
                      const char *area, const char *wanted)
{
    struct base_error err = {0};
    enum base_log_level level;

    add_result(page, "Submitted Level", wanted);
    if (!parse_level(wanted, &level)) {
        add_result(page, "Bad Level ", wanted);
    } else if (base_log_set_level(area, level, &err) < 0) {
        add_result(page, "Not changed", err.text);
    } else {
        base_buf_addf(page, "<!-- OUTPUT -->Setting Level to %s ...<br />\n", wanted);
        base_log_always(BASE_LOG_INFO, "log", "level of %s: %s, set by %s from %s",
                        *name ? name : "root", get_level_name(level),
                        api_caller(rq) ? api_caller(rq) : "nobody", api_peer(rq));
    }
}

static void add_results(struct api_request *rq, struct base_buf *page, const char *name,
                        const char *level, const char *package)
{
    const char *area = api_log_level_find_area(name, package);

    base_buf_adds(page, "<br /><hr /><h3>Results</h3>\n");
    add_result(page, "Submitted Class Name", name);
    add_result(page, "Log Class", "creel.base.io.log");
    if (level)
        set_level(rq, page, name, area, level);
    add_result(page, "Effective Level", get_level_name(base_log_get_level(area)));
}

/* Refuses changes requested by other sites, which can make a browser send a GET, as for an
 * image. */
static bool refuse_unallowed_change(struct api_request *rq, const char *name, const char *level)
{
    if (strlen(name) > API_LOG_NAME_MAX) {
        api_answer_error(rq, 400, "BadRequestException",
                         "log: a name of %zu bytes, expected at most %d", strlen(name),
                         API_LOG_NAME_MAX);
        return true;
    }
    if (!level || !api_is_from_other_site(rq))
        return false;
    api_answer_error(rq, 403, "ForbiddenException",
                     "A page of another site may not change the log level");
    return true;
}

void api_log_level_answer(struct api_request *rq, const char *package)
{
    const char *asked = api_query(rq, "log"), *wanted = api_query(rq, "level");
    char *name = asked ? copy_trimmed(asked) : NULL,
         *level = name && wanted ? copy_trimmed(wanted) : NULL;
    struct base_buf page = {0};

    if (!name || !refuse_unallowed_change(rq, name, level)) {
        base_buf_adds(&page, "<html>\n"
                             "<link rel='stylesheet' type='text/css' href='/static/hadoop.css'>\n"
                             "<title>Log Level</title>\n<body>\n<h1>Log Level</h1>\n\n");
        if (name)
            add_results(rq, &page, name, level, package);
        base_buf_adds(&page, "\n<br /><hr /><h3>Get / Set</h3>\n"
                             "<form>Class Name: <input type='text' size='50' name='log' /> "
                             "<input type='submit' value='Get Log Level' /></form>\n"
                             "<form>Class Name: <input type='text' size='50' name='log' /> "
                             "Level: <input type='text' name='level' /> "
                             "<input type='submit' value='Set Log Level' /></form>\n"
                             "<hr />\n</body></html>\n");
        api_add_header(rq, "Content-Type", "text/html;charset=utf-8");
        api_answer(rq, 200, API_TEXT, &page);
    }
    free(level);
    free(name);
}
