#include "rm/core/queue/capacity_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "rm/core/queue/change.h"
#include "rm/core/queue/name_list.h"

#define FLOAT_TEXT_MAX 64
#define PRECISION      0.0005f /* of sums of capacities, as in YARN */
#define AMOUNT_MAX     1e15

enum mode { MODE_PERCENT, MODE_WEIGHT, MODE_AMOUNT };

struct share {
    enum mode mode;
    float part;                   /* with MODE_PERCENT: of the parent, 0..1 */
    float absolute, absolute_max; /* of the cluster; with MODE_AMOUNT: 0, and the parent's */
};

struct builder {
    const struct rm_properties *p;
    struct policy_queues *q;
    struct share *shares; /* parallel to q->v */
    struct base_error *err;
};

/* Formats @v as Java does between 0.001 and 10 million: with the fewest decimals that tell it from
 * its neighbours, but at least one. */
static const char *format_float_as_java(float v, char text[static FLOAT_TEXT_MAX])
{
    for (int decimals = 1; decimals <= 9; decimals++) {
        snprintf(text, FLOAT_TEXT_MAX, "%.*f", decimals, (double)v);
        if ((float)strtod(text, NULL) == v)
            break;
    }
    return text;
}

/* Returns the value of property @key of queue @path, or NULL. */
static const char *get_capacity_property(const struct rm_properties *p, const char *path,
                                         const char *key)
{
    char *name = base_printf(RM_CAPACITY_PREFIX "%s%s%s", path, *path ? "." : "", key);
    const char *value = rm_properties_get(p, name);

    free(name);
    return value;
}

static const char *get_property_of_queue(const struct builder *b, size_t i, const char *key)
{
    return get_capacity_property(b->p, b->q->v[i].name, key);
}

/* The same, falling back to the value for all queues. */
static const char *get_property_of_queue_or_default(const struct builder *b, size_t i,
                                                    const char *key)
{
    const char *value = get_property_of_queue(b, i, key);

    return value ? value : get_capacity_property(b->p, "", key);
}

static int set_bad_value_error(const struct builder *b, size_t i, const char *key,
                               const char *value, const char *expected)
{
    return base_error_set(b->err, -BASE_EINVAL, "%s of queue %s is \"%.100s\", expected %s", key,
                          b->q->v[i].name, value, expected);
}

/* Parses a number as Java's Float.parseFloat() does. */
static int parse_float(const struct builder *b, const char *text, float *out)
{
    char *end;
    const char *at = text + strspn(text, " \t\r\n");
    bool number = *at && strchr("+-.0123456789", *at) && at[strcspn(at, "xXiInN")] == '\0';

    *out = (float)strtod(at, &end);
    if (number && end != at && end[strspn(end, " \t\r\n")] == '\0')
        return 0;
    return base_error_set(b->err, -BASE_EINVAL, "For input string: \"%.100s\"", text);
}

/* ---------------------------------------------------------------- names */
static int add_child_queue(struct builder *b, size_t parent, const char *name, size_t len)
{
    char *path = base_printf("%s.%.*s", b->q->v[parent].name, (int)len, name);
    int rc = policy_queue_check_name(path, b->err);
    int32_t at;

    if (rc == 0 && memchr(name, '.', len))
        rc = base_error_set(b->err, -BASE_EINVAL,
                            "the queues of queue %s contain \"%.*s\", expected a name without "
                            "periods",
                            b->q->v[parent].name, (int)len, name);
    if (rc == 0 && b->q->n >= POLICY_QUEUES_MAX)
        rc = base_error_set(b->err, -BASE_EINVAL, "there are more than %d queues",
                            POLICY_QUEUES_MAX);
    if (rc == 0) {
        at = policy_queues_add(b->q, path);
        if (b->q->v[at].configured)
            rc = base_error_set(b->err, -BASE_EINVAL, "queue %s is listed twice", path);
        b->q->v[at].configured = true;
    }
    free(path);
    return rc;
}

/* Adds the queues level by level: each parent comes before its children. */
static int add_listed_queues(struct builder *b)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < b->q->n; i++) {
        const char *list = b->q->v[i].configured ? get_property_of_queue(b, i, "queues") : NULL;
        size_t len;
        bool any = false;

        for (const char *at = rm_name_list_first(list, &len); rc == 0 && at;
             at = rm_name_list_next(at, &len)) {
            rc = add_child_queue(b, i, at, len);
            any = true;
        }
        if (rc == 0 && i == 0 && !any)
            return base_error_set(b->err, -BASE_EINVAL,
                                  "Queue configuration missing child queue names for root");
    }
    return rc;
}

/* ---------------------------------------------------------------- capacities */
static bool is_weight_text(const char *text)
{
    size_t len = strlen(text);

    return len > 1 && text[len - 1] == 'w';
}

static bool is_amount_text(const char *text)
{
    return text[0] == '[';
}

/* Parses "[memory=10240,vcores=12]". Resources not named are 0. */
static int parse_amount(const struct builder *b, size_t i, const char *key, const char *text,
                        struct policy_limit *out)
{
    static const char expected[] = "a percentage, a weight (\"2w\") or an amount "
                                   "(\"[memory=1024,vcores=2]\", in MB)";
    const char *at = text + 1;

    policy_limit_init(out);
    out->given = true;
    out->memory_mb = out->vcores = 0;
    while (*at && *at != ']') {
        size_t len = strcspn(at, "=,]");
        bool memory = (len == 6 && strncmp(at, "memory", 6) == 0) ||
                      (len == 9 && strncmp(at, "memory-mb", 9) == 0),
             vcores = len == 6 && strncmp(at, "vcores", 6) == 0;
        char *end;
        double value;

        if (at[len] != '=' || (!memory && !vcores))
            return set_bad_value_error(b, i, key, text, expected);
        at += len + 1;
        value = strtod(at, &end);
        if (end == at || *at == '-' || !(value <= AMOUNT_MAX) || !strchr(",]", *end))
            return set_bad_value_error(b, i, key, text, expected);
        *(memory ? &out->memory_mb : &out->vcores) = (int64_t)value;
        at = end + (*end == ',');
    }
    return *at == ']' && !at[1] ? 0 : set_bad_value_error(b, i, key, text, expected);
}

static int read_percent_capacity(struct builder *b, size_t i, const char *text)
{
    char number[FLOAT_TEXT_MAX];
    float percent = 0;
    int rc = text ? parse_float(b, text, &percent) : 0;

    if (rc < 0)
        return rc;
    if (!(percent >= 0 && percent <= 100))
        return base_error_set(b->err, -BASE_EINVAL, "Illegal capacity of %s for queue %s",
                              format_float_as_java(percent, number), b->q->v[i].name);
    b->shares[i].part = percent / 100;
    b->q->v[i].weight = (double)percent;
    return 0;
}

static int read_weight_capacity(struct builder *b, size_t i, const char *text)
{
    char *digits = base_strndup(text, strlen(text) - 1), number[FLOAT_TEXT_MAX];
    float weight;
    int rc = parse_float(b, digits, &weight);

    free(digits);
    if (rc < 0)
        return rc;
    if (!(weight >= 0 && weight <= 10000))
        return base_error_set(b->err, -BASE_EINVAL,
                              "Illegal weight=%s for queue=%slabel=. Acceptable values: [0, "
                              "10000], -1 is same as not set",
                              format_float_as_java(weight, number), b->q->v[i].name);
    b->shares[i].mode = MODE_WEIGHT;
    b->q->v[i].weight = (double)weight;
    return 0;
}

/* A capacity given as an amount is measured by its memory, or by its vcores if it has none. */
static int read_amount_capacity(struct builder *b, size_t i, const char *text)
{
    struct policy_queue *u = &b->q->v[i];
    int rc = parse_amount(b, i, "capacity", text, &u->min);

    b->shares[i].mode = MODE_AMOUNT;
    if (rc == 0)
        u->weight = (double)(u->min.memory_mb > 0 ? u->min.memory_mb : u->min.vcores);
    return rc;
}

static int read_root_capacity(struct builder *b, const char *text)
{
    char number[FLOAT_TEXT_MAX];
    float percent = 100;
    int rc =
        text && !is_weight_text(text) && !is_amount_text(text) ? parse_float(b, text, &percent) : 0;

    if (rc == 0 && percent != 100)
        rc = base_error_set(b->err, -BASE_EINVAL,
                            "Illegal capacity of %s for queue root. Must be 100.0",
                            format_float_as_java(percent, number));
    b->shares[0] = (struct share){.part = 1, .absolute = 1, .absolute_max = 1};
    return rc;
}

static int read_capacity(struct builder *b, size_t i)
{
    const char *text = get_property_of_queue(b, i, "capacity");

    if (i == 0)
        return read_root_capacity(b, text);
    if (text && is_amount_text(text))
        return read_amount_capacity(b, i, text);
    if (text && is_weight_text(text))
        return read_weight_capacity(b, i, text);
    return read_percent_capacity(b, i, text);
}

static int read_maximum_capacity(struct builder *b, size_t i)
{
    const char *text = i ? get_property_of_queue(b, i, "maximum-capacity") : NULL;
    const struct share *up = i ? &b->shares[b->q->v[i].parent] : NULL;
    struct share *s = &b->shares[i];
    struct policy_limit *max = &b->q->v[i].max;
    char number[FLOAT_TEXT_MAX];
    float percent = 100;
    int rc = 0;

    if (text && is_amount_text(text)) {
        rc = parse_amount(b, i, "maximum-capacity", text, max);
        if (rc == 0 && max->memory_mb == 0 && max->vcores == 0)
            policy_limit_init(max); /* as in YARN, no value means no limit */
    } else if (text) {
        rc = parse_float(b, text, &percent);
        percent = percent == -1 ? 100 : percent;
    }
    if (rc < 0 || !up)
        return rc;
    if (!(percent >= 0 && percent <= 100))
        return base_error_set(b->err, -BASE_EINVAL,
                              "Illegal value  of maximumCapacity %s used in call to "
                              "setMaxCapacity for queue %s",
                              format_float_as_java(percent / 100, number), b->q->v[i].name);
    s->absolute = up->absolute * s->part;
    s->absolute_max = up->absolute_max * (percent / 100);
    if (!max->given && s->absolute_max < 1) {
        max->given = true;
        max->percent[0] = max->percent[1] = (double)s->absolute_max * 100;
    }
    return 0;
}

/* ---------------------------------------------------------------- sums of capacities */
static const char *get_last_name(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot ? dot + 1 : path;
}

struct sum { /* over the children of a queue */
    float parts;
    bool percent, weight, amount, any;
    struct base_buf modes; /* of each child, in YARN's words */
};

/* Adds a child's capacity to the sum. As in YARN, a percentage of 0 does not count, and an amount
 * discards the percentages before it. */
static void add_child_to_capacity_sum(struct sum *s, const struct share *child, const char *path)
{
    s->any = true;
    s->parts += child->mode == MODE_PERCENT ? child->part : 0;
    s->percent = s->percent || (child->mode == MODE_PERCENT && child->part > 0);
    if (child->mode == MODE_WEIGHT) {
        s->weight = true;
        base_buf_addf(&s->modes, "{Queue=%s, label= uses weight mode}. ", path);
    }
    if (child->mode == MODE_AMOUNT) {
        s->amount = true;
        s->percent = false;
        base_buf_addf(&s->modes, "{Queue=%s, label= uses absolute mode}. ", path);
    }
    if (s->percent)
        base_buf_addf(&s->modes, "{Queue=%s, label= uses percentage mode}. ", path);
}

static bool allows_zero_sum(const struct builder *b, size_t i)
{
    const char *value = get_property_of_queue(b, i, "allow-zero-capacity-sum");

    return value && strcasecmp(value, "true") == 0;
}

/* Checks that the percentages of the children of queue @i add up to 100, or to 0 if the parent
 * itself has no capacity. */
static int check_percentages_of_children(const struct builder *b, size_t i, const struct sum *s)
{
    const struct share *own = &b->shares[i];
    const char *name = get_last_name(b->q->v[i].name);
    bool strict = own->mode == MODE_PERCENT && !allows_zero_sum(b, i);
    char number[FLOAT_TEXT_MAX];

    format_float_as_java(s->parts, number);
    if (fabsf(1 - s->parts) <= PRECISION) {
        if (!strict || own->part > 0)
            return 0;
        return base_error_set(b->err, -BASE_EINVAL,
                              "Illegal capacity sum of %s for children of queue %s for label=. "
                              "queue=%s has zero capacity, but childqueues have positive "
                              "capacities",
                              number, name, name);
    }
    if (s->parts > PRECISION)
        return base_error_set(b->err, -BASE_EINVAL,
                              "Illegal capacity sum of %s for children of queue %s for label=. It "
                              "should be either 0 or 1.0",
                              number, name);
    if (!strict || own->part <= PRECISION)
        return 0;
    return base_error_set(b->err, -BASE_EINVAL,
                          "Illegal capacity sum of %s for children of queue %s for label=. It is "
                          "set to 0, but parent percent != 0, and doesn't allow children capacity "
                          "to set to 0",
                          number, name);
}

static int check_capacities_of_children(const struct builder *b, size_t i, const struct sum *s)
{
    const char *path = b->q->v[i].name;

    if (s->percent + s->weight + s->amount > 1)
        return base_error_set(b->err, -BASE_EINVAL,
                              "Parent queue '%s' have children queue used mixed of  weight mode, "
                              "percentage and absolute mode, it is not allowed, please double "
                              "check, details:%s",
                              path, s->modes.data);
    if (i && (s->amount != (b->shares[i].mode == MODE_AMOUNT)))
        return base_error_set(b->err, -BASE_EINVAL,
                              "Parent=%s: When absolute minResource is used, we must make sure "
                              "both parent and child all use absolute minResource",
                              path);
    return s->weight || s->amount ? 0 : check_percentages_of_children(b, i, s);
}

static int check_capacity_sums(const struct builder *b)
{
    struct sum *sums = base_alloc(b->q->n * sizeof *sums);
    int rc = 0;

    for (size_t i = 1; i < b->q->n; i++)
        if (b->q->v[i].configured)
            add_child_to_capacity_sum(&sums[b->q->v[i].parent], &b->shares[i], b->q->v[i].name);
    for (size_t i = b->q->n; rc == 0 && i-- > 0;) /* as YARN, which begins with the leaves */
        if (sums[i].any)
            rc = check_capacities_of_children(b, i, &sums[i]);
    for (size_t i = 0; i < b->q->n; i++)
        base_buf_free(&sums[i].modes);
    free(sums);
    return rc;
}

/* Checks that no capacity exceeds the maximum of its queue. Called after check_capacity_sums(), in
 * YARN's order. */
static int check_capacities_below_maximums(const struct builder *b)
{
    char number[FLOAT_TEXT_MAX], other[FLOAT_TEXT_MAX];

    for (size_t i = 0; i < b->q->n; i++) {
        const struct share *s = &b->shares[i];

        if (b->q->v[i].configured && s->mode == MODE_PERCENT && s->absolute > s->absolute_max)
            return base_error_set(b->err, -BASE_EINVAL,
                                  "Illegal queue capacity setting, (abs-capacity=%s) > "
                                  "(abs-maximum-capacity=%s). When label=[]",
                                  format_float_as_java(s->absolute, number),
                                  format_float_as_java(s->absolute_max, other));
    }
    return 0;
}

/* ---------------------------------------------------------------- other settings */
static bool queue_is_reservable(const struct builder *b, size_t i)
{
    const char *text = get_property_of_queue(b, i, "reservable");

    return text && strcasecmp(text, "true") == 0;
}

static int read_queue_state(struct builder *b, size_t i)
{
    const char *text = get_property_of_queue(b, i, "state");
    bool stopped = text && strcasecmp(text, "STOPPED") == 0;

    if (text && strcasecmp(text, "DRAINING") == 0)
        return base_error_set(b->err, -BASE_EINVAL,
                              "Invalid queue state configuration. We can only use RUNNING or "
                              "STOPPED.");
    if (text && !stopped && strcasecmp(text, "RUNNING") != 0)
        return base_error_set(b->err, -BASE_EINVAL,
                              "No enum constant "
                              "org.apache.hadoop.yarn.api.records.QueueState.%.100s",
                              text);
    b->q->v[i].reservable = queue_is_reservable(b, i);
    b->q->v[i].stopped = stopped || (i && b->q->v[b->q->v[i].parent].stopped);
    return 0;
}

static int read_ordering_policy(struct builder *b, size_t i)
{
    const char *text = get_property_of_queue(b, i, "ordering-policy");

    b->q->v[i].order = POLICY_QUEUE_FIFO;
    if (!text || strncmp(text, "fifo", 4) == 0 || b->q->v[i].is_parent)
        return 0;
    if (strcmp(text, "fair") != 0)
        return set_bad_value_error(b, i, "ordering-policy", text, "fifo or fair");
    b->q->v[i].order = POLICY_QUEUE_FAIR;
    return 0;
}

static int read_limit_of_apps(struct builder *b, size_t i)
{
    const char *text = get_property_of_queue_or_default(b, i, "max-parallel-apps");
    double n = text ? strtod(text, NULL) : INT32_MAX;

    if (text && (!*text || text[strspn(text, "0123456789")] || n > INT32_MAX))
        return set_bad_value_error(b, i, "max-parallel-apps", text,
                                   "a whole number from 0 to 2147483647");
    b->q->v[i].max_running =
        i || get_property_of_queue(b, i, "max-parallel-apps") ? (int32_t)n : INT32_MAX;
    return 0;
}

static int read_share_of_masters(struct builder *b, size_t i)
{
    const char *text = get_property_of_queue_or_default(b, i, "maximum-am-resource-percent");
    float share;
    int rc = text ? parse_float(b, text, &share) : 0;

    if (text && rc == 0)
        b->q->v[i].max_am_share = (double)share;
    return rc;
}

static void read_preemption_setting(struct builder *b, size_t i)
{
    const char *text = get_property_of_queue(b, i, "disable_preemption");
    bool inherited = i ? b->q->v[b->q->v[i].parent].preempt : true;

    b->q->v[i].preempt = text ? strcasecmp(text, "true") != 0 : inherited;
}

static int read_queue_settings(struct builder *b, size_t i)
{
    struct policy_queue *u = &b->q->v[i];
    int rc = read_capacity(b, i);

    u->acl_submit = base_strdup(get_property_of_queue(b, i, "acl_submit_applications"));
    u->acl_admin = base_strdup(get_property_of_queue(b, i, "acl_administer_queue"));
    read_preemption_setting(b, i);
    if (rc == 0)
        rc = read_maximum_capacity(b, i);
    if (rc == 0)
        rc = read_queue_state(b, i);
    if (rc == 0)
        rc = read_ordering_policy(b, i);
    if (rc == 0)
        rc = read_limit_of_apps(b, i);
    return rc == 0 ? read_share_of_masters(b, i) : rc;
}

int rm_capacity_tree_build(const struct rm_properties *p, struct policy_queues *out,
                           struct base_error *err)
{
    struct builder b = {.p = p, .q = out, .err = err};
    int rc;

    policy_queues_init(out, NULL);
    out->v[policy_queues_find(out, "default")].configured = false; /* unless listed */
    for (size_t i = 0; i < out->rules_n; i++)
        out->rules[i].create = false;
    rc = add_listed_queues(&b);
    b.shares = base_alloc(out->n * sizeof *b.shares);
    for (size_t i = 0; rc == 0 && i < out->n; i++)
        if (out->v[i].configured)
            rc = read_queue_settings(&b, i);
    if (rc == 0)
        rc = check_capacity_sums(&b);
    if (rc == 0)
        rc = check_capacities_below_maximums(&b);
    free(b.shares);
    if (rc < 0)
        policy_queues_free(out);
    return rc;
}

/* ---------------------------------------------------------------- describing */
static void set_property_of_queue(struct rm_properties *out, const char *path, const char *key,
                                  const char *value)
{
    char *name = base_printf(RM_CAPACITY_PREFIX "%s.%s", path, key);

    rm_properties_set(out, name, value);
    free(name);
}

/* Gives child @i (from 0) of @n children an equal part of 100 percent, cut to thousandths; the last
 * child gets the remainder. */
static void set_equal_capacity_of_child(const char *path, int64_t i, int64_t n,
                                        struct rm_properties *out)
{
    int64_t each = 100000 / n, part = i + 1 < n ? each : 100000 - each * (n - 1);
    char *text = part % 1000 == 0 ? base_printf("%d", (int)(part / 1000))
                                  : base_printf("%d.%03d", (int)(part / 1000), (int)(part % 1000));

    set_property_of_queue(out, path, "capacity", text);
    free(text);
}

void rm_capacity_tree_to_properties(const struct policy_queues *q, struct rm_properties *out)
{
    for (size_t i = 0; i < q->n; i++) {
        struct base_buf list = {0};
        int64_t n = 0, at = 0;

        for (size_t j = i + 1; j < q->n; j++)
            n += q->v[j].parent == (int32_t)i;
        for (size_t j = i + 1; j < q->n; j++)
            if (q->v[j].parent == (int32_t)i) {
                base_buf_addf(&list, "%s%s", list.len ? "," : "", get_last_name(q->v[j].name));
                set_equal_capacity_of_child(q->v[j].name, at++, n, out);
            }
        set_property_of_queue(out, q->v[i].name, "queues", list.data);
        if (!n)
            set_property_of_queue(out, q->v[i].name, "ordering-policy", "fair");
        base_buf_free(&list);
    }
}
