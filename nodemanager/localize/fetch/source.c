/* Opens what a resource is read from: a file of this host, a server, HDFS. */
#include <curl/curl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodemanager/localize/fetch/fetch.h"

/* Sets f->name to the last part of @path, or to "resource" when that cannot be a file name. */
static void set_name_from_path(struct fetch *f, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool plain =
        *name && strlen(name) <= NAME_MAX && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;

    for (const char *p = name; *p; p++)
        plain = plain && (unsigned char)*p >= 32 && *p != 127;
    snprintf(f->name, sizeof f->name, "%s", plain ? name : "resource");
}

/* Splits the URL. Returns 0 and texts that the caller frees with curl_free(). */
static int split_url(const struct fetch *f, char **scheme, char **path, struct base_error *err)
{
    CURLU *u = curl_url();
    CURLUcode rc = u ? CURLUE_OK : CURLUE_OUT_OF_MEMORY;
    char *with_scheme = f->url[0] == '/' ? base_printf("file://%s", f->url) : base_strdup(f->url);

    *scheme = *path = NULL;
    if (rc == CURLUE_OK)
        rc = curl_url_set(u, CURLUPART_URL, with_scheme,
                          CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS);
    if (rc == CURLUE_OK)
        rc = curl_url_get(u, CURLUPART_SCHEME, scheme, 0);
    if (rc == CURLUE_OK) /* refuses control characters, such as %00 */
        rc = curl_url_get(u, CURLUPART_PATH, path, CURLU_URLDECODE);
    free(with_scheme);
    curl_url_cleanup(u);
    if (rc == CURLUE_OK)
        return 0;
    curl_free(*scheme);
    curl_free(*path);
    *scheme = *path = NULL;
    return base_error_set(err, -BASE_EINVAL, "Resource %.1000s: not a URL: %s", f->url,
                          curl_url_strerror(rc));
}

static bool is_one_of(const char *scheme, const char *a, const char *b, const char *c)
{
    return strcmp(scheme, a) == 0 || strcmp(scheme, b) == 0 || (c && strcmp(scheme, c) == 0);
}

int fetch_open_source(struct fetch *f, enum fetch_source *found, struct base_error *err)
{
    char *scheme, *path;
    int fd = split_url(f, &scheme, &path, err);

    if (fd < 0)
        return fd;
    set_name_from_path(f, path);
    *found = FETCH_DOWNLOADED;
    if (strcmp(scheme, "file") == 0) {
        *found = FETCH_ON_HOST;
        fd = fetch_open_local(f, path, err);
    } else if (is_one_of(scheme, "http", "https", NULL)) {
        fd = fetch_open_remote(f, err);
    } else if (is_one_of(scheme, "hdfs", "webhdfs", "swebhdfs")) {
        fd = fetch_open_hdfs(f, found, err);
    } else {
        fd = base_error_set(err, -BASE_EINVAL,
                            "Resource %.1000s: No FileSystem for scheme \"%.60s\"; this node reads "
                            "file, http, https, hdfs, webhdfs and swebhdfs",
                            f->url, scheme);
    }
    curl_free(scheme);
    curl_free(path);
    return fd;
}
