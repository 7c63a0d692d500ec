/* api/yarn/xml_body.h - parses an XML request body into the JSON tree that the same body in JSON
 * would give, so that each resource needs one decoder: elements become members, repeated elements
 * an array, and an element without children becomes its text (a string, "" when empty). Attributes
 * and namespaces are dropped.
 *
 * Safe on hostile input: no network, no external entities, no document type at all; depth and size
 * are bounded. */
#ifndef CREEL_API_YARN_XML_BODY_H
#define CREEL_API_YARN_XML_BODY_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/* Returns 0 and in *out an object, owned by the caller, with the members of root element @root
 * (NULL: any root). Fails with -BASE_EINVAL and the message of YARN's parser for broken syntax, a
 * document type, or a root other than @root; @expected lists the roots that this last message names
 * ("<{}appstate>"; NULL: made from @root). */
int api_xml_body_parse(const char *text, size_t len, const char *root, const char *expected,
                       json_t **out, struct base_error *err);
/* The same for a JSON body, which must be an object: parses strictly, with YARN's messages for
 * mistakes. */
int api_json_body_parse(const char *text, size_t len, json_t **out, struct base_error *err);
/* The same for a JSON body whose members are wrapped in its root, {"@root":{...}}: returns the
 * inner object. @expected: as in api_xml_body_parse(). */
int api_wrapped_json_body_parse(const char *text, size_t len, const char *root,
                                const char *expected, json_t **out, struct base_error *err);

#endif
