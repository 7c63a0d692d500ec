/* rm/core/admin/master_keys.h - the keys of the tokens that masters get which speak Hadoop RPC
 * (base/hadoop/identifiers.h). The core keeps them, so that they are the same after a restart and
 * on every ResourceManager: tokens that were handed out before stay valid.
 *
 *   no record --rm_master_keys_begin(): conf.new_keys--> stored --read back at each later start
 *
 * The record is the first that a new core writes. Tokens are handed out with orders and answers
 * that follow later records, so every key is durable before a token is made with it. Keys are made
 * only where conf.hands_out_keys is set; they are never replaced. */
#ifndef CREEL_RM_CORE_ADMIN_MASTER_KEYS_H
#define CREEL_RM_CORE_ADMIN_MASTER_KEYS_H

#include "rm/core/core.h"

struct rm_record;

/* Stores new keys in place of those that the store does not have. Call when all records are
 * read. */
void rm_master_keys_begin(struct rm_core *c);
/* Reads the record of one key. Returns 0 or -BASE_ECORRUPT. */
int rm_master_keys_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
/* Returns the key; NULL: no keys are handed out. */
const struct rm_master_key *rm_master_key(const struct rm_core *c, enum rm_master_key_kind kind);

#endif
