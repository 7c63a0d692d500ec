/* base/base_curl.h - socket options that the transfers of libcurl here share. */
#ifndef CREEL_BASE_CURL_H
#define CREEL_BASE_CURL_H

#include <curl/curl.h>

/* Makes @easy give up a connection whose other host has acknowledged nothing for about @silence_ms (> 0), however long
 * an answer may take: probes of an idle connection begin after a second, and what is unacknowledged for that long,
 * probes or data, ends it (TCP_USER_TIMEOUT). Libcurl's own keepalive takes ten minutes to notice. */
void base_curl_watch_peer(CURL *easy, unsigned silence_ms);

#endif
