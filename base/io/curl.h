/* base/io/curl.h - what the transfers of libcurl here share. */
#ifndef CREEL_BASE_IO_CURL_H
#define CREEL_BASE_IO_CURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* @easy goes to @url as it is written: through no proxy, after no redirect, by HTTP/1.1 and no
 * other of @protocols ("http,https"). Without signals: other threads are there. */
void base_curl_go(CURL *easy, const char *url, const char *protocols);
/* For header callbacks: is the line of @len bytes the header @name ("Location:")? Then its value,
 * without the space around it, is the @value_len bytes at @value. */
bool base_curl_header(const char *line, size_t len, const char *name, const char **value,
                      size_t *value_len);

/* Makes @easy give up a connection whose other host has acknowledged nothing for about @silence_ms
 * (> 0), however long an answer may take: probes of an idle connection begin after a second, and
 * what is unacknowledged for that long, probes or data, ends it (TCP_USER_TIMEOUT). Libcurl's own
 * keepalive takes ten minutes to notice. */
void base_curl_watch_peer(CURL *easy, unsigned silence_ms);

#endif
