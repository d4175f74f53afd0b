/* dump_stages.c: the stages below the graph: fused program, LLVM IR, assembly; and the graph as a drawing for
 * Graphviz. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "dump.h"
#include "runtime/process/backend_open.h"

/* Fusing needs to know the machine; without a back end it is shown for a plain one. */
bool dump_machine(const DumpOptions *o, Target *target, Failure *f)
{
    const Backend *backend = backend_get(f);
    if (!backend) {
        *target =
            (Target){ .vector_bytes = 16, .vector_registers = 16, .l1_bytes = 32768, .l2_bytes = 1 << 19 };
        return false;
    }
    if (backend->target(o->target, target)) return true;
    return fail(f, WEFT_ARGUMENT, "no target is called '%s' (host, avx512, avx2, sse2, aarch64)", o->target);
}

static void head(const DumpOptions *o, const char *name)
{
    if (o->stages & (o->stages - 1)) printf("// ---- %s\n", name);
}

static bool machine_code(const DumpOptions *o, const Program *program, const Target *target, Failure *f)
{
    BackendOutput out = { 0 };
    unsigned also = (o->stages & SHOW_LLVM ? BACKEND_IR : 0) | (o->stages & SHOW_ASM ? BACKEND_ASM : 0);
    const Backend *backend = backend_get(f);
    bool ok = backend && backend->compile(program, target, also, NULL, &out);
    if (backend && !ok) fail(f, WEFT_COMPILER, "the compiler back end failed: %s", out.error);
    if (ok && out.ir) {
        head(o, "llvm");
        fputs(out.ir, stdout);
    }
    if (ok && out.assembly) {
        head(o, "asm");
        fputs(out.assembly, stdout);
    }
    if (backend) backend->release(&out);
    return ok;
}

/* Drawing. */

static const char *short_name(const Node *n)
{
    const char *dot = strchr(op_info[n->op].text, '.');
    return dot ? dot + 1 : op_info[n->op].text;
}

static void draw_graph(Arena *a, const Graph *g, const char *prefix);

/* A box around each region. */
static void draw_regions(Arena *a, const Node *n, Ref r, const char *prefix)
{
    for (uint32_t i = 0; i < n->n_regions; i++) {
        const char *inner = arena_printf(a, "%s%u_%u_", prefix, r, i);
        printf("  subgraph cluster_%s {\n  label=\"%s %u\";\n", inner, short_name(n), i);
        draw_graph(a, n->regions[i], inner);
        printf("  }\n");
    }
}

/* What a person wants to see in the box beside the op: a small constant's value, an axis. */
static void draw_node(Arena *a, const Graph *g, Ref r, const char *prefix)
{
    const Node *n = graph_node(g, r);
    char type[96];
    printf("  %s%u [label=\"%s", prefix, r, short_name(n));
    if (n->op == OP_PARAMETER) printf(" %" PRId64, n->attr[0]);
    else if (n->op == OP_CONSTANT && n->attr[0])
        printf(" %g", scalar_to_double((DType)n->dtype, scalar_load((DType)n->dtype, n->data)));
    else if (n->op == OP_REDUCE) printf(" %s", op_info[n->attr[0]].name);
    const char *style = n->op == OP_PARAMETER  ? ", shape=oval"
                        : n->op == OP_CONSTANT ? ", shape=plain"
                        : op_is_ew((Op)n->op)  ? ""
                                               : ", style=filled";
    printf("\\n%s\"%s];\n", type_text(type, sizeof type, node_type(n)), style);
    for (uint32_t i = 0; i < n->n_args; i++) printf("  %s%u -> %s%u;\n", prefix, n->args[i], prefix, r);
    draw_regions(a, n, r, prefix);
}

/* Regions nest no deeper than what made them allows. */
static void draw_graph(Arena *a, const Graph *g, const char *prefix)
{
    const bool *reached = graph_reached(a, g);
    for (Ref r = 0; r < g->n_nodes; r++)
        if (reached[r]) draw_node(a, g, r, prefix);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        printf("  %sout%u [label=\"result %u\", shape=oval];\n  %s%u -> %sout%u;\n", prefix, i, i, prefix,
               g->outputs[i], prefix, i);
}

static void dump_dot(Arena *a, const Graph *g)
{
    printf("digraph \"%s\" {\n  node [shape=box, fontname=\"monospace\", fillcolor=\"#e8e8e8\"];\n",
           g->name ? g->name : "main");
    draw_graph(a, g, "n");
    printf("}\n");
}

/* The passes. */

void dump_graph(const DumpOptions *o, Shown shown, const char *name, Arena *a, const Graph *g)
{
    if (!(o->stages & shown)) return;
    head(o, name);
    fputs(graph_print(a, g, &(PrintOptions){ .locs = o->locs }), stdout);
}

typedef struct Showing {
    const DumpOptions *options;
    Arena *arena;
    const Graph *inlined;
} Showing;

/* What was asked for; false where nothing behind it was. */
static bool show(void *user, Stage stage, const Graph *g, const Program *program)
{
    Showing *s = user;
    const DumpOptions *o = s->options;
    bool fuses = o->stages & (SHOW_FUSE | SHOW_LLVM | SHOW_ASM);
    bool simplifies = fuses || o->stages & SHOW_SIMPLIFY || o->jit;
    if (stage == STAGE_INLINED) s->inlined = g;
    if (stage == STAGE_SIMPLIFIED) dump_graph(o, SHOW_SIMPLIFY, "simplify", s->arena, g);
    if (stage == (simplifies ? STAGE_SIMPLIFIED : STAGE_INLINED) && o->stages & SHOW_DOT) {
        head(o, "dot");
        dump_dot(s->arena, g);
    }
    if (stage == STAGE_FUSED && o->stages & SHOW_FUSE) {
        head(o, "fuse");
        fputs(program_print(s->arena, program), stdout);
    }
    return stage < STAGE_INLINED || (stage < STAGE_SIMPLIFIED ? simplifies : fuses);
}

const Graph *dump_stages(const DumpOptions *o, const Graph *g, Arena *a, Failure *f)
{
    Target target = { 0 };
    Failure missing = { 0 };
    Showing showing = { o, a, NULL };
    Pipeline way = { .target = &target, .mode = o->mode, .between = show, .user = &showing };
    bool fuses = o->stages & (SHOW_FUSE | SHOW_LLVM | SHOW_ASM),
         found = !fuses || dump_machine(o, &target, &missing);
    if (!found && (missing.code == WEFT_ARGUMENT || o->stages & (SHOW_LLVM | SHOW_ASM))) {
        fail(f, missing.code, "%s", missing.text);
        return NULL;
    }
    if (!found) fprintf(stderr, "weft-dump: %s; fused for a plain machine\n", missing.text);
    const Program *program = pipeline_run(&way, a, g, f);
    bool ok = f->code == WEFT_OK;
    if (program && o->stages & (SHOW_LLVM | SHOW_ASM)) ok = machine_code(o, program, &target, f);
    return ok ? showing.inlined : NULL;
}
