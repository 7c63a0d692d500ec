#include "nodemanager/shuffle/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/equal.h"
#include "base/hadoop/credentials.h"
#include "base/io/log.h"
#include "base/io/log_limit.h"
#include "base/mem.h"
#include "base/sat.h"
#include "base/utf8.h"
#include "nodemanager/shuffle/output.h"

#define SECOND     INT64_C(1000000)
#define HEAD_S     15
#define STALL_S    120
#define ENDING_S   5
#define TURN_BYTES (4 << 20) /* sent, or read of indexes, before others have their turn */
#define AHEAD      (4 << 20) /* bytes of a part that are read from the disk in advance */
/* Parts up to SMALL bytes are copied while they are looked up, as long as an answer has no more
 * than SMALL_ALL of such bytes: to open their files once more would cost more. */
#define SMALL     16384
#define SMALL_ALL 65536

#define WARN_EVERY_MS   1000
#define UNKNOWN_JOB_MAX 80 /* bytes of a refusal */

enum state { READING, FINDING, SENDING, ENDING };

struct part {
    struct nm_shuffle_part at;
    bool copied;
    size_t copy; /* where in the copied bytes */
};
struct nm_shuffle_connection {
    const struct nm_shuffle_site *site;
    int fd;
    enum state state;
    int64_t late_us;
    char *in; /* NM_SHUFFLE_HEAD_MAX bytes; NULL: nothing has come */
    size_t in_len, head_len;
    struct nm_shuffle_request rq;
    struct nm_shuffle_outputs outputs;
    char reply[NM_SHUFFLE_HASH];
    struct part *parts;    /* of rq.maps */
    size_t found;          /* parts that have been looked up */
    struct base_buf small; /* bytes of parts that have been copied */
    size_t next;           /* the map whose part comes next */
    struct base_buf out;   /* bytes before the file's */
    size_t out_sent;
    int file; /* -1: none */
    int64_t file_at, file_end;
    bool keep_alive, proven; /* proven: a request of this connection was */
    bool turned_away;
};

struct nm_shuffle_connection *nm_shuffle_connection_new(const struct nm_shuffle_site *site, int fd,
                                                        int64_t now_us)
{
    struct nm_shuffle_connection *c = base_alloc(sizeof *c);

    c->site = site;
    c->fd = fd;
    c->file = c->outputs.folder = -1;
    c->late_us = now_us + HEAD_S * SECOND;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    atomic_fetch_add_explicit(&site->counts->connections, 1, memory_order_relaxed);
    return c;
}

static void close_file(struct nm_shuffle_connection *c)
{
    if (c->file >= 0)
        close(c->file);
    c->file = -1;
}

static void free_request(struct nm_shuffle_connection *c)
{
    nm_shuffle_request_free(&c->rq);
    nm_shuffle_outputs_close(&c->outputs);
    base_buf_free(&c->small);
    free(c->parts);
    c->parts = NULL;
}

void nm_shuffle_connection_free(struct nm_shuffle_connection *c)
{
    atomic_fetch_sub_explicit(&c->site->counts->connections, 1, memory_order_relaxed);
    close_file(c);
    close(c->fd);
    free_request(c);
    free(c->in);
    base_buf_free(&c->out);
    free(c);
}

int nm_shuffle_connection_fd(const struct nm_shuffle_connection *c)
{
    return c->fd;
}

bool nm_shuffle_connection_is_unproven(const struct nm_shuffle_connection *c)
{
    return !c->proven && !c->turned_away && c->state != SENDING;
}

bool nm_shuffle_connection_is_late(const struct nm_shuffle_connection *c, int64_t now_us)
{
    return now_us > c->late_us;
}

/* ---- answers ---- */

static const char *reason_of(unsigned status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 405:
        return "Method Not Allowed";
    case 429:
        return "TOO MANY REQUESTS";
    default:
        return "Internal Server Error";
    }
}

/* SOURCE: the headers of YARN's ShuffleHandler, in its order. */
static void put_refusal(struct nm_shuffle_connection *c, unsigned status, const char *text)
{
    atomic_fetch_add_explicit(&c->site->counts->failed, 1, memory_order_relaxed);
    base_buf_clear(&c->out);
    c->out_sent = 0;
    base_buf_addf(&c->out,
                  "HTTP/1.1 %u %s\r\ncontent-type: text/plain; charset=UTF-8\r\n"
                  "name: mapreduce\r\nversion: 1.0.0\r\n%scontent-length: %zu\r\n\r\n%s",
                  status, reason_of(status), status == 429 ? "Retry-After: 1000\r\n" : "",
                  strlen(text), text);
    c->rq.maps_n = 0;
    c->keep_alive = false;
    c->state = SENDING;
}

/* Appends what comes before the bytes of map @i, which has been found: no number is negative. */
static void add_part_header(const struct nm_shuffle_connection *c, size_t i, struct base_buf *out)
{
    base_hadoop_vint_add(out, c->rq.maps[i].len);
    base_buf_add(out, c->rq.maps[i].at, c->rq.maps[i].len);
    base_hadoop_vint_add(out, (uint64_t)c->parts[i].at.len);
    base_hadoop_vint_add(out, (uint64_t)c->parts[i].at.raw_len);
    base_hadoop_vint_add(out, (uint64_t)c->rq.reduce);
}

static int64_t measure_body(const struct nm_shuffle_connection *c)
{
    struct base_buf headers = {0};
    int64_t bytes = 0;

    for (size_t i = 0; i < c->rq.maps_n; i++) {
        add_part_header(c, i, &headers);
        bytes = base_sat_add(bytes, c->parts[i].at.len); /* a file may seem to have any size */
    }
    bytes = base_sat_add(bytes, (int64_t)headers.len);
    base_buf_free(&headers);
    return bytes;
}

static void put_answer_head(struct nm_shuffle_connection *c)
{
    c->keep_alive = c->site->keep_alive || c->rq.keep_alive;
    base_buf_clear(&c->out);
    c->out_sent = 0;
    base_buf_addf(&c->out,
                  "HTTP/1.1 200 OK\r\nReplyHash: %s\r\nname: mapreduce\r\nversion: 1.0.0\r\n",
                  c->reply);
    if (c->keep_alive)
        base_buf_addf(&c->out, "Connection: Keep-Alive\r\nKeep-Alive: timeout=%lld\r\n",
                      (long long)(c->site->keep_alive_us / SECOND));
    else
        base_buf_adds(&c->out, "Connection: close\r\n");
    base_buf_addf(&c->out, "content-length: %lld\r\n\r\n", (long long)measure_body(c));
    c->next = 0;
    c->state = SENDING;
}

/* ---- a request ---- */

/* Returns NULL if the request proves to know the secret of its job, otherwise why not, in @room or
 * static. */
static const char *check_hash(const struct nm_shuffle_connection *c,
                              struct nm_shuffle_secret *secret, char room[static UNKNOWN_JOB_MAX])
{
    char right[NM_SHUFFLE_HASH];

    if (!nm_shuffle_jobs_find(c->site->jobs, &c->rq.app, secret)) {
        snprintf(room, UNKNOWN_JOB_MAX, "Can't find job token for job job_%lld_%04d !!",
                 (long long)c->rq.app.cluster_ts, c->rq.app.seq);
        return room;
    }
    if (!c->rq.hash.at)
        return "fetcher cannot be authenticated";
    nm_shuffle_hash_request(secret->bytes, secret->len, c->site->port, c->rq.target, right);
    if (c->rq.hash.len != NM_SHUFFLE_HASH - 1 ||
        !base_secret_bytes_equal(c->rq.hash.at, right, NM_SHUFFLE_HASH - 1))
        return "Verification of the hashReply failed";
    return NULL;
}

static void begin_file(struct nm_shuffle_connection *c, int fd, const struct nm_shuffle_part *part)
{
    close_file(c);
    c->file = fd;
    c->file_at = part->offset;
    c->file_end = part->offset + part->len;
    if (part->len)
        posix_fadvise(fd, part->offset, part->len < AHEAD ? part->len : AHEAD, POSIX_FADV_WILLNEED);
}

/* Copies a part that is small. Returns false if it is not, or cannot be read. */
static bool copy_if_small(struct nm_shuffle_connection *c, struct part *p, int fd)
{
    size_t len = (size_t)p->at.len;

    if (p->at.len > SMALL || c->small.len + len > SMALL_ALL)
        return false;
    p->copy = c->small.len;
    base_buf_reserve(&c->small, len);
    p->copied = pread(fd, c->small.data + p->copy, len, p->at.offset) == (ssize_t)len;
    c->small.len += p->copied ? len : 0;
    return p->copied;
}

/* Finds the next parts, until all are found or this turn has read TURN_BYTES of indexes; leaves the
 * file of the first part open unless that is copied. Returns 0 or a negative BASE_E*. */
static int find_next_parts(struct nm_shuffle_connection *c, struct base_error *err)
{
    int64_t turn_end = c->outputs.index_bytes + TURN_BYTES;

    for (; c->found < c->rq.maps_n && c->outputs.index_bytes < turn_end; c->found++) {
        struct part *p = &c->parts[c->found];
        int fd = nm_shuffle_output_open_part(&c->outputs, c->rq.maps[c->found], c->rq.reduce,
                                             &p->at, err);

        if (fd < 0)
            return fd;
        if (!copy_if_small(c, p, fd) && c->found == 0)
            begin_file(c, fd, &p->at);
        else
            close(fd);
    }
    return 0;
}

/* Whoever runs containers can ask for outputs that are not there, as often as he likes. */
static void warn(const struct base_error *err)
{
    int64_t now_ms = base_mono_us(&base_clock_real) / 1000;
    static struct base_log_limit warnings;
    int64_t left_out = 0;

    if (base_log_limit_allows(&warnings, now_ms, WARN_EVERY_MS, &left_out))
        base_log_warn("shuffle", "%s (%lld warnings left out before)", err->text,
                      (long long)left_out);
}

static void refuse_missing_part(struct nm_shuffle_connection *c, const struct base_error *err)
{
    close_file(c);
    warn(err);
    put_refusal(c, 500, err->text); /* has none but checked texts and our own */
}

static void begin_finding_parts(struct nm_shuffle_connection *c,
                                const struct nm_shuffle_secret *secret)
{
    struct base_error err = {0};

    c->proven = true;
    nm_shuffle_hash_reply(secret->bytes, secret->len, c->rq.hash, c->reply);
    if (nm_shuffle_outputs_open(c->site->files, &c->rq.app, &c->outputs, &err) < 0) {
        refuse_missing_part(c, &err);
        return;
    }
    c->parts = base_alloc(c->rq.maps_n * sizeof *c->parts);
    c->found = 0;
    c->state = FINDING;
}

/* Looks up the parts of one turn. The state becomes SENDING after the last one, or when one is
 * missing. */
static void continue_finding_parts(struct nm_shuffle_connection *c)
{
    struct base_error err = {0};

    if (find_next_parts(c, &err) < 0)
        refuse_missing_part(c, &err);
    else if (c->found == c->rq.maps_n)
        put_answer_head(c);
}

static void answer_request(struct nm_shuffle_connection *c)
{
    struct nm_shuffle_secret secret = {.len = 0};
    char room[UNKNOWN_JOB_MAX];
    const char *why;
    unsigned status = nm_shuffle_request_read(c->in, c->head_len, &c->rq, &why);

    if (status == 0 && (why = check_hash(c, &secret, room)) != NULL)
        status = 401;
    if (status)
        put_refusal(c, status, why);
    else
        begin_finding_parts(c, &secret);
    explicit_bzero(&secret, sizeof secret);
}

/* ---- reading ---- */

/* Begins to answer the request at the begin of what has come, for which the peer has STALL_S from
 * now on. Returns false if it is not whole. */
static bool take_request(struct nm_shuffle_connection *c, int64_t now_us)
{
    c->head_len = nm_shuffle_find_head_end(c->in, c->in_len);
    if (c->head_len)
        answer_request(c);
    else if (c->in_len == NM_SHUFFLE_HEAD_MAX)
        put_refusal(c, 400, "");
    if (c->state == READING)
        return false;
    c->late_us = now_us + STALL_S * SECOND;
    return true;
}

static enum nm_shuffle_want read_head(struct nm_shuffle_connection *c, int64_t now_us)
{
    ssize_t n;

    if (!c->in)
        c->in = base_alloc(NM_SHUFFLE_HEAD_MAX);
    while ((n = recv(c->fd, c->in + c->in_len, NM_SHUFFLE_HEAD_MAX - c->in_len, 0)) > 0) {
        c->in_len += (size_t)n;
        if (take_request(c, now_us))
            return NM_SHUFFLE_WRITE;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        return NM_SHUFFLE_OVER;
    return NM_SHUFFLE_READ;
}

static enum nm_shuffle_want drop_until_closed(const struct nm_shuffle_connection *c)
{
    char dropped[4096];
    ssize_t n;

    for (int i = 0; i < 16; i++) {
        n = recv(c->fd, dropped, sizeof dropped, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return NM_SHUFFLE_OVER;
        if (n < 0)
            break;
    }
    return NM_SHUFFLE_READ;
}

/* ---- sending ---- */

/* Opens the file of the next map's part, unless it is open. Returns false if it cannot be sent any
 * more. */
static bool open_part(struct nm_shuffle_connection *c, size_t i)
{
    struct base_error err = {0};
    int fd;

    if (c->file >= 0)
        return true;
    fd = nm_shuffle_output_open(&c->outputs, c->rq.maps[i], &err);
    if (fd < 0) {
        warn(&err);
        return false;
    }
    begin_file(c, fd, &c->parts[i].at);
    return true;
}

static void count_part(const struct nm_shuffle_connection *c, const struct part *p)
{
    atomic_fetch_add_explicit(&c->site->counts->served, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->site->counts->bytes, p->at.len, memory_order_relaxed);
}

/* Prepares the next parts: those that are copied, up to the first that is not. */
static bool begin_next_parts(struct nm_shuffle_connection *c)
{
    while (c->next < c->rq.maps_n) {
        size_t i = c->next++;
        const struct part *p = &c->parts[i];

        add_part_header(c, i, &c->out);
        if (!p->copied)
            return open_part(c, i);
        base_buf_add(&c->out, c->small.data + p->copy, (size_t)p->at.len);
        count_part(c, p);
    }
    return true;
}

/* Returns the bytes sent; 0: try later; -1: never. */
static ssize_t send_out(struct nm_shuffle_connection *c)
{
    bool more = c->file >= 0 || c->next < c->rq.maps_n;
    ssize_t n = send(c->fd, c->out.data + c->out_sent, c->out.len - c->out_sent,
                     MSG_NOSIGNAL | (more ? MSG_MORE : 0));

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    c->out_sent += (size_t)n;
    if (c->out_sent == c->out.len) {
        base_buf_clear(&c->out);
        c->out_sent = 0;
    }
    return n;
}

static ssize_t send_from_file(struct nm_shuffle_connection *c)
{
    off_t at = c->file_at;
    int64_t left = c->file_end - c->file_at;
    ssize_t n = sendfile(c->fd, c->file, &at, left < TURN_BYTES ? (size_t)left : TURN_BYTES);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0) /* the file has become shorter */
        return -1;
    c->file_at += n;
    return n;
}

/* Returns true when there is something to send; false when all is sent, or, with *@failed, when
 * the rest cannot be. */
static bool prepare_sending(struct nm_shuffle_connection *c, bool *failed)
{
    if (c->out.len)
        return true;
    if (c->next && c->file >= 0) { /* the header of its part has been sent */
        if (c->file_at < c->file_end)
            return true;
        count_part(c, &c->parts[c->next - 1]);
        close_file(c);
    }
    if (c->next == c->rq.maps_n)
        return false;
    *failed = !begin_next_parts(c);
    return !*failed;
}

static enum nm_shuffle_want end_answer(struct nm_shuffle_connection *c, int64_t now_us)
{
    bool keep = c->keep_alive;

    free_request(c);
    c->next = 0;
    if (!keep) {
        c->state = ENDING;
        c->late_us = now_us + ENDING_S * SECOND;
        shutdown(c->fd, SHUT_WR);
        return drop_until_closed(c);
    }
    c->in_len -= c->head_len;
    memmove(c->in, c->in + c->head_len, c->in_len);
    c->state = READING;
    c->late_us = now_us + c->site->keep_alive_us;
    if (c->in_len)
        return take_request(c, now_us) ? NM_SHUFFLE_WRITE : NM_SHUFFLE_READ;
    free(c->in);
    c->in = NULL;
    return NM_SHUFFLE_READ;
}

static enum nm_shuffle_want send_answer(struct nm_shuffle_connection *c, int64_t now_us)
{
    bool failed = false;

    for (int64_t sent = 0; sent < TURN_BYTES;) {
        ssize_t n;

        if (!prepare_sending(c, &failed))
            return failed ? NM_SHUFFLE_OVER : end_answer(c, now_us);
        n = c->out.len ? send_out(c) : send_from_file(c);
        if (n < 0) {
            atomic_fetch_add_explicit(&c->site->counts->failed, 1, memory_order_relaxed);
            return NM_SHUFFLE_OVER;
        }
        if (n == 0)
            break;
        sent += n;
        c->late_us = now_us + STALL_S * SECOND;
    }
    return NM_SHUFFLE_WRITE;
}

static enum nm_shuffle_want continue_answer(struct nm_shuffle_connection *c, int64_t now_us)
{
    if (c->state == FINDING) {
        continue_finding_parts(c);
        c->late_us = now_us + STALL_S * SECOND;
    }
    return c->state == FINDING ? NM_SHUFFLE_WRITE : send_answer(c, now_us);
}

void nm_shuffle_connection_turn_away(struct nm_shuffle_connection *c)
{
    c->turned_away = true;
    put_refusal(c, 429, "");
}

enum nm_shuffle_want nm_shuffle_connection_continue(struct nm_shuffle_connection *c, int64_t now_us)
{
    enum nm_shuffle_want want = NM_SHUFFLE_READ;

    switch (c->state) {
    case READING:
        want = read_head(c, now_us);
        if (want != NM_SHUFFLE_WRITE)
            return want;
        return continue_answer(c, now_us);
    case FINDING:
    case SENDING:
        return continue_answer(c, now_us);
    case ENDING:
        return drop_until_closed(c);
    }
    return want;
}
