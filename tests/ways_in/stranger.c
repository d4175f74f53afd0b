/* What must never be loaded. */
#include <stdio.h>
__attribute__((constructor)) static void run(void) { puts("a stranger's code runs"); }
