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

static const char file_programs[] =
    "func.func @both() -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {\n"
    "  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
    "  %y = stablehlo.constant dense<[0.5, 0.25, -3.0, 1.0]> : tensor<4xf32>\n"
    "  %z = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n"
    "  return %x, %y, %z : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>\n"
    "}\n"
    "func.func @inputs() -> (tensor<2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<4x3xf32>) {\n"
    "  %b = stablehlo.constant dense<[0.5, -0.5]> : tensor<2xf32>\n"
    "  %w = stablehlo.constant dense<0.25> : tensor<3x2xf32>\n"
    "  %i = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %x = stablehlo.constant dense<2.0> : tensor<4x3xf32>\n"
    "  return %b, %w, %i, %x : tensor<2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<4x3xf32>\n"
    "}\n"
    "func.func @narrow(%x: tensor<4xf8E4M3FN>, %y: tensor<2xf8E5M2>, %i: tensor<3xi4>) -> "
    "(tensor<4xf8E4M3FN>, tensor<2xf8E5M2>, tensor<3xi4>) {\n"
    "  %0 = stablehlo.add %x, %x : tensor<4xf8E4M3FN>\n"
    "  %1 = stablehlo.add %y, %y : tensor<2xf8E5M2>\n"
    "  %2 = stablehlo.add %i, %i : tensor<3xi4>\n"
    "  return %0, %1, %2 : tensor<4xf8E4M3FN>, tensor<2xf8E5M2>, tensor<3xi4>\n"
    "}\n"
    "func.func @near() -> (tensor<i32>, tensor<2xf32>) {\n"
    "  %i = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %x = stablehlo.constant dense<[1.0, 100.0]> : tensor<2xf32>\n"
    "  return %i, %x : tensor<i32>, tensor<2xf32>\n"
    "}\n"
    "func.func @far() -> (tensor<i32>, tensor<2xf32>) {\n"
    "  %i = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %x = stablehlo.constant dense<[1.0, 100.5]> : tensor<2xf32>\n"
    "  return %i, %x : tensor<i32>, tensor<2xf32>\n"
    "}\n"
    "func.func @nans() -> (tensor<i32>, tensor<2xf32>) {\n"
    "  %i = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %x = stablehlo.constant dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32>\n"
    "  return %i, %x : tensor<i32>, tensor<2xf32>\n"
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
    write_file(folder, "q.mlir", file_programs);
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
           "r0.npy holds i32[2], but argument 0 (%x) is f32[4]");
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
    expect("--func none p.mlir", 1, "weft-dump: there is no func @none; there is @main, @twice");
    expect("--vmap x p.mlir", 1, "wanted SIZE");
    expect("--vmap 2:0,0,0 p.mlir", 1, "more axes than the func has parameters (2)");
    expect("--vmap 2:7 p.mlir", 1, "axis 7");
    expect("--vmap 2:q p.mlir", 1, "'q' is no axis");
    expect("- < /dev/null", 1, "the text has no func");
    expect("bad.mlir", 1, "weft-dump: bad.mlir:2:23: %q is not defined here");
}

#define DUMP "'" WEFT_BINARY_DIR "/weft-dump' "
/* in.npz: x, y and one that no argument is called; out.npz: what @main gives of it. */
#define SAVED \
    "--func both --no-compile --save in.npz q.mlir > log && " DUMP \
    "--save out.npz --input in.npz p.mlir && " DUMP

Test(dump, files_in_and_out)
{
    expect(SAVED "-i in.npz -e out.npz p.mlir", 0, "result 0, f32: equal to out.npz bit for bit");
    expect(SAVED "-i y=in.npz:arr_1 -i in.npz:arr_0 -e 0=out.npz:arr_0 p.mlir", 0,
           "equal to out.npz bit for bit");
    expect(SAVED "-i in.npz:arr_0 -i 1=in.npz:arr_1 -e out.npz:arr_0 p.mlir", 0,
           "equal to out.npz bit for bit");
    expect(SAVED "-i x=in.npz:arr_1 -i %y=in.npz:arr_0 -e out.npz p.mlir", 0, "equal to out.npz bit for bit");
    expect(SAVED "-i in.npz --save r p.mlir && " DUMP "-i in.npz -e r0.npy p.mlir", 0,
           "equal to r0.npy bit for bit");
    /* what is not used is said, and no error; a file beyond the last argument is not even read */
    expect(SAVED "-i in.npz:arr_0 -i in.npz:arr_1 -i none.npy -e out.npz p.mlir", 0,
           "none.npy is not used: there are 2 arguments, %x, %y");
    expect(SAVED "-i in.npz:arr_0 p.mlir", 0, "argument 1 (%y), f32[4], is random");
    expect(SAVED "-i in.npz -e out.npz -e none.npy p.mlir", 1, "result 0 is given twice");
    expect(SAVED "-i in.npz -e out.npz:arr_0 -e none.npy p.mlir", 0,
           "none.npy is not used: there is 1 result");
    expect(SAVED "-i in.npz --no-compile -e out.npz p.mlir", 0, "result 0, f32: ");
    expect("--no-compile --run p.mlir", 0, "result 0, f32:\n");
    expect("--no-compile --time p.mlir", 0, "eager run");
    if (!backend_works()) return;
    expect(SAVED "-i in.npz --no-eager -e out.npz p.mlir", 0, "equal to out.npz bit for bit");
    expect("--no-eager --time p.mlir", 0, "compiled run");
    expect("--no-eager --run p.mlir | grep -c eager", 1, "0");
}

/* As ml_dtypes has them, and as ints; both are what a program of such types takes and gives. */
#define EXPORTED "'" WEFT_SOURCE_DIR "/tests/data/exported/"
Test(dump, files_of_narrow_types)
{
    expect("--func narrow -r -i " EXPORTED "narrow.npz' q.mlir", 0,
           "result 0, f8E4M3FN[4]:\n[ 2.  -4.   7.   0.5]");
    expect("--func narrow -i " EXPORTED "narrow.npz' -e " EXPORTED "narrow_doubled.npz' q.mlir", 0,
           "result 1, f8E5M2[2]: equal to");
    expect("--func narrow -i " EXPORTED "narrow.npz' -e " EXPORTED "narrow_doubled.npz' q.mlir", 0,
           "result 2, i4[3]: equal to");
    expect("--func narrow -i " EXPORTED "narrow.npz' --save r.npz q.mlir && " DUMP
           "--func narrow -i " EXPORTED "narrow.npz' -e r.npz q.mlir",
           0, "result 2, i4[3]: equal to r.npz");
    expect("--func narrow -e 0=" EXPORTED "narrow.npz:x' -i " EXPORTED "narrow.npz' --atol 1 q.mlir", 1,
           "farthest in [2]: 7, wanted 3.5 (3.5 apart, 1 allowed)");
    expect("--func both --no-compile --save r q.mlir && " DUMP "--func narrow -i r0.npy q.mlir", 1,
           "r0.npy holds f32[4], but argument 0 (%x) is f8E4M3FN[4]");
    expect("--func narrow -i " EXPORTED "narrow.npz:x' q.mlir", 0, "argument 2 (%i), i4[3], is random");
}

/* The Python function's inputs, one of which it does not use, and no number of a platform. */
Test(dump, inputs_of_what_jax_exported)
{
    expect("--func inputs --no-compile --save in.npz q.mlir && " DUMP "-i in.npz --save out.npz " EXPORTED
           "cpu.jax' && " DUMP "-i in.npz -e out.npz " EXPORTED "several.jax'",
           0, "result 1, f32: equal to out.npz bit for bit");
    expect("--func inputs --no-compile --save in q.mlir && " DUMP
           "-i in0.npy -i in1.npy -i none.npy -i in3.npy --vmap 2:none,none,0 " EXPORTED "cpu.jax'",
           1, "in3.npy holds f32[4,3], but argument 3 is f32[2,4,3]");
    expect("--func inputs --no-compile --save in q.mlir && " DUMP
           "-i 0=in0.npy --run --vmap 2 --vjp " EXPORTED "several.jax'",
           1, "in0.npy holds f32[2], but argument 0 is f32[2,2]");
    expect("--func inputs --no-compile --save in q.mlir && " DUMP "-i 1=in1.npy --vjp " EXPORTED
           "several.jax'",
           0, "argument 5, f32, is random");
}

Test(dump, files_that_do_not_fit)
{
    expect("-i none.npy p.mlir", 1, "weft-dump: none.npy: No such file or directory");
    expect("-i none.npz p.mlir", 1, "weft-dump: none.npz: No such file or directory");
    expect("-i none.npz:x p.mlir", 1, "weft-dump: none.npz: No such file or directory");
    expect("-i p.mlir p.mlir", 1, "weft-dump: p.mlir: this is no .npy file");
    expect("-i . p.mlir", 1, "weft-dump: .: ");
    expect("-i z=none.npy p.mlir", 1, "z=none.npy: z is none of the 2 arguments, %x, %y");
    expect("-i 2=none.npy p.mlir", 1, "2 is none of the 2 arguments");
    expect("-e 1=none.npy p.mlir", 1, "1 is none of the 1 result");
    expect(SAVED "-i x=in.npz p.mlir", 1, "x=in.npz: which of its arrays? Say x=in.npz:NAME");
    expect(SAVED "-i in.npz:w p.mlir", 1,
           "in.npz: it has no array w; it has arr_0.npy, arr_1.npy, arr_2.npy");
    expect(SAVED "-i in.npz:arr_2 p.mlir", 1, "in.npz:arr_2 holds f32[2,2], but argument 0 (%x) is f32[4]");
    expect(SAVED "-i in.npz -i x=in.npz:arr_0 p.mlir", 1,
           "argument 0 (%x) is given twice, by in.npz and by in.npz");
    expect(SAVED "-i in.npz --func twice p.mlir", 1,
           "in.npz:arr_0 holds f32[4], but argument 0 (%x) is i32[2]");
    expect(SAVED "-i in.npz -e in.npz p.mlir", 1, "in.npz:arr_0 holds f32[4], but result 0 is f32");
    expect("--func twice --run --save r p.mlir > log && " DUMP "-e r0.npy p.mlir", 1,
           "r0.npy holds i32[2], but result 0 is f32");
    expect(SAVED "--run p.mlir > log; head -c 300 in.npz > cut.npz; " DUMP "-i cut.npz p.mlir", 1,
           "cut.npz: this is no .npz file");
    expect("--func twice --run --save r p.mlir > log; head -c 132 r0.npy > cut.npy; " DUMP
           "--func twice -i cut.npy p.mlir",
           1, "cut.npy: the file ends before its elements do: 4 bytes of 8 are there");
    expect("-i '" WEFT_SOURCE_DIR "/tests/data/exported/three.npz' p.mlir", 1,
           "three.npz has no array (a, b, c) with the name or number of one of the 2 arguments, %x, %y");
    expect("--save /nonexistent/r p.mlir", 1, "weft-dump: /nonexistent/r0.npy: No such file or directory");
    expect("--save /nonexistent/r.npz p.mlir", 1, "weft-dump: /nonexistent/r.npz: No such file or directory");
}

Test(dump, what_was_expected)
{
    expect("--func twice --save r p.mlir && " DUMP "--func twice --seed 5 -e r0.npy p.mlir", 1,
           "result 0, i32[2]: WRONG in");
    expect("--func twice --save r p.mlir && " DUMP "--func twice --seed 5 -e r0.npy p.mlir", 1,
           "weft-dump: 1 of 1 results are not what was expected");
    expect("--func twice --save r p.mlir && " DUMP "--func twice --seed 5 -e r0.npy --atol 40 p.mlir", 0,
           "as in r0.npy");
    expect("--func near --save r.npz q.mlir && " DUMP "--func far -e r.npz q.mlir", 1,
           "result 1, f32[2]: WRONG in 1 of 2 elements of r.npz, farthest in [1]: 100.5, wanted 100 (0.5 "
           "apart, 0.001 allowed)");
    expect("--func near --save r.npz q.mlir && " DUMP "--func far -e r.npz --rtol 0.005 q.mlir", 0,
           "result 1, f32[2]: as in r.npz");
    expect("--func near --save r.npz q.mlir && " DUMP "--func far -e r.npz --rtol 0.005,0.004 q.mlir", 1,
           "result 1, f32[2]: WRONG");
    expect("--func near --save r.npz q.mlir && " DUMP "--func far -e r.npz --atol 0,0.5 q.mlir", 0,
           "at most 0.5 apart (0.5 allowed)");
    expect("--func near --save r.npz q.mlir && " DUMP "--func far -e r.npz --atol 0.4 --rtol 0.001 q.mlir", 0,
           "as in r.npz");
    expect("--func near --save r.npz q.mlir && " DUMP "--func nans -e 1=r.npz:arr_1 --atol 1e30 q.mlir", 1,
           "farthest in [0]: nan, wanted 1");
    expect("--func nans --save r.npz q.mlir && " DUMP "--func nans -e r.npz q.mlir", 0,
           "result 1, f32[2]: equal");
}

Test(dump, numbers_that_are_none)
{
    expect("--seed x p.mlir", 2, "--seed is a whole number: x");
    expect("--seed 3x p.mlir", 2, "--seed is a whole number: 3x");
    expect("--tolerance x p.mlir", 2, "a tolerance is a number from 0 on: x");
    expect("--tolerance 1,2 p.mlir", 2, "one number for all results: 1,2");
    expect("-e a.npy --atol -1 p.mlir", 2, "a tolerance is a number from 0 on: -1");
    expect("-e a.npy --rtol 1,,2 p.mlir", 2, "a tolerance is a number from 0 on: 1,,2");
    expect("-e a.npy --rtol nan p.mlir", 2, "a tolerance is a number from 0 on: nan");
    expect("-e a.npy --rtol '' p.mlir", 2, "a tolerance is a number from 0 on");
    expect("--rtol 1 p.mlir", 2, "nothing is expected: --atol and --rtol belong to --expect");
    expect("--run --no-eager --no-compile p.mlir", 2, "nothing would run");
    expect("--save r --time=compile p.mlir", 2, "not both");
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
        for (; to < name + 58 && ((*from >= 'a' && *from <= 'z') || *from == '-'); from++) {
            if (*from == '-') *to++ = '\\';
            *to++ = *from;
        }
        if (to == name + 4) continue;
        *to = 0;
        options++;
        cr_expect(strstr(page, name), "the man page has no %s", name);
    }
    cr_expect(options >= 13, "%d", options);
    expect("--version", 0, "weft-dump ");
    free(help.text);
}
