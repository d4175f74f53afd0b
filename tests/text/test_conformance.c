/* test_conformance.c: the runner of self-checking files: what it counts, what it calls a failure, its exit
 * status. And through it: programs that JAX printed, in eager mode and compiled, against JAX's own
 * results. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

typedef struct Case {
    const char *text;
    int status;
    const char *says;
} Case;

#define FUNC(body)       "func.func @main() {\n" body "  func.return\n}\n"
#define F32(name, value) "  %" name " = stablehlo.constant dense<" value "> : tensor<2xf32>\n"

#define LOGISTIC_MAP(steps) \
    "  %c = stablehlo.constant dense<3.9> : tensor<2xf32>\n  %one = stablehlo.constant dense<1.0> : " \
    "tensor<2xf32>\n  %z = stablehlo.constant dense<0> : tensor<i32>\n" \
    "  %n = stablehlo.constant dense<" steps \
    "> : tensor<i32>\n  %i1 = stablehlo.constant dense<1> : tensor<i32>\n" \
    "  %r:2 = stablehlo.while(%i = %z, %y = %x) : tensor<i32>, tensor<2xf32> cond {\n" \
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    " \
    "stablehlo.return %p : tensor<i1>\n  } do {\n" \
    "    %s = stablehlo.subtract %one, %y : tensor<2xf32>\n    %t = stablehlo.multiply %y, %s : " \
    "tensor<2xf32>\n    %u = stablehlo.multiply %c, %t : tensor<2xf32>\n" \
    "    %j = stablehlo.add %i, %i1 : tensor<i32>\n    stablehlo.return %j, %u : tensor<i32>, " \
    "tensor<2xf32>\n  }\n" \
    "  check.expect_close %r#1, %b, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>\n"
#define DERIVED(body) \
    "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.sine %x : tensor<2xf32>\n  " \
    "return %y : tensor<2xf32>\n}\n" FUNC(F32("x", "0.0") F32("d", "[2.0, 3.0]") body \
                                          "  check.expect_eq %r#1, %d : tensor<2xf32>\n")

static const Case cases[] = {
    { FUNC(F32("a", "[1.0, 2.0]") F32("b", "[1.0, 2.0]") "  check.expect_eq %a, %b : tensor<2xf32>\n"), 0,
      "1 passed, 0 failed" },
    { FUNC(F32("a", "[1.0, 2.0]") F32("b", "[1.0, 2.5]") "  check.expect_eq %a, %b : tensor<2xf32>\n"), 1,
      "c.mlir:4 (eager): element 1 of 2 is 2.000000e+00, expected 2.500000e+00" },
    /* Equal means ==: a NaN is not, -0 and 0 are. */
    { FUNC(F32("a", "0x7FC00000") "  check.expect_eq %a, %a : tensor<2xf32>\n"), 1, "0 passed, 1 failed" },
    { FUNC(F32("a", "-0.0") F32("b", "0.0") "  check.expect_eq %a, %b : tensor<2xf32>\n"), 0, "1 passed" },
    /* ULPs: 3 if not said, two NaNs agree, an infinity agrees with nothing else. */
    { FUNC(F32("a", "0x3F800000")
               F32("b", "0x3F800003") "  check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>\n"),
      0, "1 passed" },
    { FUNC(F32("a", "0x3F800000")
               F32("b", "0x3F800004") "  check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>\n"),
      1, "(4 ULP)" },
    { FUNC(F32("a", "0x3F800000")
               F32("b", "0x3F800004") "  check.expect_close %a, %b, max_ulp_difference = 4 : "
                                      "tensor<2xf32>, tensor<2xf32>\n"),
      0, "1 passed" },
    { FUNC(F32("a", "0x3F800000")
               F32("b", "0x3F800002") "  check.expect_close %a, %b, max_ulp_difference = 4, "
                                      "min_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>\n"),
      1, "1 failed" },
    { FUNC(F32("a", "0x00000001")
               F32("b", "0x80000002") "  check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>\n"),
      0, "1 passed" },
    { FUNC(F32("a", "0x7F800000")
               F32("b", "0x7F7FFFFF") "  check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>\n"),
      1, "1 failed" },
    { FUNC(F32("a", "0x7FC00000")
               F32("b", "0x7FC00001") "  check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>\n"),
      0, "1 passed" },
    /* Tolerances. */
    { FUNC(F32("a", "1.0") F32("b", "1.0009") "  check.expect_almost_eq %a, %b : tensor<2xf32>\n"), 0,
      "1 passed" },
    { FUNC(F32("a", "1.0") F32("b", "1.0012") "  check.expect_almost_eq %a, %b : tensor<2xf32>\n"), 1,
      "1 failed" },
    { FUNC(F32("a", "1.0") "  check.expect_almost_eq_const %a, dense<1.00009> : tensor<2xf32>\n"), 0,
      "1 passed" },
    { FUNC(F32("a", "1.0") "  check.expect_almost_eq_const %a, dense<1.00011> : tensor<2xf32>\n"), 1,
      "1 failed" },
    { FUNC(
          F32("a", "1.0") "  check.expect_almost_eq_const %a, dense<1.1>, tolerance = 0.2 : tensor<2xf32>\n"),
      0, "1 passed" },
    { FUNC("  %a = stablehlo.constant dense<[3, 4]> : tensor<2xui8>\n  check.expect_eq_const %a, "
           "dense<[3, 5]> : tensor<2xui8>\n"),
      1, "element 1 of 2 is 4, expected 5" },
    /* Sections count one by one; what is not supported is no failure, what is malformed is one. */
    { FUNC(F32("a", "1.0") "  check.expect_eq %a, %a : tensor<2xf32>\n") "// -----\n" FUNC(
          "  %a = \"stablehlo.infeed\"() : () -> tensor<2xf32>\n"),
      0, "1 passed, 0 failed, 1 not supported" },
    { FUNC("  %a = \"stablehlo.infeed\"() : () -> tensor<2xf32>\n"), 0,
      "1 not supported: infeed, outfeed, send, recv (stablehlo.infeed)" },
    { FUNC("  %a = stablehlo.sine %b : tensor<2xf32>\n"), 1, "c.mlir:2:23: %b is not defined here" },
    { "// -----\n\n// -----\n" FUNC("  %a = stablehlo.sine %b : tensor<2xf32>\n"), 1, "c.mlir:5:23: %b" },
    { "// RUN-DISABLED: x\n" FUNC("  %a = stablehlo.sine %b : tensor<2xf32>\n"), 0, "1 disabled" },
    { FUNC(""), 0, "1 with nothing to check" },
    /* Logistic maps: an ULP of the start is many of the end, and after some steps more than there are. */
    { FUNC(F32("x", "0.7") F32("b", "0.57828146") LOGISTIC_MAP("5")), 0,
      "1 results of loops are as close as one ULP of their inputs allows" },
    { FUNC(F32("x", "0.7") F32("b", "0.5784") LOGISTIC_MAP("5")), 1, "0 passed, 1 failed" },
    { FUNC(F32("x", "0.7") F32("b", "0.5") LOGISTIC_MAP("60")), 0, "1 with nothing to check" },
    /* Derivatives. */
    { DERIVED("  %r:2 = enzyme.autodiff @f(%x, %d) {activity = [#enzyme<activity enzyme_active>], "
              "ret_activity = [#enzyme<activity enzyme_active>]}"
              " : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
      0, "1 passed" },
    { DERIVED("  %r:2 = enzyme.fwddiff @f(%x, %d) {activity = [#enzyme<activity enzyme_dup>], "
              "ret_activity = [#enzyme<activity enzyme_dup>]}"
              " : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
      0, "1 passed" },
    { DERIVED("  %r:2 = enzyme.autodiff @f(%x, %d) {activity = [#enzyme<activity enzyme_dup>], "
              "ret_activity = [#enzyme<activity enzyme_active>]}"
              " : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
      0, "not supported: enzyme.autodiff with the activity enzyme_dup" },
    { DERIVED("  %r:2 = enzyme.autodiff @f(%x, %d) {activity = [], ret_activity = [#enzyme<activity "
              "enzyme_active>]}"
              " : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
      1, "c.mlir:8:49: enzyme.autodiff: activity lists 0 values, not 1" },
    { DERIVED("  %r:2 = enzyme.autodiff @f(%x) {activity = [#enzyme<activity enzyme_active>], "
              "ret_activity = [#enzyme<activity enzyme_active>]}"
              " : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
      1, "c.mlir:8:10: enzyme.autodiff: 1 operands, not 2" },
    { DERIVED("  %r:2 = enzyme.fwddiff @f(%x) {activity = [#enzyme<activity enzyme_dup>], ret_activity = "
              "[#enzyme<activity enzyme_dup>]}"
              " : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
      1, "operand 1 is not of the type of parameter 0" },
    { DERIVED("  %r:2 = enzyme.batch @f(%x) {batch_shape = array<i64: 2>} : (tensor<2xf32>) -> "
              "(tensor<2xf32>, tensor<2xf32>)\n"),
      1, "enzyme.batch gives 1 results, the text says 2" },
    { DERIVED("  %q = enzyme.batch @f(%x) {batch_shape = array<i64: 2>} : (tensor<2xf32>) -> "
              "tensor<2xf32>\n  %r:2 = call @two(%q) : (tensor<2xf32>) -> (tensor<2xf32>, "
              "tensor<2xf32>)\n") "func.func @two(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) "
                                  "{\n  return %x, %x : tensor<2xf32>, tensor<2xf32>\n}\n",
      1, "operand 0 is of another type than the func's" },
    { DERIVED("  %r:2 = enzyme.batch @g(%x) {batch_shape = array<i64: 2>} : (tensor<2xf32>) -> "
              "(tensor<2xf32>, tensor<2xf32>)\n"),
      1, "there is no func @g" },
};

static void run(const char *args, const char *text, int status, const char *says)
{
    char folder[] = "/tmp/weft-conformance-XXXXXX", command[1024], said[65536];
    cr_assert(mkdtemp(folder));
    snprintf(command, sizeof command, "%s/c.mlir", folder);
    FILE *f = fopen(command, "w");
    cr_assert(f);
    fputs(text, f);
    fclose(f);
    snprintf(command, sizeof command, "cd %s && '%s/weft-conformance' %s 2>&1", folder, WEFT_BINARY_DIR,
             args);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    int ended = pclose(pipe);
    cr_expect(WIFEXITED(ended) && WEXITSTATUS(ended) == status, "ended with %d, not %d: %s\n%s",
              WEXITSTATUS(ended), status, said, text);
    cr_expect(strstr(said, says), "does not say '%s' but: %s\n%s", says, said, text);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect(system(command) == 0);
}

Test(conformance, verdicts)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run("--eager c.mlir", cases[i].text, cases[i].status, cases[i].says);
}

Test(conformance, options)
{
    run("--list --eager .", cases[0].text, 0, "passed           ./c.mlir");
    static const char says[] =
        "not supported    ./c.mlir:2:8: infeed, outfeed, send, recv (stablehlo.infeed)";
    run("--list --eager .", cases[18].text, 0, says);
    run("--eager .", cases[18].text, 0, says);
    run("--help", "", 0, "usage: weft-conformance");
    run("--bogus", "", 2, "usage: weft-conformance");
    run("none.mlir", "", 2, "none.mlir: no such file or folder");
}

Test(conformance, jax_s_programs_pass_in_both_modes)
{
    run("'" WEFT_SOURCE_DIR "/tests/golden/jax'", "", 0, " 0 failed, 0 not supported");
}
