/* Turns the map command's output into output/file.out: adds prefixes, sorts, strips prefixes,
 * combines, checks the order, and writes the index.
 *
 *   reduces == 1, no combine   map --count--> sort --> file.out
 *   reduces == 1, combine      map --count--> sort --> COMBINE --check--> file.out
 *   otherwise                  map --count, prefix--> sort --strip-->
 *                                                [COMBINE per partition --check-->] file.out
 *
 * A combine command may print anything in any order; a partition that comes out of order, or with a
 * byte below TAB (nodemanager/task/sort.h), is sorted again by key. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/task/child.h"
#include "nodemanager/task/scan.h"
#include "nodemanager/task/sort.h"

#define PREFIX_FIRST 0x10u /* prefix bytes range from 0x10 to 0xff, so none is a newline or TAB */
#define PREFIX_BASE  240u

struct task_sorter {
    struct task *t;
    unsigned reduces, width; /* width: bytes of prefix; 0: one partition */
    bool combine, low;
    bool *again;    /* [reduces] partitions to sort again */
    char *prefixes; /* [reduces][4] */
    struct task_child sort;
    int in, out; /* stdin of sort; stdout of sort unless it is the file */
    int file;    /* file.out */
    char *path;
    int64_t written;
    struct base_buf lines; /* unprocessed input; reserved, not NUL-terminated */
    char *block;           /* TASK_IO_BYTES of output */
    size_t block_len;
};

static void compute_partition_prefixes(struct task_sorter *s)
{
    s->width = s->reduces == 1                           ? 0
               : s->reduces <= PREFIX_BASE               ? 1
               : s->reduces <= PREFIX_BASE * PREFIX_BASE ? 2
                                                         : 3;
    s->prefixes = base_alloc((size_t)s->reduces * 4);
    for (unsigned p = 0; p < s->reduces; p++) {
        unsigned v = p;

        for (unsigned i = s->width; i-- > 0; v /= PREFIX_BASE)
            s->prefixes[p * 4 + i] = (char)(uint8_t)(PREFIX_FIRST + v % PREFIX_BASE);
    }
}

static unsigned partition_of_prefix(const struct task_sorter *s, const char *prefix)
{
    unsigned v = 0;

    for (unsigned i = 0; i < s->width; i++)
        v = v * PREFIX_BASE + ((uint8_t)prefix[i] - PREFIX_FIRST);
    return v;
}

int task_sorter_new(struct task *t, struct task_sorter **out, struct base_error *err)
{
    struct task_sorter *s = base_alloc(sizeof *s);
    bool direct = t->spec.reduces == 1 && t->spec.combine == NULL;
    int in[2] = {-1, -1}, to[2] = {-1, -1}, rc;

    *out = s;
    s->t = t;
    s->reduces = (unsigned)t->spec.reduces;
    s->combine = t->spec.combine != NULL;
    s->again = base_alloc(s->reduces * sizeof *s->again);
    s->block = base_alloc(TASK_IO_BYTES + 4); /* a prefix is copied as 4 bytes */
    t->partitions = base_alloc(s->reduces * sizeof *t->partitions);
    s->in = s->out = -1;
    compute_partition_prefixes(s);
    s->path = base_printf("%s/file.out", t->out);
    s->file = task_open_plain_file(s->path, O_RDWR | O_CREAT | O_TRUNC, err);
    if (s->file < 0)
        return s->file;
    rc = task_pipe_create(in, err);
    if (rc == 0 && !direct)
        rc = task_pipe_create(to, err);
    if (rc == 0)
        rc =
            task_sort_start_process(t, &s->sort, in[0], direct ? s->file : to[1], false, NULL, err);
    if (in[0] >= 0)
        close(in[0]);
    if (to[1] >= 0)
        close(to[1]);
    s->in = in[1];
    s->out = to[0];
    return rc;
}

/* A failed write means that sort has died, since sort never closes its stdin early. */
static int write_to_sort(struct task_sorter *s, const char *p, size_t n, struct base_error *err)
{
    int rc = base_write_all(s->in, p, n);

    if (rc == 0)
        return 0;
    base_error_sys(err, -BASE_EIO, -rc, "writing to sort");
    rc = task_child_wait(s->t, &s->sort, err);
    return rc < 0 ? rc : -BASE_EIO;
}

static int write_to_output_file(struct task_sorter *s, const char *p, size_t n,
                                struct base_error *err)
{
    int rc = base_write_all(s->file, p, n);

    s->written += (int64_t)n;
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, -rc, "%s", s->path);
}

/* ---- writing to sort ---- */

static int copy_single_partition(struct task_sorter *s, int fd, struct base_error *err)
{
    struct task_partition *p = &s->t->partitions[0];
    char last = '\n';
    ssize_t n;
    int rc;

    while ((n = task_read_retrying(fd, s->block, TASK_IO_BYTES)) > 0) {
        size_t lines = task_count_lines(s->block, (size_t)n, &s->low);

        p->records += (int64_t)lines;
        p->bytes += n;
        task_counter_add(s->t, BASE_COUNT_MAP_OUTPUT_RECORDS, (int64_t)lines);
        task_counter_add(s->t, BASE_COUNT_MAP_OUTPUT_BYTES, n);
        last = s->block[n - 1];
        rc = write_to_sort(s, s->block, (size_t)n, err);
        if (rc < 0)
            return rc;
    }
    if (n < 0)
        return base_error_sys(err, -BASE_EIO, (int)-n, "reading the command's output");
    if (last != '\n') {
        p->records++;
        p->bytes++;
        task_counter_add(s->t, BASE_COUNT_MAP_OUTPUT_RECORDS, 1);
        task_counter_add(s->t, BASE_COUNT_MAP_OUTPUT_BYTES, 1);
        return write_to_sort(s, "\n", 1, err);
    }
    return 0;
}

static int flush_block_to_sort(struct task_sorter *s, struct base_error *err)
{
    int rc = s->block_len > 0 ? write_to_sort(s, s->block, s->block_len, err) : 0;

    s->block_len = 0;
    return rc;
}

/* Writes the lines in [p,end) with their prefixes. The hash is FNV-1a (64 bits) of the key: the
 * bytes before the first TAB, or the whole line. One pass computes the hash and finds the end of
 * the key. */
static int write_prefixed_lines(struct task_sorter *s, const char *p, const char *end,
                                struct base_error *err)
{
    const unsigned width = s->width, reduces = s->reduces;
    int rc;

    while (p < end) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        const char *q = p;
        unsigned part;
        size_t len;

        while (*q != '\t' && *q != '\n')
            hash = (hash ^ (uint8_t)*q++) * UINT64_C(0x100000001b3);
        if (*q == '\t')
            q = memchr(q, '\n', (size_t)(end - q));
        part = (unsigned)(hash % reduces);
        len = (size_t)(q + 1 - p);
        s->t->partitions[part].records++;
        s->t->partitions[part].bytes += (int64_t)len;
        if (s->block_len + width + len > TASK_IO_BYTES) {
            rc = flush_block_to_sort(s, err);
            if (rc < 0)
                return rc;
        }
        memcpy(s->block + s->block_len, s->prefixes + part * 4, 4);
        s->block_len += width;
        if (s->block_len + len <= TASK_IO_BYTES) {
            memcpy(s->block + s->block_len, p, len);
            s->block_len += len;
        } else { /* the line is longer than a block */
            rc = flush_block_to_sort(s, err);
            if (rc == 0)
                rc = write_to_sort(s, p, len, err);
            if (rc < 0)
                return rc;
        }
        p += len;
    }
    return 0;
}

/* Appends more input after the incomplete line in @b. Returns the number of bytes read, 0 at the
 * end, where a missing last newline is added, or a negative error. */
static ssize_t read_more_lines(struct base_buf *b, int fd, const char *whose,
                               struct base_error *err)
{
    ssize_t n;

    if (b->len > TASK_LINE_MAX)
        return base_error_set(err, -BASE_ELIMIT, "%s has a line longer than %u bytes", whose,
                              TASK_LINE_MAX);
    base_buf_reserve(b, TASK_IO_BYTES);
    n = task_read_retrying(fd, b->data + b->len, TASK_IO_BYTES);
    if (n < 0)
        return base_error_sys(err, -BASE_EIO, (int)-n, "reading the output of %s", whose);
    b->len += (size_t)n;
    if (n == 0 && b->len > 0) {
        b->data[b->len++] = '\n';
        return 0;
    }
    return n;
}

/* Returns the end of the last complete line in @b, or its start if there is none. Only the last
 * @fresh bytes are searched, since the older bytes contain no newline. */
static const char *find_end_of_last_line(const struct base_buf *b, size_t fresh)
{
    const char *nl = memrchr(b->data + b->len - fresh, '\n', fresh);

    return nl != NULL ? nl + 1 : b->data;
}

/* Moves the incomplete line at @from to the front. */
static void keep_incomplete_line(struct base_buf *b, const char *from)
{
    b->len = (size_t)(b->data + b->len - from);
    memmove(b->data, from, b->len);
}

static int copy_lines_with_prefix(struct task_sorter *s, int fd, struct base_error *err)
{
    ssize_t n;

    do {
        const char *end;
        size_t lines;
        int rc;

        n = read_more_lines(&s->lines, fd, "the map command", err);
        if (n < 0)
            return (int)n;
        if (s->lines.len == 0)
            break;
        end = find_end_of_last_line(&s->lines, n > 0 ? (size_t)n : 1);
        lines = task_count_lines(s->lines.data, (size_t)(end - s->lines.data), &s->low);
        task_counter_add(s->t, BASE_COUNT_MAP_OUTPUT_RECORDS, (int64_t)lines);
        task_counter_add(s->t, BASE_COUNT_MAP_OUTPUT_BYTES, end - s->lines.data);
        rc = write_prefixed_lines(s, s->lines.data, end, err);
        if (rc < 0)
            return rc;
        keep_incomplete_line(&s->lines, end);
    } while (n > 0);
    return flush_block_to_sort(s, err);
}

int task_sorter_read_map_output(struct task_sorter *s, int fd, struct base_error *err)
{
    return s->width == 0 ? copy_single_partition(s, fd, err) : copy_lines_with_prefix(s, fd, err);
}

/* ---- reading from sort ---- */

/* State of the thread that moves a combine command's output to the file. */
struct collector {
    struct task_sorter *s;
    unsigned part;
    int fd;
    pthread_t thread;
    struct base_buf lines, before; /* before: the last line already written */
    int rc;
    struct base_error err;
};

static int compare_lines(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int c = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return c != 0 ? c : (a_len > b_len) - (a_len < b_len);
}

/* Compares neighbouring lines without their newlines, as sort does. Marks the partition for another
 * sort if they are out of order. */
static void mark_for_resort_if_unordered(struct collector *c, const char *p, const char *end)
{
    const char *last = c->before.data;
    size_t last_len = c->before.len;
    bool first = last == NULL;

    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)(nl - p);

        if (!first && compare_lines(last, last_len, p, len) > 0) {
            c->s->again[c->part] = true;
            return;
        }
        first = false;
        last = p;
        last_len = len;
        p = nl + 1;
    }
    if (last != c->before.data) {
        base_buf_clear(&c->before);
        base_buf_add(&c->before, last, last_len);
    }
}

static int collect_combined_output(struct collector *c)
{
    struct task_partition *part = &c->s->t->partitions[c->part];
    ssize_t n;

    do {
        const char *end;
        bool low = false;
        int rc;

        n = read_more_lines(&c->lines, c->fd, "the combine command", &c->err);
        if (n < 0)
            return (int)n;
        if (c->lines.len == 0)
            break;
        end = find_end_of_last_line(&c->lines, n > 0 ? (size_t)n : 1);
        part->records +=
            (int64_t)task_count_lines(c->lines.data, (size_t)(end - c->lines.data), &low);
        part->bytes += end - c->lines.data;
        c->s->again[c->part] |= low;
        if (!c->s->again[c->part])
            mark_for_resort_if_unordered(c, c->lines.data, end);
        rc = write_to_output_file(c->s, c->lines.data, (size_t)(end - c->lines.data), &c->err);
        if (rc < 0)
            return rc;
        keep_incomplete_line(&c->lines, end);
    } while (n > 0);
    return 0;
}

static void *collector_thread(void *arg)
{
    struct collector *c = arg;

    c->rc = collect_combined_output(c);
    close(c->fd); /* close now: a failed write must end the command, not block it */
    return NULL;
}

static int collector_start(struct collector *c, struct task_sorter *s, unsigned part, int fd,
                           struct base_error *err)
{
    int rc;

    memset(c, 0, sizeof *c);
    c->s = s;
    c->part = part;
    c->fd = fd;
    memset(&s->t->partitions[part], 0, sizeof s->t->partitions[part]);
    rc = pthread_create(&c->thread, NULL, collector_thread, c);
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, rc, "collector thread");
}

static int collector_join(struct collector *c, struct base_error *err)
{
    pthread_join(c->thread, NULL);
    base_buf_free(&c->lines);
    base_buf_free(&c->before);
    if (c->rc < 0 && err != NULL)
        *err = c->err;
    return c->rc;
}

/* Starts COMBINE reading @in, and a collector for its output. */
static int combine_start(struct task_sorter *s, unsigned part, int in, struct task_child *child,
                         struct collector *c, struct base_error *err)
{
    int out[2];
    int rc = task_pipe_create(out, err);

    if (rc < 0)
        return rc;
    rc =
        task_child_start_shell(s->t, child, "combine command", s->t->spec.combine, in, out[1], err);
    close(out[1]);
    if (rc == 0)
        rc = collector_start(c, s, part, out[0], err);
    return rc;
}

static int combine_finish(struct task_sorter *s, struct task_child *child, struct collector *c,
                          struct base_error *err)
{
    int rc = collector_join(c, err);

    if (rc == 0)
        return task_child_wait(s->t, child, err);
    task_child_kill_and_reap(child);
    return rc;
}

static int combine_single_partition(struct task_sorter *s, struct base_error *err)
{
    struct task_child child;
    struct collector c;
    int rc;

    if (s->t->partitions[0].records == 0)
        return 0;
    rc = combine_start(s, 0, s->out, &child, &c, err);
    /* only the combine command holds sort's output now, so sort ends if the command stops
     * reading */
    close(s->out);
    s->out = -1;
    if (rc < 0)
        return rc;
    return combine_finish(s, &child, &c, err);
}

/* State while the prefixes are stripped from sort's output and one partition at a time is passed
 * on. */
struct drain {
    struct task_sorter *s;
    unsigned part;
    bool open;
    bool deaf; /* the combine command has stopped reading */
    int in;    /* stdin of the combine command */
    struct task_child child;
    struct collector collector;
    char *block; /* stripped lines */
    size_t len;
};

static int drain_flush_block(struct drain *d, struct base_error *err)
{
    int rc = 0;

    if (!d->s->combine) {
        rc = write_to_output_file(d->s, d->block, d->len, err);
    } else if (!d->deaf) {
        rc = base_write_all(d->in, d->block, d->len);
        d->deaf = rc == -EPIPE;
        rc = rc == 0 || d->deaf
                 ? 0
                 : base_error_sys(err, -BASE_EIO, -rc, "writing to the combine command");
    }
    d->len = 0;
    return rc;
}

static int drain_append_and_flush_full(struct drain *d, const char *p, size_t n,
                                       struct base_error *err)
{
    while (n > 0) {
        size_t room = TASK_IO_BYTES - d->len, k = n < room ? n : room;

        memcpy(d->block + d->len, p, k);
        d->len += k;
        p += k;
        n -= k;
        if (d->len == TASK_IO_BYTES) {
            int rc = drain_flush_block(d, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int drain_close_partition(struct drain *d, struct base_error *err)
{
    int rc;

    if (!d->open)
        return 0;
    d->open = false;
    rc = d->len > 0 ? drain_flush_block(d, err) : 0;
    if (d->s->combine) {
        close(d->in);
        if (rc == 0)
            rc = combine_finish(d->s, &d->child, &d->collector, err);
    }
    return rc;
}

static int drain_open_partition(struct drain *d, unsigned part, struct base_error *err)
{
    int in[2], rc;

    d->part = part;
    d->deaf = false;
    d->open = true;
    if (!d->s->combine)
        return 0;
    rc = task_pipe_create(in, err);
    if (rc < 0)
        return rc;
    rc = combine_start(d->s, part, in[0], &d->child, &d->collector, err);
    close(in[0]);
    d->in = in[1];
    return rc;
}

static int drain_strip_lines(struct drain *d, const char *p, const char *end,
                             struct base_error *err)
{
    const unsigned width = d->s->width;
    int rc;

    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));

        if (!d->open || memcmp(p, d->s->prefixes + d->part * 4, width) != 0) {
            rc = drain_close_partition(d, err);
            if (rc == 0)
                rc = drain_open_partition(d, partition_of_prefix(d->s, p), err);
            if (rc < 0)
                return rc;
        }
        rc = drain_append_and_flush_full(d, p + width, (size_t)(nl + 1 - p) - width, err);
        if (rc < 0)
            return rc;
        p = nl + 1;
    }
    return 0;
}

static int drain_sort_output(struct task_sorter *s, struct base_error *err)
{
    struct drain d = {.s = s, .block = s->block};
    ssize_t n;
    int rc = 0;

    do {
        const char *end;

        n = read_more_lines(&s->lines, s->out, "sort", err);
        if (n < 0)
            return (int)n;
        if (n == 0)
            break; /* sort's output ends with a complete line */
        end = find_end_of_last_line(&s->lines, (size_t)n);
        rc = drain_strip_lines(&d, s->lines.data, end, err);
        if (rc < 0)
            return rc;
        keep_incomplete_line(&s->lines, end);
    } while (n > 0);
    return drain_close_partition(&d, err);
}

/* ---- sorting again, and the index ---- */

struct pump {
    int from, to;
    int64_t offset, bytes;
    int rc;
};

static void *copy_range_to_pipe_thread(void *arg)
{
    struct pump *p = arg;
    char *buf = base_alloc(TASK_IO_BYTES);

    while (p->rc == 0 && p->bytes > 0) {
        size_t want = p->bytes < (int64_t)TASK_IO_BYTES ? (size_t)p->bytes : TASK_IO_BYTES;
        ssize_t n = pread(p->from, buf, want, p->offset);

        if (n <= 0) {
            p->rc = n < 0 ? -errno : -EIO;
        } else {
            p->rc = base_write_all(p->to, buf, (size_t)n);
            p->offset += n;
            p->bytes -= n;
        }
    }
    close(p->to);
    free(buf);
    return NULL;
}

/* Sorts a partition in place. This is safe because sort reads all input before it writes, and
 * writes exactly as much. */
static int sort_partition_by_key(struct task_sorter *s, const struct task_partition *part,
                                 struct base_error *err)
{
    struct pump p = {.offset = part->offset, .bytes = part->bytes};
    struct task_child child;
    pthread_t thread;
    int in[2], out, rc = task_pipe_create(in, err);

    if (rc < 0)
        return rc;
    out = task_open_plain_file(s->path, O_WRONLY, err);
    if (out < 0)
        return out;
    if (lseek(out, part->offset, SEEK_SET) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", s->path);
    rc = task_sort_start_process(s->t, &child, in[0], out, true, NULL, err);
    close(in[0]);
    close(out);
    if (rc < 0)
        return rc;
    p.from = s->file;
    p.to = in[1];
    rc = pthread_create(&thread, NULL, copy_range_to_pipe_thread, &p);
    if (rc != 0)
        return base_error_sys(err, -BASE_EIO, rc, "pump thread");
    pthread_join(thread, NULL);
    rc = task_child_wait(s->t, &child, err);
    if (rc == 0 && p.rc < 0)
        rc = base_error_sys(err, -BASE_EIO, -p.rc, "%s", s->path);
    task_counter_add(s->t, BASE_COUNT_SPILLED_RECORDS, part->records);
    return rc;
}

static int write_partition_index(struct task_sorter *s, struct base_error *err)
{
    char *path = base_printf("%s/file.index", s->t->out);
    struct base_buf b = {0};
    int rc;

    for (unsigned p = 0; p < s->reduces; p++) {
        const struct task_partition *part = &s->t->partitions[p];

        base_buf_addf(&b, "%lld %lld %lld\n", (long long)part->offset, (long long)part->bytes,
                      (long long)part->records);
    }
    rc = base_file_write_atomic(path, b.data, b.len, 0640, false, err);
    base_buf_free(&b);
    free(path);
    return rc;
}

static int resort_and_index_partitions(struct task_sorter *s, struct base_error *err)
{
    int64_t offset = 0;

    for (unsigned p = 0; p < s->reduces; p++) {
        struct task_partition *part = &s->t->partitions[p];

        part->offset = offset;
        offset += part->bytes;
        task_counter_add(s->t, BASE_COUNT_SPILLED_RECORDS, part->records);
        if (s->combine)
            task_counter_add(s->t, BASE_COUNT_COMBINE_OUTPUT_RECORDS, part->records);
    }
    if (lseek(s->file, 0, SEEK_END) != offset)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: the sorted output differs in size from its input", s->path);
    for (unsigned p = 0; p < s->reduces; p++) {
        int rc = (s->again[p] || s->low) && s->t->partitions[p].records > 1
                     ? sort_partition_by_key(s, &s->t->partitions[p], err)
                     : 0;
        if (rc < 0)
            return rc;
    }
    return write_partition_index(s, err);
}

int task_sorter_finish(struct task_sorter *s, struct base_error *err)
{
    int rc = 0;

    close(s->in);
    s->in = -1;
    task_counter_add(s->t, BASE_COUNT_SPILLS, 1);
    if (s->combine)
        task_counter_add(s->t, BASE_COUNT_COMBINE_INPUT_RECORDS,
                         atomic_load(&s->t->counter[BASE_COUNT_MAP_OUTPUT_RECORDS]));
    if (s->width > 0)
        rc = drain_sort_output(s, err);
    else if (s->combine)
        rc = combine_single_partition(s, err);
    if (s->out >= 0)
        close(s->out);
    s->out = -1;
    if (rc < 0) {
        task_child_kill_and_reap(&s->sort);
        return rc;
    }
    /* A combine command that has read enough ends sort by SIGPIPE. In all other cases an early end
     * of sort would lose data. */
    s->sort.sigpipe_ok = s->combine && s->width == 0;
    rc = task_child_wait(s->t, &s->sort, err);
    return rc < 0 ? rc : resort_and_index_partitions(s, err);
}

void task_sorter_free(struct task_sorter *s)
{
    if (s == NULL)
        return;
    if (s->file >= 0)
        close(s->file);
    base_buf_free(&s->lines);
    free(s->again);
    free(s->prefixes);
    free(s->block);
    free(s->path);
    free(s);
}
