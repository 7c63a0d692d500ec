#include "nodemanager/http/answer.h"

#include <string.h>

#include "base/io/http_client.h"

void nm_answer_resource(struct api_request *rq, const struct api_shape *shape,
                        enum api_dialect json, const void *view)
{
    struct base_buf body = {0};
    enum api_type type = api_wanted_type(rq);

    api_shape_encode_document(shape, type == API_XML ? API_XML_DOC : json, view, &body);
    api_answer(rq, 200, type, &body);
}

void nm_answer_text(struct api_request *rq, unsigned status, const char *text)
{
    struct base_buf body = {0};

    base_buf_add(&body, text, strlen(text));
    api_answer(rq, status, API_TEXT, &body);
}

bool nm_parse_app_id_arg(struct api_request *rq, unsigned i, struct base_app_id *out)
{
    static const char prefix[] = "application_";
    const char *given = api_path_arg(rq, i);

    if (base_app_id_parse(given, out, NULL) == 0)
        return true;
    if (strncmp(given, prefix, sizeof prefix - 1) != 0)
        api_answer_error(rq, 400, "BadRequestException",
                         "java.lang.IllegalArgumentException: Invalid ApplicationId prefix: %s. "
                         "The valid ApplicationId should start with prefix application",
                         given);
    else
        api_answer_error(rq, 400, "BadRequestException",
                         "java.lang.IllegalArgumentException: Invalid ApplicationId: %s", given);
    return false;
}

void nm_add_node_header(struct api_request *rq, const struct nm *nm)
{
    api_add_header(rq, BASE_HTTP_NODE_HEADER, nm->node_id);
}

const char *nm_host_header_or_node_id(const struct api_request *rq, const struct nm *nm)
{
    const char *host = api_header(rq, "Host");

    return host && *host ? host : nm->node_id;
}
