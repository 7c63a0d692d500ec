#include "rm/daemon/own_token.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/private_file.h"

#define KEY       "creel.auth.token-file"
#define FILE_MAX  4096
#define EXTENSION ".token"
/* lengths as in the tokens of users (rm/http/access/identify.h) */
#define ID_BYTES     8
#define SECRET_BYTES 32

struct rm_own_token {
    char text[RM_OWN_TOKEN_MAX];
    char *path, *header_path;
    bool path_given;
    pthread_mutex_t lock;          /* for the members below */
    struct stat seen;              /* the file's state when it was last read */
    char shared[RM_OWN_TOKEN_MAX]; /* the token in the file; "": none */
};

/* Replaces ".token" at the end of @path by ".header"; appends ".header" to any other path. Caller
 * frees. */
static char *make_header_path(const char *path)
{
    size_t n = strlen(path), cut = sizeof EXTENSION - 1;

    if (n > cut && strcmp(path + n - cut, EXTENSION) == 0)
        n -= cut;
    return base_printf("%.*s.header", (int)n, path);
}

struct rm_own_token *rm_own_token_new(const struct base_conf *conf)
{
    struct rm_own_token *t = base_alloc(sizeof *t);
    const char *given = base_conf_get(conf, KEY);
    unsigned char random[ID_BYTES + SECRET_BYTES];

    base_random_bytes(random, sizeof random);
    base_hex_encode(random, ID_BYTES, t->text);
    t->text[2 * ID_BYTES] = '.';
    base_hex_encode(random + ID_BYTES, SECRET_BYTES, t->text + 2 * ID_BYTES + 1);
    explicit_bzero(random, sizeof random);
    t->path_given = given && *given;
    t->path = t->path_given ? base_strdup(given) : base_user_state_path("rm.token");
    t->header_path = make_header_path(t->path);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void rm_own_token_free(struct rm_own_token *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t->header_path);
    free(t->path);
    free(t);
}

static int make_parent_folder(const char *path, struct base_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = base_strndup(path, slash ? (size_t)(slash - path) : 0);
    int rc = *folder ? base_mkdirs(folder, 0700, err) : 0;

    free(folder);
    return rc;
}

static int write_token_and_header_files(const struct rm_own_token *t, const char *urls,
                                        struct base_error *err)
{
    char *token = base_printf("%s\n%s\n", t->text, urls);
    char *header = base_printf("Authorization: Bearer %s\n", t->text);
    int rc = make_parent_folder(t->path, err);

    /* the token last: a reader that has just seen it may use the header, too */
    if (rc == 0)
        rc = base_file_write_atomic(t->header_path, header, strlen(header), 0600, false, err);
    if (rc == 0)
        rc = base_file_write_atomic(t->path, token, strlen(token), 0600, false, err);
    free(header);
    free(token);
    return rc < 0 ? base_error_wrap(err, rc, KEY) : 0;
}

int rm_own_token_publish(struct rm_own_token *t, const char *urls, struct base_error *err)
{
    struct base_error why = {0};
    int rc = write_token_and_header_files(t, urls, &why);

    if (rc == 0) {
        base_log_info("rm", "a token for this user is in %s", t->path);
        return 0;
    }
    if (t->path_given) {
        if (err)
            *err = why;
        return rc;
    }
    base_log_warn("rm", "%s: commands of this user need a token from creel token --new", why.text);
    return 0;
}

static bool has_changed(const struct stat *a, const struct stat *b)
{
    return a->st_ino != b->st_ino || a->st_dev != b->st_dev ||
           a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

/* Reads the token in the file again if the file has changed. Call with the lock held. */
static void reread_shared_token_if_changed(struct rm_own_token *t)
{
    struct base_buf text = {0};
    struct stat now;

    if (lstat(t->path, &now) < 0 || !has_changed(&now, &t->seen))
        return;
    t->shared[0] = '\0';
    if (base_private_file_read(t->path, FILE_MAX, &text, &t->seen, NULL) == 0)
        snprintf(t->shared, sizeof t->shared, "%.*s", (int)strcspn(text.data, "\n"), text.data);
    base_buf_free(&text);
}

bool rm_own_token_find(struct rm_own_token *t, const char *id, char out[static RM_OWN_TOKEN_MAX])
{
    bool own, shared;

    if (!t)
        return false;
    own = strncmp(t->text, id, 2 * ID_BYTES) == 0;
    pthread_mutex_lock(&t->lock);
    if (!own)
        reread_shared_token_if_changed(t);
    shared = strlen(t->shared) == strlen(t->text) && strncmp(t->shared, id, 2 * ID_BYTES) == 0;
    snprintf(out, RM_OWN_TOKEN_MAX, "%s", own ? t->text : t->shared);
    pthread_mutex_unlock(&t->lock);
    return own || shared;
}
