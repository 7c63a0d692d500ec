#include "base/crypto/equal.h"

#include <string.h>

bool base_secret_equal(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    volatile unsigned char diff = la != lb;

    /* The time of this loop depends only on the length of @a, which its sender knows already. */
    for (size_t i = 0; i < la; i++)
        diff = (unsigned char)(diff | (unsigned char)(a[i] ^ b[lb ? i % lb : 0]));
    return diff == 0;
}

bool base_secret_bytes_equal(const void *a, const void *b, size_t len)
{
    const unsigned char *pa = a, *pb = b;
    volatile unsigned char diff = 0;

    for (size_t i = 0; i < len; i++)
        diff = (unsigned char)(diff | (unsigned char)(pa[i] ^ pb[i]));
    return diff == 0;
}
