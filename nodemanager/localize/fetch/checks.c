/* What each resource has to be, and how much it may take. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "nodemanager/localize/fetch/fetch.h"

#define FOLDER_DEPTH_MAX 100 /* folders within folders; links may lead back to one above */

int fetch_charge_bytes(struct fetch *f, int64_t bytes, struct base_error *err)
{
    if (bytes < 0 || bytes > f->max_bytes - f->bytes)
        return base_error_set(err, -BASE_ELIMIT,
                              "Resource %.1000s takes more than the %lld bytes "
                              "of creel.nodemanager.localizer.max-mb",
                              f->url, (long long)f->max_bytes);
    f->bytes += bytes;
    return 0;
}

/* Formats a time as Hadoop's Times.formatISO8601() does. */
static const char *format_time(int64_t ms, char room[static 64])
{
    time_t s = (time_t)(ms / 1000 - (ms % 1000 < 0));
    struct tm tm;
    char day[40];

    if (!gmtime_r(&s, &tm) || !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(room, 64, "%lld", (long long)ms);
    else
        snprintf(room, 64, "%s.%03d+0000", day, (int)(((ms % 1000) + 1000) % 1000));
    return room;
}

int fetch_check_size_and_time(const struct fetch *f, int64_t size, int64_t at_ms, bool same_time,
                              struct base_error *err)
{
    char expected[64], was[64];

    if (!same_time)
        return base_error_set(err, -BASE_ESTATE,
                              "Resource %.1000s changed on src filesystem - expected: \"%s\", "
                              "was: \"%s\"",
                              f->url, format_time(f->timestamp_ms, expected),
                              at_ms == FETCH_TIME_UNKNOWN_MS ? "unknown" : format_time(at_ms, was));
    if (f->size > 0 && size != f->size)
        return base_error_set(err, -BASE_ESTATE,
                              "Resource %.1000s changed on src filesystem - expected: %lld bytes, "
                              "was: %lld bytes",
                              f->url, (long long)f->size, (long long)size);
    return 0;
}

int fetch_charge_entry(struct fetch *f, int depth, struct base_error *err)
{
    if (depth > FOLDER_DEPTH_MAX)
        return base_error_set(err, -BASE_ELIMIT,
                              "Resource %.1000s has more than %d folders within each other", f->url,
                              FOLDER_DEPTH_MAX);
    if (f->entries == FETCH_ENTRIES_MAX)
        return base_error_set(err, -BASE_ELIMIT,
                              "Resource %.1000s has more than %d files and folders", f->url,
                              FETCH_ENTRIES_MAX);
    f->entries++;
    return fetch_charge_bytes(f, FETCH_ENTRY_BYTES, err);
}

int fetch_make_folder(struct fetch *f, int in, const char *name, struct base_error *err)
{
    int fd = mkdirat(in, name, 0755) < 0
                 ? -1
                 : openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url) : fd;
}
