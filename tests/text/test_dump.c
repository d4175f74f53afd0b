/* test_dump.c: the tool weft-dump as a user meets it: stages, options, exit statuses, messages; help and man
 * page name every option. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char program[] = "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {\n"
                              "  %0 = stablehlo.multiply %x, %y : tensor<4xf32>\n"
                              "  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
                              "  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions "
                              "= [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
                              "  return %1 : tensor<f32>\n"
                              "}\n"
                              "func.func @twice(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
                              "  %0 = stablehlo.add %x, %x : tensor<2xi32>\n"
                              "  return %0 : tensor<2xi32>\n"
                              "}\n";

static const char loop_program[] =
    "func.func @main(%x: tensor<32xf32>, %k: tensor<f32>, %c: tensor<f32>) -> (tensor<f32>, tensor<32xf32>, "
    "tensor<i32>) {\n"
    "  %0:2 = chlo.scan(%x) inits(%c) dimension=0 {\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %1 = stablehlo.multiply %b, %k : tensor<f32>\n"
    "    %2 = stablehlo.add %1, %a : tensor<f32>\n"
    "    stablehlo.return %2, %2 : tensor<f32>, tensor<f32>\n"
    "  } : (tensor<32xf32>, tensor<f32>) -> (tensor<32xf32>, tensor<f32>)\n"
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<7> : tensor<i32>\n"
    "  %3 = stablehlo.while(%i = %z) : tensor<i32> cond {\n"
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %j = stablehlo.add %i, %n : tensor<i32>\n"
    "    stablehlo.return %j : tensor<i32>\n"
    "  }\n"
    "  return %0#1, %0#0, %3 : tensor<f32>, tensor<32xf32>, tensor<i32>\n"
    "}\n";

typedef struct Ran {
    int status;
    char *text;
} Ran; /* text: stdout and stderr */

static const char bad_program[] = "func.func @f() {\n  %0 = stablehlo.sine %q : tensor<f32>\n}\n";

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert(f, "%s", path);
    fputs(text, f);
    fclose(f);
}

static char *read_all(FILE *f)
{
    char *text = calloc(1, 1);
    size_t n = 0, got;
    for (char chunk[4096]; (got = fread(chunk, 1, sizeof chunk, f)) > 0;) {
        text = realloc(text, n + got + 1);
        memcpy(text + n, chunk, got);
        text[n += got] = 0;
    }
    return text;
}

/* Runs `weft-dump ARGS` in a folder with the program above as p.mlir and a wrong one as bad.mlir. ARGS may go
 * on as shell: `p.mlir && od r0.npy`. */
static Ran run(const char *args)
{
    char folder[] = "/tmp/weft-dump-XXXXXX", command[4096];
    cr_assert(mkdtemp(folder));
    write_file(folder, "p.mlir", program);
    write_file(folder, "bad.mlir", bad_program);
    write_file(folder, "loop.mlir", loop_program);
    snprintf(command, sizeof command, "cd %s && { '%s/weft-dump' %s; } 2>&1", folder, WEFT_BINARY_DIR, args);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    Ran r = { .text = read_all(pipe) };
    int status = pclose(pipe);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect(system(command) == 0);
    return r;
}

static void expect(const char *args, int status, const char *part)
{
    Ran r = run(args);
    cr_expect(r.status == status, "weft-dump %s ended with %d, not %d:\n%s", args, r.status, status, r.text);
    cr_expect(strstr(r.text, part), "weft-dump %s does not say '%s' but:\n%s", args, part, r.text);
    free(r.text);
}

/* Is there a back end? Without LLVM the machine's stages say so, and nothing else changes. */
static bool backend_works(void)
{
    Ran r = run("--stage llvm p.mlir");
    bool works = r.status == 0;
    cr_expect(works || strstr(r.text, "back end"), "%s", r.text);
    free(r.text);
    return works;
}

Test(dump, stages)
{
    expect("p.mlir", 0, "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {");
    expect("- < p.mlir", 0, "stablehlo.multiply %x, %y : tensor<4xf32>");
    expect("--func twice p.mlir", 0, "func.func @twice(%x: tensor<2xi32>)");
    expect("--vmap 8 p.mlir", 0, "-> tensor<8xf32> {");
    expect("-v '8:1,none' p.mlir", 0, "(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<8xf32>");
    expect("--vmap 8:0,none --vmap 3 p.mlir", 0, "-> tensor<3x8xf32> {");
    expect("--func twice --vmap '5:-1->1' p.mlir", 0, "(%x: tensor<2x5xi32>) -> tensor<2x5xi32>");
    expect("--stage graph,simplify p.mlir", 0, "// ---- simplify\nfunc.func @main");
    expect("--vmap 8 --jit p.mlir", 0, "kernel k0");
    expect("--stage dot p.mlir", 0, "digraph \"main\" {");
    if (!backend_works()) return;
    expect("--stage llvm p.mlir", 0, "define");
    expect("--stage asm --target avx2 p.mlir", 0, "weft_entry");
    expect("--stage asm --target aarch64 p.mlir", 0, "weft_entry");
    expect("--stage all --vmap 100 p.mlir", 0, "// ---- asm");
}

Test(dump, derivatives)
{
    expect("--grad p.mlir", 0, "-> (tensor<f32>, tensor<4xf32>, tensor<4xf32>) {");
    expect("--grad=1 p.mlir", 0, "-> (tensor<f32>, tensor<4xf32>) {");
    expect("-g1 --stage graph,grad,simplify p.mlir", 0,
           "// ---- grad\nfunc.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<f32>, "
           "tensor<4xf32>) {");
    expect("--grad --stage fuse p.mlir", 0, "kernel k0");
    expect("--jvp=0 p.mlir", 0,
           "(%x: tensor<4xf32>, %y: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {");
    expect("--vjp p.mlir", 0,
           "(%x: tensor<4xf32>, %y: tensor<4xf32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, "
           "tensor<4xf32>) {");
    expect("--grad=0 --vmap 8:0,none p.mlir", 0, "-> (tensor<8xf32>, tensor<8x4xf32>) {");
    expect("--vmap 8 --vjp=0 --stage all --target avx2 p.mlir", backend_works() ? 0 : 1, "// ---- grad\n");
    expect("--grad --jvp p.mlir", 0,
           "-> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) {");
    expect("--grad --run --mode strict p.mlir", 0, "result 2, f32[4]:");
    expect("--vjp --run --mode strict loop.mlir", 0, "result 3, f32[32]:");
    expect("--grad --time p.mlir", 0, "transforms ");
    expect("--vmap 8 --grad p.mlir", 1, "f32[8]");
    expect("--grad --func twice p.mlir", 1, "the func takes no argument of a float type to differentiate by");
    expect("--grad=0 --func twice p.mlir", 1, "argument 0 is i32[2]: there are derivatives by floats only");
    expect("--grad=2 p.mlir", 1, "there is no argument 2 to differentiate by: the func takes 2");
    expect("--grad=x p.mlir", 1, "'x' is no list of arguments");
}

Test(dump, control_flow_in_all_stages)
{
    expect("loop.mlir", 0, "stablehlo.while(%iterArg = ");
    expect("loop.mlir", 0, "stablehlo.composite \"weft.scan\"");
    expect("--vmap 4:0,none,none loop.mlir", 0, "-> (tensor<4xf32>, tensor<4x32xf32>, tensor<4xi32>) {");
    expect("--stage dot loop.mlir", 0, "subgraph cluster_n");
    expect("--stage fuse loop.mlir", 0, "loop ");
    expect("--run loop.mlir", 0, "result 2, i32:");
    if (!backend_works()) return;
    expect("--stage all --vmap 4 loop.mlir", 0, "// ---- asm");
    expect("--run --mode strict --vmap 4 loop.mlir", 0, "result 1: eager and compiled are equal bit for bit");
    expect("--run --mode strict loop.mlir", 0, "result 1: eager and compiled are equal bit for bit");
}

Test(dump, runs)
{
    expect("--run p.mlir", 0, "result 0, f32:");
    expect("--func twice --run --save r p.mlir && od -A n -c r0.npy | head -1", 0, "N   U   M   P   Y");
    expect("--func twice --run --save r p.mlir && '" WEFT_BINARY_DIR
           "/weft-dump' --func twice --run --input r0.npy --seed 9 p.mlir",
           0, "result 0, i32[2]:");
    expect("--run --input r0.npy p.mlir", 1, "r0.npy");
    expect("--func twice --run --save r p.mlir && '" WEFT_BINARY_DIR "/weft-dump' --run -i r0.npy p.mlir", 1,
           "does not fit argument 0, which is f32[4]");
    expect("--time p.mlir", 0, "eager run");
    if (!backend_works()) return;
    expect("--run --mode strict --vmap 1000 p.mlir", 0, "equal bit for bit");
    expect("--run p.mlir", 0, "result 0: eager and compiled");
    expect("--time p.mlir", 0, "compiled run");
}

Test(dump, says_what_is_wrong)
{
    expect("", 2, "which file?");
    expect("p.mlir q.mlir", 2, "one file at a time");
    expect("none.mlir", 1, "none.mlir cannot be opened");
    expect("--stage foo p.mlir", 2, "no stage is called so");
    expect("--mode foo p.mlir", 2, "no mode is called so");
    expect("--bogus p.mlir", 2, "bogus");
    expect("--func none p.mlir", 1, "there is no func @none");
    expect("--vmap x p.mlir", 1, "wanted SIZE");
    expect("--vmap 2:0,0,0 p.mlir", 1, "more axes than the func has parameters (2)");
    expect("--vmap 2:7 p.mlir", 1, "axis 7");
    expect("--vmap 2:q p.mlir", 1, "'q' is no axis");
    expect("--run -i a.npy -i a.npy -i a.npy p.mlir", 1, "3 inputs are given, the func takes 2");
    expect("- < /dev/null", 1, "the text has no func");
    expect("bad.mlir", 1, "weft-dump: bad.mlir:2:23: %q is not defined here");
}

/* Each long option of --help is in the man page. */
Test(dump, man_page_is_complete)
{
    Ran help = run("--help");
    char page[65536];
    FILE *f = fopen(WEFT_SOURCE_DIR "/docs/weft-dump.1", "r");
    cr_assert(f && help.status == 0);
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    int options = 0;
    for (const char *at = help.text; (at = strstr(at, "--")); at += 2) {
        char name[64] = "\\-\\-", *to = name + 4;
        const char *from = at + 2;
        while (to < name + 60 && *from >= 'a' && *from <= 'z') *to++ = *from++;
        if (to == name + 4) continue;
        *to = 0;
        options++;
        cr_expect(strstr(page, name), "the man page has no %s", name);
    }
    cr_expect(options >= 13, "%d", options);
    expect("--version", 0, "weft-dump ");
    free(help.text);
}
