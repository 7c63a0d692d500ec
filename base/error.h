/* base/error.h - a code to act on and a message to read.
 *
 * A function that can fail returns 0 (or a count >= 0) or a negative BASE_E*, and puts the message
 * into the caller's struct base_error; with NULL, only the code is returned. On the way up,
 * base_error_wrap() puts context in front. An error is logged once, by the function that does not
 * pass it on to its caller. */
#ifndef CREEL_BASE_ERROR_H
#define CREEL_BASE_ERROR_H

#include <stddef.h>

enum base_errno {
    BASE_EINVAL = 1, /* a value is wrong: HTTP 400, CLI exit 2 */
    BASE_ENOTFOUND,  /* no such object: 404 */
    BASE_EEXIST,     /* already exists with other content: 409 */
    BASE_ELIMIT,     /* over a named limit: 413 or 400 */
    BASE_EPERM,      /* not allowed: 401/403 */
    BASE_EIO,        /* the environment failed: disk, socket, child process */
    BASE_ENOSPC,     /* no space left on device */
    BASE_ENOMEM,     /* out of memory */
    BASE_ECORRUPT,   /* stored data is damaged */
    BASE_ESTATE,     /* not possible in this state */
    BASE_ETIMEOUT,   /* no answer in time */
    BASE_EVERSION,   /* wrong version of a format or protocol, or a stale epoch */
    BASE_EAGAIN,     /* not possible yet; the same request will succeed later: 503 */
    BASE_ETOOLARGE,  /* more bytes than can be stored: 413 */
};

struct base_error {
    int code;        /* negative BASE_E*, 0: none */
    char text[1536]; /* UTF-8, no trailing newline; truncated with "..." */
};

/* Sets @err (may be NULL) and returns @code (negative). */
int base_error_set(struct base_error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* As base_error_set(), with ": <strerror(@sys)>" appended. Returns @code, or -BASE_ENOSPC when @sys
 * is ENOSPC or EDQUOT. */
int base_error_sys(struct base_error *err, int code, int sys, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Puts "<context>: " before the text already in @err; returns @code. */
int base_error_wrap(struct base_error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Catches our own bugs, in release builds too: when @cond is false, prints a message to stderr and
 * calls abort(). */
#define base_assert(cond)                                                                          \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0))                                                          \
            base_assert_failed(#cond, __FILE__, __LINE__, __func__);                               \
    } while (0)
_Noreturn void base_assert_failed(const char *cond, const char *file, int line, const char *func);

#endif
