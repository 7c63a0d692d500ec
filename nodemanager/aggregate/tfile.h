/* nodemanager/aggregate/tfile.h - writes a TFile: records of a key and a value of any length, in
 * the form in which Hadoop keeps aggregated logs.
 *
 *    magic (16 bytes)
 *    data blocks            records, one after the other; the record that fills a block to
 *                           NM_TFILE_BLOCK_MIN bytes is its last one
 *    block "TFile.meta"     version, number of records, the order of keys ("": none); never
 *                           compressed
 *    block "TFile.index"    the first key; last key and number of records of each data block
 *    block "BCFile.index"   compression; place and sizes of each data block
 *    index of these three   name, compression, place and sizes
 *    place of that index (8 bytes), version (4 bytes), magic (16 bytes)
 *
 *    record                 length of the key | key | chunks of the value
 *    chunk                  minus its length | bytes; the last one: length (perhaps 0) | bytes
 *
 * A block is written as it is, or as one stream of zlib. Lengths and places are integers of a
 * variable number of bytes, all others are big-endian.
 *
 * The file is written from its start to its end without seeking. Memory: some 130 KB, with
 * compression 400 KB, and less than 100 bytes for each data block.
 *
 * SOURCE: Hadoop's TFile and BCFile, version 1.0 of both formats. */
#ifndef CREEL_NODEMANAGER_AGGREGATE_TFILE_H
#define CREEL_NODEMANAGER_AGGREGATE_TFILE_H

#include <stddef.h>
#include <stdint.h>

#define NM_TFILE_BLOCK_MIN (256 << 10) /* bytes of a full block, as written to the file */
#define NM_TFILE_KEY_MAX   65535       /* bytes */

enum nm_tfile_compression { NM_TFILE_NONE, NM_TFILE_GZ };

struct nm_tfile;
/* Begins a TFile in @fd, an empty file, which stays the caller's. The functions below return 0 or
 * -errno; after an error each further call returns the same one. */
struct nm_tfile *nm_tfile_new(int fd, enum nm_tfile_compression compression);
void nm_tfile_free(struct nm_tfile *t);
/* Begins a record, with a key of at most NM_TFILE_KEY_MAX bytes. */
int nm_tfile_begin_record(struct nm_tfile *t, const void *key, size_t len);
/* Appends @n bytes to the value of the record. */
int nm_tfile_write(struct nm_tfile *t, const void *bytes, size_t n);
int nm_tfile_end_record(struct nm_tfile *t);
/* Writes what follows the last record. The file is complete then, but not synced. */
int nm_tfile_finish(struct nm_tfile *t);

#endif
