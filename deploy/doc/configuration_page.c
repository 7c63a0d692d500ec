/* deploy/doc/configuration_page.c - writes deploy/doc/configuration.md on standard output, from the
 * tables that `creel-rm --help` prints: base_conf_keys (base/conf/conf_keys.c), and the options of
 * the policies. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/conf/conf.h"
#include "base/error.h"
#include "policies/conf.h"
#include "policies/options.h"

/* The table of keys is sorted by subject; a chapter begins at its first key. */
static const struct chapter {
    const char *first_key, *title;
} chapters[] = {
    {"creel.cluster.name", "Cluster"},
    {"yarn.http.policy", "TLS"},
    {"creel.http.allowed-hosts", "HTTP servers of both daemons"},
    {"creel.rm.bind", "ResourceManager"},
    {"yarn.resourcemanager.ha.enabled", "Several ResourceManagers"},
    {"creel.scheduler.policy", "Scheduler"},
    {"creel.slot.map.memory-mb", "Slots and jobs"},
    {"creel.nodemanager.rm", "NodeManager"},
};
enum { CHAPTERS = sizeof chapters / sizeof *chapters };

static const char introduction[] =
    "# Configuration\n"
    "\n"
    "<!-- Generated: cmake --build --preset asan --target update_configuration_page -->\n"
    "\n"
    "`creel-rm`, `creel-nm` and `creel` read `creel-site.xml` and `yarn-site.xml` from\n"
    "`$CREEL_CONF_DIR`, else from `/etc/creel`, in Hadoop's XML form. `--conf FILE` reads that "
    "file\n"
    "instead of both, and `-D KEY=VALUE` overrides all files. An unknown key that begins with\n"
    "`creel.` is an error; other unknown keys are ignored, so that a `yarn-site.xml` of Hadoop "
    "can\n"
    "be used as it is.\n"
    "\n"
    "Changes take effect when the daemon is started again, except for the allocation file\n"
    "(`yarn.scheduler.fair.allocation.file`), which is read again when it changes.\n";

static void print_cell(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void print_default(const char *value)
{
    if (*value) {
        printf("`");
        print_cell(value);
        printf("` | ");
    } else {
        printf("empty | ");
    }
}

static void print_table_head(const char *title)
{
    printf("\n## %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", title);
}

static void print_key(const struct base_conf_key *k)
{
    printf("| `%s` | ", k->name);
    switch (k->type) {
    case BASE_CONF_STRING:
        printf("text | ");
        break;
    case BASE_CONF_INT:
        printf(k->max >= INT32_MAX ? "integer, at least %" PRId64 " | "
                                   : "integer, %" PRId64 " to %" PRId64 " | ",
               k->min, k->max);
        break;
    case BASE_CONF_BOOL:
        printf("`true` or `false` | ");
        break;
    case BASE_CONF_DOUBLE:
        printf("number | ");
        break;
    }
    print_default(k->value);
    print_cell(k->help);
    printf(" |\n");
}

/* "eager,wait,kill" as "`eager`, `wait`, `kill`". */
static void print_words(const char *words)
{
    for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',')
        printf("%s`%.*s`", at == words ? "" : ", ", (int)strcspn(at, ","), at);
}

static void print_option(const struct policy_option *o)
{
    printf("| `creel.%s` | ", o->name);
    if (o->type == POLICY_OPT_BOOL)
        printf("`true` or `false`");
    else if (o->type == POLICY_OPT_WORD)
        print_words(o->words);
    else
        printf(isinf(o->max) ? "%s, at least %g" : "%s, %g to %g",
               o->type == POLICY_OPT_INT    ? "integer"
               : o->type == POLICY_OPT_REAL ? "number"
                                            : "seconds",
               o->min, o->max);
    printf(" | ");
    print_default(o->value);
    print_cell(o->help ? o->help : "");
    printf(" |\n");
}

int main(void)
{
    size_t next = 0;

    fputs(introduction, stdout);
    for (const struct base_conf_key *k = base_conf_keys; k->name; k++) {
        if (next < CHAPTERS && strcmp(k->name, chapters[next].first_key) == 0)
            print_table_head(chapters[next++].title);
        print_key(k);
    }
    base_assert(next == CHAPTERS); /* else a first key was renamed or moved */
    print_table_head("Options of the scheduling policies");
    for (size_t i = 0; policy_option_at(i); i++)
        print_option(policy_option_at(i));
    return 0;
}
