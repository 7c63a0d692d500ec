/* nodemanager/shuffle/port_bytes.h - the port of the shuffle in the form in which masters and
 * containers read it: big-endian. Pure. */
#ifndef CREEL_NODEMANAGER_SHUFFLE_PORT_BYTES_H
#define CREEL_NODEMANAGER_SHUFFLE_PORT_BYTES_H

#include <stdint.h>

static inline void nm_shuffle_put_port(int port, uint8_t out[static 4])
{
    out[0] = out[1] = 0;
    out[2] = (uint8_t)(port >> 8);
    out[3] = (uint8_t)port;
}

#endif
