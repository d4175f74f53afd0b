/* The public header is valid C++17 on its own. */
#include "weft.h"

int main() { return WEFT_MAX_RANK == 32 ? 0 : 1; }
