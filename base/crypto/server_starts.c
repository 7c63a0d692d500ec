#include "base/crypto/server_starts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/map.h"
#include "base/mem.h"

struct server {
    char *address; /* the URL up to its path */
    char start_id[BASE_START_ID_MAX];
};
struct base_server_starts {
    pthread_mutex_t lock;
    struct base_map servers;
};

struct base_server_starts *base_server_starts_new(void)
{
    struct base_server_starts *s = base_alloc(sizeof *s);

    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void free_server(struct server *v)
{
    free(v->address);
    free(v);
}

static void forget_all(struct base_server_starts *s)
{
    for (size_t i = 0; i < s->servers.cap; i++)
        if (s->servers.slot[i].object)
            free_server(s->servers.slot[i].object);
    base_map_free(&s->servers);
}

void base_server_starts_free(struct base_server_starts *s)
{
    if (!s)
        return;
    forget_all(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Returns scheme, host and port of @url, which the caller frees. */
static char *copy_address(const char *url)
{
    const char *scheme = strstr(url, "://");
    size_t before = scheme ? (size_t)(scheme - url) + strlen("://") : 0;

    return base_strndup(url, before + strcspn(url + before, "/?#"));
}

static bool server_has_address(const void *object, const void *address)
{
    return strcmp(((const struct server *)object)->address, address) == 0;
}

/* Call with the lock held. */
static struct server *find_server(const struct base_server_starts *s, const char *address)
{
    return base_map_find(&s->servers, base_hash_text(address), server_has_address, address);
}

void base_server_starts_find(struct base_server_starts *s, const char *url,
                             char out[static BASE_START_ID_MAX])
{
    char *address = copy_address(url);
    const struct server *v;

    pthread_mutex_lock(&s->lock);
    v = find_server(s, address);
    memcpy(out, v ? v->start_id : BASE_START_ID_UNKNOWN, BASE_START_ID_MAX);
    pthread_mutex_unlock(&s->lock);
    free(address);
}

void base_server_starts_learn(struct base_server_starts *s, const char *url, const char *id)
{
    char *address = copy_address(url);
    struct server *v;

    pthread_mutex_lock(&s->lock);
    v = find_server(s, address);
    if (!v) {
        if (s->servers.n >= BASE_SERVER_STARTS_MAX)
            forget_all(s);
        v = base_alloc(sizeof *v);
        v->address = address;
        address = NULL;
        base_map_add(&s->servers, base_hash_text(v->address), v);
    }
    snprintf(v->start_id, sizeof v->start_id, "%s", id);
    pthread_mutex_unlock(&s->lock);
    free(address);
}

void base_server_starts_forget(struct base_server_starts *s, const char *url)
{
    char *address = copy_address(url);
    struct server *v;

    pthread_mutex_lock(&s->lock);
    v = find_server(s, address);
    if (v) {
        base_map_remove(&s->servers, base_hash_text(address), v);
        free_server(v);
    }
    pthread_mutex_unlock(&s->lock);
    free(address);
}

size_t base_server_starts_count(struct base_server_starts *s)
{
    size_t n;

    pthread_mutex_lock(&s->lock);
    n = s->servers.n;
    pthread_mutex_unlock(&s->lock);
    return n;
}
