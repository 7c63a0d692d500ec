#include "base/hadoop/master_key.h"

#include <inttypes.h>
#include <string.h>

#include "base/crypto/digest.h"
#include "base/crypto/hex.h"
#include "base/mem.h"

void base_hadoop_derive_master_key(const struct base_key *of_cluster, const char *kind, int32_t id,
                                   const unsigned char salt[static BASE_HADOOP_MASTER_KEY_BYTES],
                                   unsigned char out[static BASE_HADOOP_MASTER_KEY_BYTES])
{
    char hex[2 * BASE_HADOOP_MASTER_KEY_BYTES + 1];
    unsigned char mac[BASE_SHA256_BYTES];
    struct base_buf text = {0};

    base_buf_addf(&text, "creel-hadoop-key-1\n%s\n%" PRId32 "\n%s", kind, id,
                  base_hex_encode(salt, BASE_HADOOP_MASTER_KEY_BYTES, hex));
    base_hmac_sha256(of_cluster->bytes, sizeof of_cluster->bytes, text.data, text.len, mac);
    memcpy(out, mac, BASE_HADOOP_MASTER_KEY_BYTES);
    explicit_bzero(mac, sizeof mac);
    base_buf_free(&text);
}
