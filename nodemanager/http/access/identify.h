/* nodemanager/http/access/identify.h - finds out whose a caller's bearer token or session is, by
 * asking the ResourceManager. An answer of the ResourceManager is kept for NM_IDENTITY_KEPT_MS, so
 * a revoked token works here for that time at most. That a session is not valid is kept for longer:
 * it never becomes valid again, and a page that shows it with every request must not fill the
 * ResourceManager's audit log.
 *
 *   head --> known --yes--> the user, or 401
 *               \--no--> body --prepare--> parked --> a thread asks the RM --> the user, or 401
 *                                             \--> 503: no RM answers, or too many wait
 *
 * One thread asks, one question after the other. */
#ifndef CREEL_NODEMANAGER_HTTP_ACCESS_IDENTIFY_H
#define CREEL_NODEMANAGER_HTTP_ACCESS_IDENTIFY_H

#include "api/pages/login.h"
#include "api/server/server.h"
#include "base/conf/rm_list.h"
#include "base/crypto/keyring.h"

enum {
    NM_IDENTITY_KEPT_MS = 60000,
    NM_REFUSED_SESSION_KEPT_MS = 3600000,
    NM_IDENTITIES_MAX = 512, /* identities kept; a part of the token's digest chooses the place */
    NM_IDENTIFY_WAITING_MAX = 128,
};

struct nm;
struct nm_identifier;
/* @rms: borrowed, not empty. @keys: the cluster's secret, of which a reference is taken; NULL:
 * questions are not signed. Returns 0 or -BASE_EIO. */
int nm_identifier_start(const struct base_rm_list *rms, struct base_keyring *keys,
                        struct nm_identifier **out, struct base_error *err);
/* Answers all requests that wait, so call this before api_server_stop(); later ones are answered at
 * once, until nm_identifier_free(). NULL-safe. */
void nm_identifier_stop(struct nm_identifier *i);
void nm_identifier_free(struct nm_identifier *i); /* NULL-safe */

/* Returns how long the answer about @token, a token or a session, is kept. @valid_ms: how long it
 * is valid still; 0: it is not valid. */
int64_t nm_identity_choose_kept_ms(const char *token, int64_t valid_ms);

/* An api_check_token and an api_prepare; @nm: struct nm *. */
enum api_token nm_check_token(struct api_request *rq, const char *token, void *nm, char **name);
bool nm_identify_park_if_unsettled(struct api_request *rq, void *nm);
/* Begins a session with the token of the form @login, which is taken; parks and answers @rq. */
void nm_identify_begin_session(struct nm *nm, struct api_request *rq, struct api_login *login);

#endif
