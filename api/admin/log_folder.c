#include "api/admin/log_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/pages/escape.h"
#include "base/conf/percent.h"
#include "base/utf8.h"

struct file {
    char name[256];
    int64_t size;
    time_t changed;
};

static bool is_plain_file_name(const char *name)
{
    return name[0] && name[0] != '.' && strlen(name) <= NAME_MAX && !strchr(name, '/');
}

int api_log_folder_open(const char *folder, const char *name, int64_t *size)
{
    int dir, fd;
    struct stat st;

    if (!is_plain_file_name(name) || (dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return -1;
    fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    close(dir);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        *size = st.st_size;
    return fd;
}

static int compare_file_names(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

/* Returns the files, sorted by name; the caller frees. Returns NULL when the folder cannot be
 * read. */
static struct file *list_files(const char *folder, size_t *n)
{
    DIR *d = opendir(folder);
    struct file *v = NULL;
    size_t cap = 0;

    *n = 0;
    if (!d)
        return NULL;
    base_array_grow(&v, 0, &cap);
    for (struct dirent *e; *n < API_LOG_FILES_MAX && (e = readdir(d));) {
        struct stat st;

        if (!is_plain_file_name(e->d_name) || !base_utf8_valid_without_controls(e->d_name) ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
            continue;
        base_array_grow(&v, *n, &cap);
        v[*n] = (struct file){.size = st.st_size, .changed = st.st_mtime};
        memcpy(v[*n].name, e->d_name, strlen(e->d_name) + 1);
        ++*n;
    }
    closedir(d);
    if (*n)
        qsort(v, *n, sizeof *v, compare_file_names);
    return v;
}

static void add_row(struct base_buf *page, const struct file *f)
{
    char time[40];
    struct tm tm;

    strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&f->changed, &tm));
    base_buf_adds(page, "<tr><td><a href=\"/logs/");
    base_percent_encode(f->name, page);
    base_buf_adds(page, "\">");
    api_html_add_escaped(page, f->name);
    base_buf_addf(page, "</a></td><td align=\"right\">%lld bytes</td><td>%s</td></tr>\n",
                  (long long)f->size, time);
}

static void answer_list(struct api_request *rq, const char *folder)
{
    struct base_buf page = {0};
    size_t n;
    struct file *v = list_files(folder, &n);

    if (!v) {
        api_answer_html_error_page(rq, 404, "Not Found", NULL);
        return;
    }
    base_buf_adds(&page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                         "<title>Directory: /logs/</title></head>\n<body>\n"
                         "<h1>Directory: /logs/</h1>\n<table>\n"
                         "<tr><th>Name</th><th>Size</th><th>Last modified</th></tr>\n");
    for (size_t i = 0; i < n; i++)
        add_row(&page, &v[i]);
    base_buf_adds(&page, "</table>\n</body>\n</html>\n");
    free(v);
    api_add_header(rq, "Content-Type", "text/html;charset=utf-8");
    api_answer(rq, 200, API_TEXT, &page);
}

void api_log_folder_answer(struct api_request *rq, const char *folder, const char *name)
{
    int64_t size = 0;
    int fd;

    if (!folder || !*folder) {
        api_answer_html_error_page(rq, 404, "Not Found", NULL);
        return;
    }
    if (!name || !*name) {
        answer_list(rq, folder);
        return;
    }
    fd = api_log_folder_open(folder, name, &size);
    if (fd < 0)
        api_answer_html_error_page(rq, 404, "Not Found", NULL);
    else
        api_answer_file(rq, 200, "text/plain;charset=utf-8", fd, 0, (uint64_t)size);
}
