/* base/task_kind.h - map or reduce: the kind of a task, of the slot it takes, and of the work that
 * a policy orders. Phases, sizes and slots come in arrays with one element per kind, so the values
 * are indices:
 *
 *   for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
 *
 * Masters and plain containers have no kind of their own; they take map slots. */
#ifndef CREEL_BASE_TASK_KIND_H
#define CREEL_BASE_TASK_KIND_H

enum base_task_kind { BASE_TASK_MAP, BASE_TASK_REDUCE, BASE_TASK_KINDS };

#endif
