#include "base/io/curl.h"

#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/io/tls_conf.h"

static int limit_silence_of_peer(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    unsigned limit = (unsigned)(uintptr_t)arg;
    int one = 1;

    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
    return CURL_SOCKOPT_OK;
}

void base_curl_limit_silence(CURL *easy, unsigned silence_ms)
{
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, limit_silence_of_peer);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(uintptr_t)silence_ms);
}

/* Unless CAINFO names our file of authorities, libcurl uses those of the system; with a CAPATH it
 * would accept those besides ours. */
static void set_client_tls(CURL *easy)
{
    const struct base_tls_conf *tls = base_tls_of_clients();

    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (*tls->ca_file) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, tls->ca_file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    if (*tls->certificate_file) {
        curl_easy_setopt(easy, CURLOPT_SSLCERT, tls->certificate_file);
        curl_easy_setopt(easy, CURLOPT_SSLKEY, tls->key_file);
    }
}

void base_curl_trust_system_and_hide_certificate(CURL *easy)
{
    if (*base_tls_of_clients()->ca_file)
        curl_easy_setopt(easy, CURLOPT_CAPATH, "/etc/ssl/certs");
    curl_easy_setopt(easy, CURLOPT_SSLCERT, NULL);
    curl_easy_setopt(easy, CURLOPT_SSLKEY, NULL);
}

void base_curl_negotiate(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_NEGOTIATE);
    curl_easy_setopt(easy, CURLOPT_USERPWD, ":"); /* the user is that of the ticket */
}

/* Returns why a server's certificate was not accepted, or NULL when the transfer failed for another
 * reason. */
static const char *explain_certificate(CURL *easy, const char *text, char room[static 512])
{
    const char *ca = base_tls_of_clients()->ca_file;
    long bits = 0;

    curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &bits);
    if (bits > 0 && bits & GNUTLS_CERT_EXPIRED)
        return "its certificate, or its authority's, has expired";
    if (bits > 0 && bits & GNUTLS_CERT_NOT_ACTIVATED)
        return "its certificate is not valid yet";
    if (bits > 0 && bits & GNUTLS_CERT_REVOKED)
        return "its certificate has been revoked";
    if (bits > 0 && bits & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA)) {
        snprintf(room, 512, "its certificate is not signed by an authority of %.300s%s",
                 *ca ? ca : "the system", *ca ? "" : " (creel.tls.ca-file names another one)");
        return room;
    }
    if (bits > 0 && bits & GNUTLS_CERT_PURPOSE_MISMATCH)
        return "its certificate is not one for servers";
    if (strstr(text, "does not match target host name"))
        return "its certificate is for another host";
    return bits > 0 && bits & GNUTLS_CERT_INVALID ? "its certificate is not valid" : NULL;
}

const char *base_curl_explain_error(CURL *easy, CURLcode code, const char *text,
                                    char room[static 512])
{
    const struct base_tls_conf *tls = base_tls_of_clients();
    const char *why = NULL;

    if (code == CURLE_PEER_FAILED_VERIFICATION)
        why = explain_certificate(easy, text, room);
    else if (code == CURLE_SSL_CACERT_BADFILE) {
        snprintf(room, 512, "cannot read the file of authorities, %.300s (creel.tls.ca-file)",
                 tls->ca_file);
        why = room;
    } else if (code == CURLE_SSL_CERTPROBLEM) {
        snprintf(room, 512, "cannot use the certificate of creel.tls.certificate-file, %.300s",
                 tls->certificate_file);
        why = room;
    } else if (code == CURLE_SSL_CONNECT_ERROR &&
               (strstr(text, gnutls_strerror(GNUTLS_E_UNEXPECTED_PACKET)) ||
                strstr(text, gnutls_strerror(GNUTLS_E_UNEXPECTED_PACKET_LENGTH))))
        why = "it does not speak TLS; plain HTTP?";
    else if (code ==
                 CURLE_SSL_CONNECT_ERROR && /* how a server ends that cannot read our greeting */
             strstr(text, gnutls_strerror(GNUTLS_E_PREMATURE_TERMINATION)))
        why = "it ended the connection in the TLS handshake; plain HTTP?";
    if (why)
        return why;
    return *text ? text : curl_easy_strerror(code);
}

void base_curl_set_url_and_defaults(CURL *easy, const char *url, const char *protocols)
{
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, protocols);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    set_client_tls(easy);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool base_curl_match_header(const char *line, size_t len, const char *name, const char **value,
                            size_t *value_len)
{
    size_t at = strlen(name);

    if (len < at || strncasecmp(line, name, at) != 0)
        return false;
    while (at < len && is_space(line[at]))
        at++;
    while (len > at && is_space(line[len - 1]))
        len--;
    *value = line + at;
    *value_len = len - at;
    return true;
}
