/* tests/unit/golden.h - reads one recorded exchange (tests/interop/yarn). */
#ifndef CREEL_TESTS_GOLDEN_H
#define CREEL_TESTS_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

struct golden {
    char *text;                        /* the whole file; the rest points into it */
    char *method, *path;               /* path with query */
    char *request_head, *request_body; /* body: "" when none */
    int status;
    char *head, *body;
};

static inline void golden_free(struct golden *g)
{
    free(g->text);
}

/* Returns a copy of the value of header @name ("\nAccept: ") in @head, which the caller frees; NULL
 * when absent. */
static inline char *golden_header(const char *head, const char *name)
{
    const char *at = strstr(head, name);

    return at ? base_strndup(at + strlen(name), strcspn(at + strlen(name), "\n")) : NULL;
}

static inline void golden_read(const char *name, struct golden *g)
{
    char *path = base_printf("%s/%s", GOLDEN_DIR, name);
    FILE *f = fopen(path, "rb");
    struct base_buf b = {0};
    char chunk[4096], *answer, *end;
    size_t n;

    if (!f) {
        fprintf(stderr, "cannot open %s\n", path);
        abort();
    }
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        base_buf_add(&b, chunk, n);
    fclose(f);
    free(path);
    g->text = base_buf_take(&b);
    answer = strstr(g->text, "\n\nHTTP/1.");
    base_assert(answer);
    *answer = '\0';
    g->head = answer + 2;
    g->status = atoi(strchr(g->head, ' ') + 1);
    end = strstr(g->head, "\n\n");
    g->body = end ? end + 2 : g->head + strlen(g->head);
    if (end)
        *end = '\0';
    end = strstr(g->text, "\n\n");
    g->request_body = end ? end + 2 : answer;
    if (end)
        *end = '\0';
    g->method = g->text;
    g->path = strchr(g->text, ' ');
    *g->path++ = '\0';
    end = strchr(g->path, ' '); /* " HTTP/1.1" and the headers follow */
    *end = '\0';
    g->request_head = end + 1;
}

#endif
