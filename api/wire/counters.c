#include "api/wire/counters.h"

#include <string.h>

#include "base/io/json.h"
#include "base/io/json_write.h"

#define COUNTERS_MAX     64
#define COUNTER_NAME_MAX 64 /* bytes */

void wire_counters_put(const struct wire_counters *c, struct base_buf *out)
{
    if (!c->text && !c->known)
        return;
    base_json_key(out, "counters");
    if (c->text) {
        base_buf_adds(out, c->text);
        return;
    }
    base_json_open(out, '{');
    for (enum base_task_counter i = 0; i < BASE_TASK_COUNTERS; i++) {
        if (c->v[i] != 0)
            base_json_put_int(out, base_task_counter_name(i), c->v[i]);
    }
    base_json_close(out, '}');
}

void wire_counters_get(const json_t *obj, struct wire_counters *c)
{
    const json_t *from = json_object_get(obj, "counters");

    memset(c, 0, sizeof *c);
    if (json_object_size(from) == 0)
        return;
    c->known = true;
    for (enum base_task_counter i = 0; i < BASE_TASK_COUNTERS; i++) {
        const json_t *v = json_object_get(from, base_task_counter_name(i));
        json_int_t n = json_is_integer(v) ? json_integer_value(v) : 0;

        c->v[i] = n > 0 && n <= WIRE_COUNT_MAX ? n : 0;
    }
}

char *wire_counters_copy_valid_text(const json_t *obj)
{
    json_t *all = json_object_get(obj, "counters"), *v, *kept;
    struct base_buf b = {0};
    const char *name;

    if (!json_is_object(all))
        return NULL;
    kept = json_object();
    json_object_foreach(all, name, v)
    {
        json_int_t n = json_integer_value(v);

        if (json_is_integer(v) && n >= 0 && n <= WIRE_COUNT_MAX && *name &&
            strlen(name) <= COUNTER_NAME_MAX && json_object_size(kept) < COUNTERS_MAX)
            json_object_set(kept, name, v);
    }
    base_json_dump(kept, &b);
    json_decref(kept);
    return base_buf_take(&b);
}
