/* base/io/curl.h - options and header parsing for our libcurl transfers. */
#ifndef CREEL_BASE_IO_CURL_H
#define CREEL_BASE_IO_CURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets @url as the target of @easy, with HTTP/1.1 over one of @protocols ("http,https"): no proxy
 * is used, no redirect followed, and no signal raised, since the process has other threads. Over
 * https the server must speak TLS 1.2 or later, and show a certificate for the name or address in
 * @url, signed by an authority that the clients of this process trust (base/io/tls_conf.h). */
void base_curl_set_url_and_defaults(CURL *easy, const char *url, const char *protocols);
/* Makes @easy trust the authorities of the system besides ours: for servers outside of the cluster.
 * @easy then shows servers no certificate of ours. Call after base_curl_set_url_and_defaults(). */
void base_curl_trust_system_and_hide_certificate(CURL *easy);
/* Makes @easy prove by the user's Kerberos ticket who asks. */
void base_curl_negotiate(CURL *easy);
/* Returns why the transfer of @easy failed with @code, in words for operators; @text: what libcurl
 * has put into its error buffer. Certificates that are not accepted, and plain HTTP where TLS was
 * expected, are described in terms of our configuration. Borrowed, or in @room. */
const char *base_curl_explain_error(CURL *easy, CURLcode code, const char *text,
                                    char room[static 512]);
/* For header callbacks: returns true when the line of @len bytes is the header @name ("Location:"),
 * and sets *@value and *@value_len to its value without the blanks around it (not
 * NUL-terminated). */
bool base_curl_match_header(const char *line, size_t len, const char *name, const char **value,
                            size_t *value_len);

/* Makes @easy give up a connection whose peer has acknowledged nothing for about @silence_ms (> 0),
 * while a peer that is alive may take as long as it likes to answer. An idle connection is probed
 * after a second; data or probes that stay unacknowledged for @silence_ms end the connection
 * (TCP_USER_TIMEOUT). Libcurl's own keepalive would take ten minutes. */
void base_curl_limit_silence(CURL *easy, unsigned silence_ms);

#endif
