/* tests/e2e/make_ticket.c - prints, in base64, the first token that a client with the tickets in
 * KRB5CCNAME sends to the service that the argument names ("HTTP@localhost"). */
#include <gssapi/gssapi.h>
#include <stdio.h>
#include <string.h>

#include "base/crypto/base64.h"

int main(int argc, char **argv)
{
    static gss_OID_desc spnego = {6, "\x2b\x06\x01\x05\x05\x02"};
    gss_buffer_desc name = {argc == 2 ? strlen(argv[1]) : 0, argv[1]}, token = GSS_C_EMPTY_BUFFER;
    gss_ctx_id_t context = GSS_C_NO_CONTEXT;
    gss_name_t service = GSS_C_NO_NAME;
    struct base_buf text = {0};
    OM_uint32 major, minor;

    major = gss_import_name(&minor, &name, GSS_C_NT_HOSTBASED_SERVICE, &service);
    if (!GSS_ERROR(major))
        major = gss_init_sec_context(&minor, GSS_C_NO_CREDENTIAL, &context, service, &spnego,
                                     GSS_C_MUTUAL_FLAG, 0, GSS_C_NO_CHANNEL_BINDINGS,
                                     GSS_C_NO_BUFFER, NULL, &token, NULL, NULL);
    if (GSS_ERROR(major) || !token.length) {
        fprintf(stderr, "make_ticket: no token for %s\n", argc == 2 ? argv[1] : "");
        return 1;
    }
    base_base64_encode(token.value, token.length, &text);
    printf("%s\n", text.data);
    base_buf_free(&text);
    gss_release_buffer(&minor, &token);
    gss_release_name(&minor, &service);
    gss_delete_sec_context(&minor, &context, GSS_C_NO_BUFFER);
    return 0;
}
