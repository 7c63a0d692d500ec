/* api/cli/interrupt.h - signals that ask to end, as something that every wait of one thread notices.
 *
 * A caught signal is kept until it is taken. It ends the request that is under way and a pause, also when it comes a
 * moment before either. */
#ifndef CREEL_API_CLI_INTERRUPT_H
#define CREEL_API_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_http;

/* Catches these signals from now on; cli_interrupt_release() gives them back to what was there before. */
void cli_interrupt_catch(const int *signals, size_t n);
void cli_interrupt_release(void);
/* Readable while a signal is there that was not taken; -1: nothing is caught. */
int cli_interrupt_fd(void);
bool cli_interrupt_pending(void);
/* The oldest one that was not taken yet; 0: none. */
int cli_interrupt_take(void);
/* At most @ms; ends at once, with true, while a signal is there that was not taken. */
bool cli_interrupt_pause(int64_t ms);

/* Around a request: a signal that comes between the two cancels it. The second tells whether one came: then @http has
 * been cancelled and is not to be used again. */
void cli_interrupt_guard(struct base_http *http);
bool cli_interrupt_unguard(void);

#endif
