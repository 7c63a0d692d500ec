#include "nodemanager/aggregate/tfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/io/io.h"
#include "base/mem.h"

#define CHUNK_MAX (64 << 10) /* bytes of a value that are collected before they are written */
#define OUT_MAX   (64 << 10) /* bytes of the file that are collected before they are written */
#define VLONG_MAX 9

static const unsigned char magic[16] = {0xd1, 0x11, 0xd3, 0x68, 0x91, 0xb5, 0xd7, 0xb6,
                                        0x39, 0xdf, 0x41, 0x40, 0x92, 0xba, 0xe1, 0x50};
static const unsigned char version[4] = {0, 1, 0, 0}; /* major and minor: 1.0 */
static const char *const compression_names[] = {[NM_TFILE_NONE] = "none", [NM_TFILE_GZ] = "gz"};

struct block { /* offset in the file; bytes in the file, and before their compression */
    int64_t at, size, raw_size;
};
struct nm_tfile {
    int fd, error; /* error: the first one, 0: none */
    enum nm_tfile_compression compression;
    int64_t at; /* bytes of the file so far, with those in @out */
    unsigned char out[OUT_MAX];
    size_t out_n;

    bool in_block, deflates; /* deflates: this block is compressed */
    struct block block;
    z_stream z;
    bool z_made;

    unsigned char chunk[CHUNK_MAX];
    size_t chunk_n;

    char *key; /* of the last record */
    size_t key_len;
    int64_t records, block_records;
    struct base_buf index;  /* of "TFile.index" */
    struct base_buf places; /* of "BCFile.index": its data blocks */
    int64_t blocks_n;
};

/* ---- numbers and texts ---- */

/* Small numbers take one byte. With 1, 2 or 3 more bytes, the first byte holds the high part of the
 * number, moved down by a bias that tells how many bytes follow; larger numbers have a first byte
 * that tells it alone. */
static size_t encode_vlong(int64_t n, unsigned char out[static VLONG_MAX])
{
    static const struct {
        int64_t limit;
        int bias;
    } forms[] = {[1] = {20 << 8, 52}, [2] = {16 << 16, 88}, [3] = {8 << 24, 112}};
    size_t more = 1;

    if (n >= -32 && n < 128) {
        out[0] = (unsigned char)n;
        return 1;
    }
    while (more < 4 && (n < -forms[more].limit || n >= forms[more].limit))
        more++;
    if (more < 4) {
        out[0] = (unsigned char)((n >> (8 * more)) - forms[more].bias);
    } else {
        while (more < 8 && (n >> (8 * more - 1)) != 0 && (n >> (8 * more - 1)) != -1)
            more++;
        out[0] = (unsigned char)((int)more - 129);
    }
    for (size_t i = 0; i < more; i++)
        out[1 + i] = (unsigned char)(n >> (8 * (more - 1 - i)));
    return 1 + more;
}

static void add_vlong(struct base_buf *b, int64_t n)
{
    unsigned char bytes[VLONG_MAX];

    base_buf_add(b, bytes, encode_vlong(n, bytes));
}

static void add_bytes_with_length(struct base_buf *b, const void *bytes, size_t n)
{
    add_vlong(b, (int64_t)n);
    base_buf_add(b, bytes, n);
}

static void add_text(struct base_buf *b, const char *text)
{
    add_bytes_with_length(b, text, strlen(text));
}

static void add_block_place(struct base_buf *b, const struct block *block)
{
    add_vlong(b, block->at);
    add_vlong(b, block->size);
    add_vlong(b, block->raw_size);
}

/* ---- the file ---- */

static int set_first_error(struct nm_tfile *t, int rc)
{
    if (rc < 0 && !t->error)
        t->error = rc;
    return t->error;
}

static int flush_out(struct nm_tfile *t)
{
    if (!t->error && t->out_n > 0)
        set_first_error(t, base_write_all(t->fd, t->out, t->out_n));
    t->out_n = 0;
    return t->error;
}

static void put_in_file(struct nm_tfile *t, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    while (n > 0 && !t->error) {
        size_t part = sizeof t->out - t->out_n < n ? sizeof t->out - t->out_n : n;

        memcpy(t->out + t->out_n, p, part);
        t->out_n += part;
        t->at += (int64_t)part;
        p += part;
        n -= part;
        if (t->out_n == sizeof t->out)
            flush_out(t);
    }
}

/* ---- blocks ---- */

static void begin_block(struct nm_tfile *t, bool deflates)
{
    t->in_block = true;
    t->deflates = deflates;
    t->block = (struct block){.at = t->at};
    if (!deflates)
        return;
    if (t->z_made ? deflateReset(&t->z) != Z_OK : deflateInit(&t->z, Z_DEFAULT_COMPRESSION) != Z_OK)
        set_first_error(t, -ENOMEM);
    else
        t->z_made = true;
}

static void deflate_in_file(struct nm_tfile *t, const void *bytes, size_t n, int flush)
{
    unsigned char out[8192];
    int rc;

    t->z.next_in = (unsigned char *)(uintptr_t)bytes;
    t->z.avail_in = (uInt)n;
    do {
        t->z.next_out = out;
        t->z.avail_out = sizeof out;
        rc = deflate(&t->z, flush);
        put_in_file(t, out, sizeof out - t->z.avail_out);
    } while (!t->error && rc == Z_OK && (t->z.avail_out == 0 || flush == Z_FINISH));
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        set_first_error(t, -EIO);
}

static void put_in_block(struct nm_tfile *t, const void *bytes, size_t n)
{
    if (t->error || n == 0)
        return;
    t->block.raw_size += (int64_t)n;
    if (t->deflates)
        deflate_in_file(t, bytes, n, Z_NO_FLUSH);
    else
        put_in_file(t, bytes, n);
}

static void end_block(struct nm_tfile *t)
{
    if (t->deflates && !t->error)
        deflate_in_file(t, NULL, 0, Z_FINISH);
    t->block.size = t->at - t->block.at;
    t->in_block = false;
}

static void end_data_block(struct nm_tfile *t)
{
    struct base_buf entry = {0};

    end_block(t);
    add_block_place(&t->places, &t->block);
    t->blocks_n++;
    add_bytes_with_length(&entry, t->key, t->key_len);
    add_vlong(&entry, t->block_records);
    add_bytes_with_length(&t->index, entry.data, entry.len);
    base_buf_free(&entry);
    t->block_records = 0;
}

/* ---- records ---- */

struct nm_tfile *nm_tfile_new(int fd, enum nm_tfile_compression compression)
{
    struct nm_tfile *t = base_alloc(sizeof *t);

    t->fd = fd;
    t->compression = compression;
    put_in_file(t, magic, sizeof magic);
    return t;
}

void nm_tfile_free(struct nm_tfile *t)
{
    if (!t)
        return;
    if (t->z_made)
        deflateEnd(&t->z);
    base_buf_free(&t->index);
    base_buf_free(&t->places);
    free(t->key);
    free(t);
}

static void put_length_in_block(struct nm_tfile *t, int64_t n)
{
    unsigned char bytes[VLONG_MAX];

    put_in_block(t, bytes, encode_vlong(n, bytes));
}

static void add_first_key(struct nm_tfile *t)
{
    struct base_buf entry = {0};

    add_bytes_with_length(&entry, t->key, t->key_len);
    add_bytes_with_length(&t->index, entry.data, entry.len);
    base_buf_free(&entry);
}

int nm_tfile_begin_record(struct nm_tfile *t, const void *key, size_t len)
{
    base_assert(len <= NM_TFILE_KEY_MAX);
    if (!t->in_block)
        begin_block(t, t->compression == NM_TFILE_GZ);
    t->key = base_realloc_array(t->key, len + 1, 1);
    memcpy(t->key, key, len);
    t->key_len = len;
    if (t->records == 0)
        add_first_key(t);
    put_length_in_block(t, (int64_t)len);
    put_in_block(t, key, len);
    return t->error;
}

int nm_tfile_write(struct nm_tfile *t, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    while (n > 0 && !t->error) {
        size_t part;

        if (t->chunk_n == sizeof t->chunk) { /* more follows, so this chunk is not the last one */
            put_length_in_block(t, -(int64_t)t->chunk_n);
            put_in_block(t, t->chunk, t->chunk_n);
            t->chunk_n = 0;
        }
        part = sizeof t->chunk - t->chunk_n < n ? sizeof t->chunk - t->chunk_n : n;
        memcpy(t->chunk + t->chunk_n, p, part);
        t->chunk_n += part;
        p += part;
        n -= part;
    }
    return t->error;
}

int nm_tfile_end_record(struct nm_tfile *t)
{
    put_length_in_block(t, (int64_t)t->chunk_n);
    put_in_block(t, t->chunk, t->chunk_n);
    t->chunk_n = 0;
    t->records++;
    t->block_records++;
    if (t->at - t->block.at >= NM_TFILE_BLOCK_MIN)
        end_data_block(t);
    return t->error;
}

/* ---- the end of the file ---- */

static void put_named_block(struct nm_tfile *t, enum nm_tfile_compression compression,
                            const char *name, const struct base_buf *content,
                            struct base_buf *names)
{
    begin_block(t, compression == NM_TFILE_GZ);
    put_in_block(t, content->data, content->len);
    end_block(t);
    add_text(names, name);
    add_text(names, compression_names[compression]);
    add_block_place(names, &t->block);
}

int nm_tfile_finish(struct nm_tfile *t)
{
    struct base_buf meta = {0}, places = {0}, of_meta = {0}, of_index = {0}, names = {0};
    unsigned char place[8];
    int64_t at;

    if (t->in_block)
        end_data_block(t);
    base_buf_add(&meta, version, sizeof version);
    add_vlong(&meta, t->records);
    add_text(&meta, "");
    if (t->records == 0)
        add_vlong(&t->index, 0);
    add_text(&places, compression_names[t->compression]);
    add_vlong(&places, t->blocks_n);
    base_buf_add(&places, t->places.data ? t->places.data : "", t->places.len);
    /* the blocks lie in this order in the file, but their index is sorted by name */
    put_named_block(t, NM_TFILE_NONE, "data:TFile.meta", &meta, &of_meta);
    put_named_block(t, t->compression, "data:TFile.index", &t->index, &of_index);
    add_vlong(&names, 3);
    put_named_block(t, t->compression, "data:BCFile.index", &places, &names);
    base_buf_add(&names, of_index.data, of_index.len);
    base_buf_add(&names, of_meta.data, of_meta.len);
    at = t->at;
    for (int i = 0; i < 8; i++)
        place[i] = (unsigned char)(at >> (8 * (7 - i)));
    put_in_file(t, names.data, names.len);
    put_in_file(t, place, sizeof place);
    put_in_file(t, version, sizeof version);
    put_in_file(t, magic, sizeof magic);
    base_buf_free(&meta);
    base_buf_free(&places);
    base_buf_free(&of_meta);
    base_buf_free(&of_index);
    base_buf_free(&names);
    return flush_out(t);
}
