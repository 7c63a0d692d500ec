/* base/conf/conf.h - configuration in Hadoop's XML form. Source: Hadoop 3.4 Configuration:
 * <configuration><property><name/><value/><final/></property>..., expansion of ${name} and
 * ${env.NAME} (at most 20 substitutions in a value), XInclude; ${name:-default} is an addition of
 * ours. Later files override earlier ones except for <final> values; -D overrides every file.
 * base_conf_check() tells which unknown creel.* keys are errors, whose messages suggest a similar
 * known key if there is one; other unknown keys are kept. */
#ifndef CREEL_BASE_CONF_CONF_H
#define CREEL_BASE_CONF_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum base_conf_type { BASE_CONF_STRING, BASE_CONF_INT, BASE_CONF_BOOL, BASE_CONF_DOUBLE };

/* One known key. The table (base/conf/conf_keys.c) is the only list of keys, defaults and help
 * texts. */
struct base_conf_key {
    const char *name;
    enum base_conf_type type;
    const char *value; /* default, as text */
    int64_t min, max;  /* BASE_CONF_INT */
    const char *help;
};
extern const struct base_conf_key base_conf_keys[]; /* ends with name == NULL */

struct base_conf;
struct base_conf *base_conf_new(void);
void base_conf_free(struct base_conf *c);
/* Loads a file such as yarn-site.xml; its values override the present ones, except those that are
 * <final> or set by -D. */
int base_conf_load_file(struct base_conf *c, const char *path, struct base_error *err);
/* Loads creel-site.xml and yarn-site.xml, whichever exist, from $CREEL_CONF_DIR or /etc/creel. */
int base_conf_load_default_files(struct base_conf *c, struct base_error *err);
/* The same for programs other than daemons, which can do without the files that their user may not
 * read: such files are skipped. *@left_out: the first skipped file (caller frees), or NULL. */
int base_conf_load_readable_files(struct base_conf *c, char **left_out, struct base_error *err);
/* Returns the folder of the default files, or NULL when they have not been loaded. Borrowed. */
const char *base_conf_folder(const struct base_conf *c);
/* Loads a file's content from memory; @name stands for the file in messages and as the base of
 * relative XIncludes. */
int base_conf_load_text(struct base_conf *c, const char *name, const char *text, size_t len,
                        struct base_error *err);
/* Applies the argument "key=value" of -D, which overrides files, even <final> values. */
int base_conf_set_arg(struct base_conf *c, const char *key_eq_value, struct base_error *err);
/* Checks every known key's type and range and refuses unknown creel.* keys, except those for which
 * @is_known_elsewhere returns true (options of policies). With @is_known_elsewhere NULL, for
 * programs without policies, keys of unknown families ("creel.FAMILY.") pass unless a known key is
 * similar. Call once after loading. */
int base_conf_check(const struct base_conf *c, bool (*is_known_elsewhere)(const char *name),
                    struct base_error *err);
/* Returns the value of @key: as set, else the default; NULL when @key is neither set nor known.
 * Borrowed until the configuration changes. */
const char *base_conf_get(const struct base_conf *c, const char *key);
/* Returns true when a file or -D has set @key; false for a default, or when there is no value. */
bool base_conf_is_set(const struct base_conf *c, const char *key);
/* @key must be known and of this type, and base_conf_check() must have succeeded: both asserted. */
int64_t base_conf_int(const struct base_conf *c, const char *key);
bool base_conf_bool(const struct base_conf *c, const char *key);
double base_conf_double(const struct base_conf *c, const char *key);

/* One key that is set or known. The texts are borrowed. */
struct base_conf_item {
    const char *name, *value;
    const char *source; /* "file, line n" or "-D"; NULL: the value is the default */
    bool final;
};
/* Sets *@out to the key at index @i in order of names. Returns false when @i is past the end. */
bool base_conf_item_at(const struct base_conf *c, size_t i, struct base_conf_item *out);

/* Creates the folder that is the value of @key (with @mode, and with missing parents) unless it
 * exists. Returns 0, or -BASE_EINVAL when the value is empty, -BASE_EPERM when the folder cannot be
 * created or written to, -BASE_ENOSPC when the disk is full. */
int base_conf_make_folder(const struct base_conf *c, const char *key, mode_t mode,
                          struct base_error *err);

/* Returns the exit status of a daemon that ended with @rc (0 or a negative BASE_E*): 0 for 0; 2
 * when only another configuration helps, so that systemd does not restart it
 * (RestartPreventExitStatus= in deploy/systemd); 1 when a restart may help. */
int base_conf_exit_status(int rc);

#endif
