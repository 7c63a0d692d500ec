/* Unpacks archives with libarchive.
 *
 * Nothing outside of the folder is written, and no link in it leads outside:
 *  - A member's name is relative and has no "..". libarchive follows no link on the way to it.
 *  - A symbolic link may have ".." only at its beginning, and at most as many as there are folders
 *    above the link. Since those are real folders and no links, the target is inside; the same
 *    holds for further links on the way.
 *  - A hard link names a plain file that has been unpacked before.
 *  - Anything else (device, FIFO, socket) is refused. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/plain.h"
#include "base/text/java_regex.h"
#include "nodemanager/localize/fetch/fetch.h"

#define BLOCK (1 << 16)

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcasecmp(text + n - m, end) == 0;
}

static bool is_zip(const struct fetch *f)
{
    return ends_with(f->name, ".jar") || ends_with(f->name, ".zip");
}

bool fetch_is_archive(const struct fetch *f)
{
    return f->type != FETCH_FILE && (is_zip(f) || ends_with(f->name, ".tar.gz") ||
                                     ends_with(f->name, ".tgz") || ends_with(f->name, ".tar"));
}

static int refuse_member(const struct fetch *f, const char *member, const char *why,
                         struct base_error *err)
{
    return base_error_set(err, -BASE_EPERM, "Resource %.700s: archive member \"%.300s\" %s", f->url,
                          member, why);
}

static int report_archive_error(const struct fetch *f, struct archive *a, struct base_error *err)
{
    const char *why = archive_error_string(a);
    int sys = archive_errno(a);

    if (sys == ENOSPC || sys == EDQUOT)
        return base_error_sys(err, -BASE_ENOSPC, sys, "Resource %.1000s", f->url);
    return base_error_set(err, -BASE_EIO, "Resource %.1000s cannot be unpacked: %s", f->url,
                          why ? why : "unknown error");
}

/* ---- names ---- */

/* Returns the number of folders above the last part of a relative @path, or -1 when the path is
 * absolute or has "..". "." and empty parts do not count. */
static int count_folders_above(const char *path)
{
    int parts = 0;

    if (*path == '/')
        return -1;
    while (*path) {
        size_t n = strcspn(path, "/");

        if (n == 2 && memcmp(path, "..", 2) == 0)
            return -1;
        parts += n > 0 && !(n == 1 && *path == '.');
        path += n + (path[n] == '/');
    }
    return parts > 0 ? parts - 1 : 0;
}

/* Returns true when a link with this text, @above folders below the top, stays below the top. */
static bool link_stays_inside(const char *text, int above)
{
    if (*text == '/' || *text == '\0')
        return false;
    while (strncmp(text, "../", 3) == 0 || strcmp(text, "..") == 0) {
        if (above-- == 0)
            return false;
        text += text[2] ? 3 : 2;
        text += strspn(text, "/");
    }
    return count_folders_above(text) >= 0;
}

/* Refuses members that are not plain files, folders, or links that stay inside. @top: the folder
 * that is being filled. */
static int check_member(const struct fetch *f, struct archive_entry *e, int top,
                        struct base_error *err)
{
    const char *name = archive_entry_pathname(e), *hard, *text;
    int above, fd;

    if (!name || !*name)
        return refuse_member(f, "", "has no name", err);
    above = count_folders_above(name);
    if (above < 0)
        return refuse_member(f, name, "would be written outside of the archive's folder", err);
    hard = archive_entry_hardlink(e);
    if (hard) {
        fd = count_folders_above(hard) < 0 ? -1
                                           : base_plain_open_below(top, hard, O_RDONLY, 0, NULL);
        if (fd < 0)
            return refuse_member(f, name, "is a link to a file that the archive does not have",
                                 err);
        close(fd);
        return 0;
    }
    switch (archive_entry_filetype(e)) {
    case AE_IFREG:
    case AE_IFDIR:
        return 0;
    case AE_IFLNK:
        text = archive_entry_symlink(e);
        return text && link_stays_inside(text, above)
                   ? 0
                   : refuse_member(f, name, "is a link that leads outside of the archive's folder",
                                   err);
    default:
        return refuse_member(f, name, "is not a file, a folder or a link", err);
    }
}

/* ---- unpacking ---- */

static int copy_member_data(struct fetch *f, struct archive *from, struct archive *to,
                            struct base_error *err)
{
    const void *part;
    size_t n;
    la_int64_t at, end = 0;
    int rc;

    while ((rc = archive_read_data_block(from, &part, &n, &at)) == ARCHIVE_OK) {
        /* holes count too: without them a member could claim any size */
        if (at < end || at > f->max_bytes || fetch_charge_bytes(f, at - end + (int64_t)n, err) < 0)
            return fetch_charge_bytes(f, -1, err);
        end = at + (la_int64_t)n;
        if (archive_write_data_block(to, part, n, at) < ARCHIVE_WARN)
            return report_archive_error(f, to, err);
    }
    return rc == ARCHIVE_EOF ? 0 : report_archive_error(f, from, err);
}

static int unpack_member(struct fetch *f, struct archive *from, struct archive *to,
                         struct archive_entry *e, int top, struct base_error *err)
{
    bool folder = archive_entry_filetype(e) == AE_IFDIR;
    int rc = check_member(f, e, top, err);

    if (rc == 0)
        rc = fetch_charge_bytes(f, FETCH_ENTRY_BYTES, err);
    if (rc < 0)
        return rc;
    /* as YARN does: everything may be read and run, and nothing changed (umask does the rest) */
    archive_entry_set_perm(e, folder ? 0755 : 0555);
    if (archive_write_header(to, e) < ARCHIVE_WARN)
        return report_archive_error(f, to, err);
    if (!folder && archive_entry_filetype(e) == AE_IFREG && !archive_entry_hardlink(e))
        rc = copy_member_data(f, from, to, err);
    if (rc == 0 && archive_write_finish_entry(to) < ARCHIVE_WARN)
        rc = report_archive_error(f, to, err);
    return rc;
}

/* Compiles the pattern that chooses members. Returns NULL when all are to be unpacked. As in YARN,
 * only jars are unpacked by pattern. */
static struct base_java_regex *compile_choice(const struct fetch *f)
{
    bool chosen = f->type == FETCH_PATTERN && *f->pattern && ends_with(f->name, ".jar");

    return chosen ? base_java_regex_compile(f->pattern, BASE_REGEX_MATCH) : NULL;
}

/* Folders are made for the files in them. */
static bool is_chosen(const struct base_java_regex *choice, struct archive_entry *e)
{
    const char *name = archive_entry_pathname(e);

    return archive_entry_filetype(e) != AE_IFDIR && name && base_java_regex_matches(choice, name);
}

static int unpack_all(struct fetch *f, struct archive *from, struct archive *to, int top,
                      const struct base_java_regex *choice, struct base_error *err)
{
    struct archive_entry *e;
    int rc;

    for (int n = 0; (rc = archive_read_next_header(from, &e)) != ARCHIVE_EOF; n++) {
        if (rc < ARCHIVE_WARN)
            return report_archive_error(f, from, err);
        if (n == FETCH_ENTRIES_MAX)
            return base_error_set(err, -BASE_ELIMIT, "Resource %.1000s has more than %d members",
                                  f->url, FETCH_ENTRIES_MAX);
        if (choice && !is_chosen(choice, e))
            continue;
        rc = unpack_member(f, from, to, e, top, err);
        if (rc < 0)
            return rc;
    }
    return archive_write_close(to) < ARCHIVE_WARN ? report_archive_error(f, to, err) : 0;
}

/* Only the formats that the name stands for are enabled: every further one is more code that reads
 * untrusted data. */
static struct archive *open_archive(const struct fetch *f, int from)
{
    struct archive *a = archive_read_new();

    base_assert(a);
    if (is_zip(f)) {
        archive_read_support_format_zip(a);
    } else {
        archive_read_support_format_tar(a);
        if (!ends_with(f->name, ".tar"))
            archive_read_support_filter_gzip(a);
    }
    archive_read_open_fd(a, from, BLOCK);
    return a;
}

int fetch_unpack(struct fetch *f, int from, struct base_error *err)
{
    struct archive *in, *out;
    struct base_java_regex *choice;
    int top, rc;

    if (mkdirat(f->data_fd, f->name, 0755) < 0 ||
        (top = openat(f->data_fd, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    /* libarchive writes below the working folder */
    rc = fchdir(top) < 0 ? base_error_sys(err, -BASE_EIO, errno, "the cache's folder") : 0;
    if (rc == 0) {
        in = open_archive(f, from);
        out = archive_write_disk_new();
        base_assert(out);
        archive_write_disk_set_options(out, ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                                                ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                                                ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS);
        choice = compile_choice(f);
        rc = unpack_all(f, in, out, top, choice, err);
        base_java_regex_free(choice);
        archive_write_free(out);
        archive_read_free(in);
    }
    if (rc == 0 && f->type == FETCH_PATTERN && ends_with(f->name, ".jar"))
        rc = lseek(from, 0, SEEK_SET) == 0
                 ? fetch_copy_to_file(f, from, top, f->name, err)
                 : base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
    close(top);
    return rc;
}
