/* text_writer.h: text written piece by piece into room of a fixed size; what does not fit is cut off. */
#ifndef WEFT_MEMORY_TEXT_WRITER_H
#define WEFT_MEMORY_TEXT_WRITER_H
#include <stdarg.h>
#include <stdio.h>

typedef struct TextWriter {
    char *at;    /* the end of the text: its NUL */
    size_t room; /* from there on, the NUL's included */
} TextWriter;

static inline void text_vwrite(TextWriter *w, const char *format, va_list args)
{
    int n = vsnprintf(w->at, w->room, format, args);
    size_t used = n < 0 ? 0 : (size_t)n < w->room ? (size_t)n : w->room - 1;
    w->at += used;
    w->room -= used;
}

__attribute__((format(printf, 2, 3))) static inline void text_write(TextWriter *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vwrite(w, format, args);
    va_end(args);
}
#endif
