/* api/yarn/xml_body.h - an XML request body as the JSON tree its JSON form would give, so that each resource has one
 * decoder: elements become members, repeated elements an array, an element without children its text (a string, ""
 * when empty). Attributes and namespaces are dropped.
 *
 * Safe on hostile input: no network, no external entities, no document type at all, depth and size bounded. */
#ifndef CREEL_API_YARN_XML_BODY_H
#define CREEL_API_YARN_XML_BODY_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/* 0 and *out (owned by the caller), an object with the members of root element @root (NULL: any root). -BASE_EINVAL
 * with the text YARN's parser gives: broken syntax, or a root other than @root; @expected lists the roots named in that
 * message ("<{}appstate>"; NULL: made from @root). */
int api_xml_body(const char *text, size_t len, const char *root, const char *expected, json_t **out,
                 struct base_error *err);
/* The same for JSON: strict parsing, and YARN's texts for what is wrong with it. *out may be any object. */
int api_json_body(const char *text, size_t len, json_t **out, struct base_error *err);

#endif
