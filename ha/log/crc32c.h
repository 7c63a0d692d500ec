/* ha/log/crc32c.h - CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected), as in RFC 3720 appendix
 * B.4. Safe to call from any thread. */
#ifndef CREEL_HA_LOG_CRC32C_H
#define CREEL_HA_LOG_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC of bytes whose CRC is @crc (0: no bytes) followed by the @n bytes at @p. */
uint32_t ha_crc32c_update(uint32_t crc, const void *p, size_t n);

#endif
