/* api/cli/answers.c - reads answers of RMs and NMs without insisting on their form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/rm_client.h"

const json_t *cli_at(const json_t *j, const char *path)
{
    char name[128];
    while (j && *path) {
        size_t len = strcspn(path, ".");
        if (len >= sizeof name)
            return NULL;
        memcpy(name, path, len);
        name[len] = '\0';
        j = json_object_get(j, name);
        path += len + (path[len] == '.');
    }
    return j;
}

const char *cli_str(const json_t *j, const char *path)
{
    const char *s = json_string_value(cli_at(j, path));
    return s ? s : "";
}

int64_t cli_int(const json_t *j, const char *path)
{
    const json_t *v = cli_at(j, path);
    if (json_is_integer(v))
        return json_integer_value(v);
    if (json_is_real(v))
        return (int64_t)json_real_value(v);
    return json_is_string(v) ? strtoll(json_string_value(v), NULL, 10) : 0;
}

double cli_num(const json_t *j, const char *path)
{
    const json_t *v = cli_at(j, path);
    if (json_is_number(v))
        return json_number_value(v);
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : 0;
}

size_t cli_list_or_one_len(const json_t *j)
{
    return json_is_array(j) ? json_array_size(j) : json_is_object(j) ? 1 : 0;
}

const json_t *cli_list_or_one_get(const json_t *j, size_t i)
{
    return json_is_array(j) ? json_array_get(j, i) : j;
}

void cli_print_json(const json_t *j)
{
    char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    puts(text ? text : "null");
    free(text);
}
