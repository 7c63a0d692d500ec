/* tests/e2e/lived.c - lived SECONDS [FILE]: runs for SECONDS, not counting the time that it was
 * stopped; then appends a line to FILE. (sleep(1) goes on counting while it is stopped.) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEP_NS    5000000
#define STEP_MAX_S 0.1 /* in a longer step, the process was stopped */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    double left = argc > 1 ? strtod(argv[1], NULL) : 0, last = now();
    FILE *f;

    while (left > 0) {
        double at;

        nanosleep(&step, NULL);
        at = now();
        left -= at - last < STEP_MAX_S ? at - last : STEP_MAX_S;
        last = at;
    }
    if (argc < 3)
        return 0;
    f = fopen(argv[2], "a");
    if (!f)
        return 1;
    fprintf(f, "%s\n", argv[1]);
    return fclose(f) == 0 ? 0 : 1;
}
