/* api/openapi/schema.h - JSON Schemas of shapes (api/yarn/shape.h), each described once under a
 * name of its own, so that shapes may contain themselves. Source: JSON Schema 2020-12. */
#ifndef CREEL_API_OPENAPI_SCHEMA_H
#define CREEL_API_OPENAPI_SCHEMA_H

#include <jansson.h>

#include "api/yarn/shape.h"

struct api_schemas;
struct api_schemas *api_schemas_new(void);
void api_schemas_free(struct api_schemas *s);
/* Returns a new reference to the schema of a whole document in the JSON @dialect. */
json_t *api_schemas_describe_document(struct api_schemas *s, const struct api_shape *shape,
                                      enum api_dialect dialect);
/* Returns the schemas described so far by name; borrowed. */
const json_t *api_schemas_get_named(const struct api_schemas *s);

#endif
