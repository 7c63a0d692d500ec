/* api/server/access/auth.h - authenticates the sender of a request: Hadoop's "simple"
 * authentication, in which callers name themselves by user.name, and a signed cookie that remembers
 * the name, or the user of a Kerberos ticket.
 *
 *   hadoop.auth="u=alice&p=alice&t=simple-dt&e=1795279303085&s=<base64 of HMAC-SHA256>"
 *   hadoop.auth="u=alice&p=alice@EXAMPLE.ORG&t=kerberos&e=...&s=..."
 *
 * A valid cookie takes precedence over user.name. An invalid cookie is ignored. SOURCE: Hadoop's
 * Authentication for HTTP web consoles, and YARN 3.4.2 as recorded in tests/interop/yarn. */
#ifndef CREEL_API_SERVER_ACCESS_AUTH_H
#define CREEL_API_SERVER_ACCESS_AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/conf/conf.h"
#include "base/crypto/digest.h"
#include "base/mem.h"

#define API_AUTH_COOKIE "hadoop.auth"

struct api_auth;

/* Types of cookies; each daemon takes only those of its own type. */
#define API_AUTH_SIMPLE_OF_RM "simple-dt"
#define API_AUTH_SIMPLE_OF_NM "simple"
#define API_AUTH_KERBEROS     "kerberos"

struct api_auth_kind { /* the texts are borrowed during the call only */
    const char *type;  /* one of the above */
    /* The daemon, whose name the key of cookies is made with: "resourcemanager" or "nodemanager". A
     * ticket for a node so makes nobody known to the ResourceManager. NULL: every daemon that has
     * the secret takes the cookie if its type is right, as in YARN. */
    const char *maker;
    /* Callers do not name themselves, so that the signature says who they are: the file has to be
     * private (base/io/private_file.h) and to have at least 16 bytes. */
    bool proves;
};

/* Reads hadoop.http.authentication.*, hadoop.http.filter.initializers and hadoop.proxyuser.*.
 * Without a configured secret a random one is made, and cookies are valid no longer than the
 * process lives. Returns 0, or a negative BASE_E* when the secret cannot be read or is not as it
 * has to be; it is never cut. */
int api_auth_new(const struct base_conf *conf, const struct api_auth_kind *kind,
                 struct api_auth **out, struct base_error *err);
struct api_auth *api_auth_ref(struct api_auth *a); /* NULL-safe; returns @a */
void api_auth_unref(struct api_auth *a);           /* NULL-safe; the last reference frees it */

/* Returns false when user.name is ignored and no cookie is made, as YARN does when
 * hadoop.http.filter.initializers lists filters without its authentication filter. */
bool api_auth_reads_user_names(const struct api_auth *a);
/* Returns true when requests without a name are allowed. */
bool api_auth_allows_anonymous(const struct api_auth *a);

enum api_auth_cookie {
    API_AUTH_NO_COOKIE,
    API_AUTH_VALID,
    API_AUTH_BAD_SIGNATURE,
    API_AUTH_EXPIRED
};
/* Checks the cookie hadoop.auth in the header @cookies (NULL: none). Sets *@user, which the caller
 * frees, when it is valid. Of several the valid ones count; when they name different users, the
 * answer is API_AUTH_BAD_SIGNATURE. */
enum api_auth_cookie api_auth_check_cookie(const struct api_auth *a, const char *cookies,
                                           int64_t now_ms, char **user);
/* Appends the value of Set-Cookie for @user, who has proven to be @principal. Neither may have a
 * '&'. */
void api_auth_add_cookie(const struct api_auth *a, const char *user, const char *principal,
                         int64_t now_ms, struct base_buf *out);
/* Writes the signature of @text by the secret, whatever the maker. */
void api_auth_sign(const struct api_auth *a, const void *text, size_t len,
                   unsigned char out[static BASE_SHA256_BYTES]);
/* Returns how long cookies are valid, in seconds. */
int64_t api_auth_get_validity_s(const struct api_auth *a);
/* Returns the domain of cookies; NULL: none. */
const char *api_auth_get_cookie_domain(const struct api_auth *a);
/* Returns true when @user, at the address @peer, may act as @as: hadoop.proxyuser.USER.users,
 * .groups and .hosts. May ask the name service for the groups of @as. */
bool api_auth_may_act_as(const struct api_auth *a, const char *user, const char *as,
                         const char *peer);

#endif
