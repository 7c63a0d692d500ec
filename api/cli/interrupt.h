/* api/cli/interrupt.h - signals that ask the command to end. Every wait of its only thread ends
 * when one arrives.
 *
 * A caught signal stays pending until it is taken. While it is pending, no pause waits. It also
 * ends a request, provided that it arrives after cli_interrupt_cancel_on_signal(), even just before
 * the request begins. */
#ifndef CREEL_API_CLI_INTERRUPT_H
#define CREEL_API_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_http;

/* Catches these signals until cli_interrupt_release(), which restores the former handlers. */
void cli_interrupt_catch(const int *signals, size_t n);
void cli_interrupt_release(void);
/* Returns a descriptor that is readable while a signal is pending; -1: no signals are caught. */
int cli_interrupt_fd(void);
bool cli_interrupt_pending(void);
/* Removes the oldest pending signal and returns its number; 0: none is pending. */
int cli_interrupt_take_signal(void);
/* Sleeps for @ms at most. Returns true, at once, when a signal is pending. */
bool cli_interrupt_sleep(int64_t ms);

/* Called before and after a request on @http: a signal that arrives in between cancels the request.
 * cli_interrupt_stop_cancelling() returns true when one has arrived; @http must then not be used
 * again. */
void cli_interrupt_cancel_on_signal(struct base_http *http);
bool cli_interrupt_stop_cancelling(void);

#endif
