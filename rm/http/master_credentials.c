#include "rm/http/master_credentials.h"

#include "base/crypto/base64.h"
#include "base/hadoop/credentials.h"
#include "base/hadoop/identifiers.h"

static struct base_hadoop_token make_amrm_token(const struct base_attempt_id *attempt,
                                                const struct rm_master_key *key)
{
    const struct base_hadoop_amrm_id id = {.attempt = *attempt, .key_id = key->id};
    struct base_hadoop_token t = {.kind = base_strdup(BASE_HADOOP_AMRM_KIND),
                                  .service = base_strdup("")};
    unsigned char password[BASE_SHA1_BYTES];

    base_hadoop_amrm_id_add(&id, &t.identifier);
    base_hadoop_compute_password(key->bytes, sizeof key->bytes, t.identifier.data, t.identifier.len,
                                 password);
    base_buf_add(&t.password, password, sizeof password);
    return t;
}

char *rm_master_credentials_make(const char *submitted, const struct base_attempt_id *attempt,
                                 const struct rm_master_key *key)
{
    struct base_credentials c = {0};
    struct base_hadoop_token token = make_amrm_token(attempt, key);
    struct base_buf file = {0}, text = {0};
    int rc = 0;

    if (submitted) {
        base_base64_decode(submitted, &file);
        rc = base_credentials_parse(file.data, file.len, &c, NULL);
        base_buf_clear(&file);
    }
    base_assert(rc == 0); /* the submission's file was written by base_credentials_write() */
    base_credentials_set_token(&c, "", &token);
    base_credentials_write(&c, &file);
    base_base64_encode(file.data, file.len, &text);
    base_credentials_free(&c);
    base_buf_free(&file);
    return base_buf_take(&text);
}
