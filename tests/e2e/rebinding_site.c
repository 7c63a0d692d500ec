/* tests/e2e/rebinding_site.c - the web server of a hostile site, until the site's name stands for
 * another host.
 *
 * Usage: rebinding_site ADDRESS PORT FILE. Prints "listening", answers the first request with FILE
 * as a page, and exits, so that later connections are refused. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"

enum { CONNECTIONS_MAX = 32, WAIT_MS = 60000 };

static int listen_on(const char *address, const char *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    if (fd < 0 || inet_pton(AF_INET, address, &a.sin_addr) != 1 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(fd, CONNECTIONS_MAX) < 0) {
        perror(address);
        exit(1);
    }
    return fd;
}

static void answer(int fd, const char *page, size_t len)
{
    char *head = base_printf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
                             "Content-Length: %zu\r\n\r\n",
                             len);

    if (write(fd, head, strlen(head)) < 0 || write(fd, page, len) < 0)
        perror("answer");
    free(head);
}

int main(int argc, char **argv)
{
    struct pollfd fds[CONNECTIONS_MAX + 1];
    nfds_t n = 1;
    char request[16384];
    struct base_buf page = {0};
    struct base_error err;

    if (argc != 4)
        return 2;
    if (base_file_read(argv[3], 1 << 20, &page, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    fds[0] = (struct pollfd){.fd = listen_on(argv[1], argv[2]), .events = POLLIN};
    puts("listening");
    fflush(stdout);
    /* Browsers open connections that they do not use at first: the first that asks is answered. */
    while (poll(fds, n, WAIT_MS) > 0) {
        if (fds[0].revents && n <= CONNECTIONS_MAX)
            fds[n++] = (struct pollfd){.fd = accept(fds[0].fd, NULL, NULL), .events = POLLIN};
        for (nfds_t i = 1; i < n; i++) {
            if (!fds[i].revents)
                continue;
            if (read(fds[i].fd, request, sizeof request) > 0) {
                close(fds[0].fd);
                answer(fds[i].fd, page.data, page.len);
                base_buf_free(&page);
                return 0;
            }
            close(fds[i].fd);
            fds[i].fd = -1;
        }
    }
    return 1;
}
