/* api/server/access/ticket_record.h - where Kerberos keeps its record of the tickets seen, which
 * refuses repetitions. Its own choice, /var/tmp/krb5_UID.rcache2, is a name that every user of the
 * host can take first, and then no ticket is accepted any more. So the record is kept in a folder
 * of the daemon's user:
 *
 *   $XDG_STATE_HOME/creel/krb5/rcache2, else ~/.local/state/creel/krb5/rcache2    mode 0700, 0600
 *
 * Daemons of one user and host share it, as they share the service's principal: a ticket that one
 * has seen is refused by the others. SOURCE: MIT Kerberos, "replay cache" (KRB5RCACHENAME). */
#ifndef CREEL_API_SERVER_ACCESS_TICKET_RECORD_H
#define CREEL_API_SERVER_ACCESS_TICKET_RECORD_H

#include "base/error.h"

/* Makes the folder and the file if they are not there. Sets *@out to the record's name for GSSAPI,
 * which the caller frees; NULL: Kerberos finds it by itself, as its environment (KRB5RCACHENAME and
 * the like) or its configuration (default_rcache_name) names another. Returns 0; -BASE_EINVAL when
 * the place is not the user's own alone, or cannot be written. */
int api_ticket_record_open(char **out, struct base_error *err);

#endif
