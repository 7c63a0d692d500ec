/* api/server/access/kerberos.h - recognises users by their Kerberos tickets, through GSSAPI: the
 * service's key, the first token of a client, and the user of its principal. SOURCE: RFC 4559
 * (Negotiate), RFC 4178 (SPNEGO), RFC 4121 (Kerberos); Hadoop's KerberosAuthenticationHandler.
 *
 * Keys, with "resourcemanager" or "nodemanager" for DAEMON:
 *   yarn.DAEMON.webapp.spnego-principal     HTTP/_HOST@REALM; _HOST: this host, in lower case
 *   yarn.DAEMON.webapp.spnego-keytab-file   its key; read again for each ticket
 *   hadoop.security.auth_to_local           who principals are (api/server/access/principals.h)
 *
 * An exchange has one leg: Kerberos needs no more, and the server keeps no state between requests.
 * Kerberos' own record of tickets seen (api/server/access/ticket_record.h) refuses repetitions. */
#ifndef CREEL_API_SERVER_ACCESS_KERBEROS_H
#define CREEL_API_SERVER_ACCESS_KERBEROS_H

#include "base/conf/conf.h"
#include "base/mem.h"

struct api_kerberos;

/* @daemon: "resourcemanager" or "nodemanager". Returns 0, or -BASE_EINVAL with the key in @err: one
 * is missing, the keytab is not there, can be read by others or lacks the principal, or a rule for
 * names is wrong; or with the path of the record of tickets seen, which others could spoil. */
int api_kerberos_new(const struct base_conf *conf, const char *daemon, struct api_kerberos **out,
                     struct base_error *err);
struct api_kerberos *api_kerberos_ref(struct api_kerberos *k); /* NULL-safe; returns @k */
void api_kerberos_unref(struct api_kerberos *k);               /* NULL-safe */

enum api_ticket {
    API_TICKET_VALID,
    API_TICKET_REFUSED, /* it is none, or not for this service, or has expired ... */
    API_TICKET_NO_USER, /* it is good, but no rule makes its principal a user */
};
struct api_ticket_holder { /* the texts are owned */
    char *user, *principal;
    char *reply; /* in base64, for the client, which so recognises the service; NULL: none */
};
/* Checks the token that a client has sent, in base64. Fills @out if it is valid, to be freed with
 * api_ticket_holder_free(); otherwise appends the reason, for the log alone, to @why. Blocks no
 * longer than reading the keytab takes. Any thread. */
enum api_ticket api_kerberos_check_token(const struct api_kerberos *k, const char *token,
                                         struct api_ticket_holder *out, struct base_buf *why);
void api_ticket_holder_free(struct api_ticket_holder *h);

#endif
