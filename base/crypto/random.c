#include "base/crypto/random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/crypto/hex.h"
#include "base/error.h"

void base_random_bytes(void *bytes, size_t len)
{
    for (size_t got = 0; got < len;) {
        ssize_t n = getrandom((unsigned char *)bytes + got, len - got, 0);

        base_assert(n >= 0 || errno == EINTR);
        if (n > 0)
            got += (size_t)n;
    }
}

void base_random_hex(char out[static 33])
{
    unsigned char bytes[16];

    base_random_bytes(bytes, sizeof bytes);
    base_hex_encode(bytes, sizeof bytes, out);
}
