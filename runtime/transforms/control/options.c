/* options.c: see options.h. */
#include "options.h"
#include "runtime/call/written.h"

typedef struct OptionInfo {
    const char *name;
    int64_t unsaid, otherwise;
} OptionInfo;

#define OPTION_INFO(name, unsaid, otherwise) { #name, unsaid, otherwise },
static const OptionInfo option_info[] = { CONTROL_OPTION_LIST(OPTION_INFO) };
enum { OPTIONS = OPTION_STRAY };

/* An option that may be 0 is said if it is written; where nothing is written, each field counts. */
static void read_options(weft_control o, int64_t *value)
{
#define OPTION_VALUE(name, unsaid, otherwise) o.name,
    const int64_t field[] = { CONTROL_OPTION_LIST(OPTION_VALUE) };
    for (int i = 0; i < OPTIONS; i++) {
        const OptionInfo *info = &option_info[i];
        bool counts = !info->unsaid || !o.written_ || written_option(o.written_, info->name);
        value[i] = counts ? field[i] : info->unsaid;
    }
}

static int64_t find_stray(const int64_t *value, const char *written, unsigned allowed)
{
    for (int i = 0; i < OPTIONS; i++)
        if (value[i] != option_info[i].unsaid && !(allowed >> i & 1)) return i + 1;
    for (int i = 0; i < OPTIONS; i++)
        if (i != OPTION_reverse && written_float(written, option_info[i].name)) return OPTIONS + i + 1;
    return 0;
}

weft_fn control_derive(weft_context *ctx, const Derivation *of, weft_control o, unsigned allowed)
{
    int64_t number[OPTION_NUMBERS];
    Derivation d = *of;
    read_options(o, number);
    number[OPTION_STRAY] = find_stray(number, o.written_, allowed);
    for (int i = 0; i < OPTIONS; i++)
        if (number[i] == option_info[i].unsaid) number[i] = option_info[i].otherwise;
    d.numbers = number;
    d.n_numbers = OPTION_NUMBERS;
    return fn_derive(ctx, &d);
}

bool control_refuse_stray(const Function *f, Failure *failure)
{
    int64_t stray = f->numbers[OPTION_STRAY];
    if (stray > OPTIONS)
        return fail(failure, WEFT_ARGUMENT, ".%s is a floating-point number: it must be an integer",
                    option_info[stray - OPTIONS - 1].name);
    return !stray || fail(failure, WEFT_ARGUMENT, ".%s is no option of weft_%s", option_info[stray - 1].name,
                          f->rule->name);
}

bool control_at_least(const Function *f, ControlOption i, int64_t least, const char *what, Failure *failure)
{
    int64_t n = f->numbers[i];
    return n >= least || n == option_info[i].otherwise ||
           fail(failure, WEFT_ARGUMENT, ".%s is %lld%s", option_info[i].name, (long long)n, what);
}
