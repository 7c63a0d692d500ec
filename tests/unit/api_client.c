#include "tests/unit/api_client.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/signature.h"
#include "base/error.h"

int64_t client_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int client_connect(uint16_t port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct timeval tv = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    base_assert(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
    base_assert(connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0);
    return fd;
}

void client_send(int fd, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0) {
        ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

        if (n <= 0)
            return;
        p += n;
        len -= (size_t)n;
    }
}

void client_sends(int fd, const char *text)
{
    client_send(fd, text, strlen(text));
}

static bool read_line(int fd, struct base_buf *line)
{
    char c;

    base_buf_clear(line);
    while (recv(fd, &c, 1, 0) == 1) {
        base_buf_add(line, &c, 1);
        if (c == '\n')
            return true;
    }
    return false;
}

static bool read_n(int fd, size_t n, struct base_buf *out)
{
    char buf[8192];

    while (n > 0) {
        ssize_t got = recv(fd, buf, n < sizeof buf ? n : sizeof buf, 0);

        if (got <= 0)
            return false;
        base_buf_add(out, buf, (size_t)got);
        n -= (size_t)got;
    }
    return true;
}

static bool read_chunks(int fd, struct base_buf *out)
{
    struct base_buf line = {0};
    bool ok = false;

    while (read_line(fd, &line)) {
        size_t n = strtoul(line.data, NULL, 16);

        if (n > 0 && !read_n(fd, n, out))
            break;
        if (!read_line(fd, &line) || strcmp(line.data, "\r\n") != 0)
            break;
        if (n == 0) {
            ok = true;
            break;
        }
    }
    base_buf_free(&line);
    return ok;
}

bool client_read(int fd, bool head, struct client_answer *out)
{
    struct base_buf line = {0}, headers = {0};
    long length = -1;
    bool ok = true;

    memset(out, 0, sizeof *out);
    do {
        base_buf_clear(&headers);
        while ((ok = read_line(fd, &line)) && strcmp(line.data, "\r\n") != 0) {
            base_buf_add(&headers, line.data, line.len);
            if (strncasecmp(line.data, "Content-Length:", 15) == 0)
                length = strtol(line.data + 15, NULL, 10);
            if (strncasecmp(line.data, "Transfer-Encoding: chunked", 26) == 0)
                out->chunked = true;
        }
        base_buf_adds(&headers, "");
        out->status = ok && headers.len > 12 ? atoi(headers.data + 9) : 0;
    } while (ok && out->status == 100);
    out->head = base_buf_take(&headers);
    base_buf_adds(&out->body, "");
    if (ok && !head && out->status != 204 && out->status != 304) {
        if (out->chunked)
            ok = read_chunks(fd, &out->body);
        else if (length >= 0)
            ok = read_n(fd, (size_t)length, &out->body);
        else
            while (read_n(fd, 1, &out->body))
                ;
    }
    base_buf_free(&line);
    return ok;
}

void client_once(uint16_t port, const char *request, size_t len, struct client_answer *out)
{
    int fd = client_connect(port);

    client_send(fd, request, len);
    client_read(fd, strncmp(request, "HEAD ", 5) == 0, out);
    close(fd);
}

struct base_keyring *client_keys(void)
{
    static struct base_keyring *keys;
    struct base_key key = {.id = "00c0ffee", .bytes = "the secret of a test: 32 bytes."};

    if (!keys)
        keys = base_keyring_new_of_key(&key);
    return keys;
}

static char *sign_for_start(uint16_t port, const char *method, const char *path,
                            const char *start_id, const void *body, size_t len)
{
    char *url = base_printf("http://localhost:%u%s", port, path);
    struct base_request_signature signature;
    struct base_buf line = {0};
    struct base_key key;

    base_keyring_get_signing_key(client_keys(), &key);
    base_sign_request(&key, method, url, start_id, body, len, base_wall_us(&base_clock_real) / 1000,
                      false, &signature);
    free(url);
    base_buf_adds(&line, "Authorization: ");
    base_request_signature_format(&signature, &line);
    base_buf_adds(&line, "\r\n");
    return base_buf_take(&line);
}

/* Remembers the start id of the server at @port that @a, a refusal, names. Returns false when it
 * names none. */
static bool learn_start_id(uint16_t port, const struct client_answer *a)
{
    static const char mark[] = "\r\n" BASE_START_HEADER ": ";
    const char *line = a->head ? strstr(a->head, mark) : NULL,
               *id = line ? strstr(line, "start=") : NULL;
    char url[64], text[BASE_START_ID_MAX];

    if (!id)
        return false;
    snprintf(text, sizeof text, "%s", id + strlen("start="));
    snprintf(url, sizeof url, "http://localhost:%u", port);
    base_server_starts_learn(base_keyring_server_starts(client_keys()), url, text);
    return true;
}

const char *client_start_id(uint16_t port)
{
    static char id[BASE_START_ID_MAX];
    struct base_buf b = {0};
    struct client_answer a;
    char url[64], *line;

    snprintf(url, sizeof url, "http://localhost:%u", port);
    base_server_starts_find(base_keyring_server_starts(client_keys()), url, id);
    if (strcmp(id, BASE_START_ID_UNKNOWN) != 0)
        return id;
    line = sign_for_start(port, "GET", "/", id, "", 0);
    base_buf_addf(&b, "GET / HTTP/1.1\r\nHost: localhost:%u\r\n%s\r\n", port, line);
    client_once(port, b.data, b.len, &a);
    base_buf_free(&b);
    free(line);
    if (learn_start_id(port, &a))
        base_server_starts_find(base_keyring_server_starts(client_keys()), url, id);
    client_free(&a);
    return id;
}

void client_forget_start_id(uint16_t port)
{
    char url[64];

    snprintf(url, sizeof url, "http://localhost:%u", port);
    base_server_starts_forget(base_keyring_server_starts(client_keys()), url);
}

char *client_sign(uint16_t port, const char *method, const char *path, const void *body, size_t len)
{
    return sign_for_start(port, method, path, client_start_id(port), body, len);
}

/* Appends @headers with a signature in place of CLIENT_SIGNED. */
static void add_headers(struct base_buf *b, uint16_t port, const char *method, const char *path,
                        const char *headers, const char *body)
{
    const char *mark = strstr(headers, CLIENT_SIGNED);
    char *line = mark ? client_sign(port, method, path, body, strlen(body)) : NULL;

    if (mark)
        base_buf_addf(b, "%.*s%s%s", (int)(mark - headers), headers, line,
                      mark + strlen(CLIENT_SIGNED));
    else
        base_buf_adds(b, headers);
    free(line);
}

static void do_once(uint16_t port, const char *method, const char *path, const char *headers,
                    const char *body, struct client_answer *out)
{
    struct base_buf b = {0};

    base_buf_addf(&b, "%s %s HTTP/1.1\r\n", method, path);
    if (headers && (strstr(headers, CLIENT_SIGNED) || strstr(headers, BASE_SIGNATURE_SCHEME)))
        base_buf_addf(&b, "Host: localhost:%u\r\n", port);
    else if (!headers || !strstr(headers, "Host: "))
        base_buf_adds(&b, "Host: localhost\r\n");
    add_headers(&b, port, method, path, headers ? headers : "", body ? body : "");
    if (body)
        base_buf_addf(&b, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    else
        base_buf_adds(&b, "\r\n");
    client_once(port, b.data, b.len, out);
    base_buf_free(&b);
}

void client_do(uint16_t port, const char *method, const char *path, const char *headers,
               const char *body, struct client_answer *out)
{
    do_once(port, method, path, headers, body, out);
    /* the port was that of another server of the test before */
    if (headers && strstr(headers, CLIENT_SIGNED) && learn_start_id(port, out)) {
        client_free(out);
        do_once(port, method, path, headers, body, out);
    }
}

void client_free(struct client_answer *a)
{
    free(a->head);
    base_buf_free(&a->body);
    memset(a, 0, sizeof *a);
}

bool client_has(const struct client_answer *a, const char *header_line)
{
    char *wanted = base_printf("\r\n%s\r\n", header_line);
    bool found = strstr(a->head, wanted) != NULL;

    free(wanted);
    return found;
}
