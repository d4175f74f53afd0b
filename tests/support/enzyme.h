/* enzyme.h: the dialect enzyme for text_parse_with. */
#ifndef WEFT_TESTS_ENZYME_H
#define WEFT_TESTS_ENZYME_H
#include "compiler/text/text.h"
extern const Dialect enzyme;
#endif
