/* api/cli/interrupt.h - signals that ask the command to end, noticed by every wait of its one
 * thread.
 *
 * A caught signal stays pending until it is taken. It ends the current request or pause, even when
 * it arrives just before either begins. */
#ifndef CREEL_API_CLI_INTERRUPT_H
#define CREEL_API_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_http;

/* Catches these signals until cli_interrupt_release(), which restores the former handlers. */
void cli_interrupt_catch(const int *signals, size_t n);
void cli_interrupt_release(void);
/* Readable while a signal is pending; -1: nothing is caught. */
int cli_interrupt_fd(void);
bool cli_interrupt_pending(void);
/* Takes the oldest pending signal; 0: none. */
int cli_interrupt_take(void);
/* Sleeps for @ms at most. Returns true, at once, when a signal is pending. */
bool cli_interrupt_pause(int64_t ms);

/* Bracket a request on @http: a signal in between cancels it. The second call returns whether one
 * came;
 * @http must then not be used again. */
void cli_interrupt_guard(struct base_http *http);
bool cli_interrupt_unguard(void);

#endif
