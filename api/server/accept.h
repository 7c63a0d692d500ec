/* api/server/accept.h - decides whether a client accepts JSON or XML, and which of the two, if
 * either, its request body is declared to be. Pure.
 * Source: YARN 3.4.2 as recorded in tests/interop/yarn. */
#ifndef CREEL_API_SERVER_ACCEPT_H
#define CREEL_API_SERVER_ACCEPT_H

#include <stdbool.h>

enum api_accept {
    API_ACCEPT_JSON,
    API_ACCEPT_XML,
    /* The answers named below are those of YARN's routes; Creel's own send JSON all the same. */
    API_ACCEPT_TEXT_XML, /* text/xml, but neither of these two: answered 503 */
    API_ACCEPT_HTML,     /* text/html, but nothing above: answered 406 with a page */
    API_ACCEPT_OTHER,    /* only other types: answered 406 with a server error page as text */
    API_ACCEPT_BAD,      /* the header cannot be parsed: answered 400 without a body */
};
/* Parses @header, the values of Accept joined with commas; NULL when absent. *@named becomes
 * true when the client named the chosen JSON or XML itself, false otherwise: a wildcard covers it,
 * the header is absent, or neither is accepted. */
enum api_accept api_accept_parse(const char *header, bool *named);

enum api_content { API_CONTENT_NONE, API_CONTENT_JSON, API_CONTENT_XML, API_CONTENT_OTHER };
/* Parses the value of Content-Type (NULL: absent); its parameters are ignored. */
enum api_content api_content_parse(const char *content_type);

#endif
