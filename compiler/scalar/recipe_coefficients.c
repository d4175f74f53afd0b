/* recipe_coefficients.c: the polynomials of the recipes. Written by coefficients.py, which says what each one
 * approximates. */
#include "recipe_builder.h"

const Poly poly_exp[2] = {
    { 5, { 0x1p-1, 0x1.5554aap-3, 0x1.555538p-5, 0x1.122c4ep-7, 0x1.6cd812p-10 } },
    { 11,
      { 0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555556p-5, 0x1.111111110f65ep-7, 0x1.6c16c16c15a17p-10,
        0x1.a01a01aff349fp-13, 0x1.a01a01ad68e84p-16, 0x1.71ddf84c0cc49p-19, 0x1.27e4c53b6b384p-22,
        0x1.af5eb43f717e5p-26, 0x1.1fa02f44bc46bp-29 } },
};
const Poly poly_log[2] = {
    { 8,
      { 0x1.55550cp-2, -0x1.fffe5ep-3, 0x1.99ce2ep-3, -0x1.55b7f6p-3, 0x1.1ef2fap-3, -0x1.f039dep-4,
        0x1.1debe4p-3, -0x1.0e30e2p-3 } },
    { 22, { 0x1.5555555555556p-2, -0x1.0000000000006p-2, 0x1.999999999966fp-3, -0x1.555555555451bp-3,
            0x1.24924924b93bp-3,  -0x1.000000008b06ep-3, 0x1.c71c71aa4fa6ep-4, -0x1.9999994a66d87p-4,
            0x1.745d1d5615b5fp-4, -0x1.555562f07b671p-4, 0x1.3b12e66e3247fp-4, -0x1.2490c7f06fc0cp-4,
            0x1.11223de35aedep-4, -0x1.001c51d4cbd92p-4, 0x1.dff7e32495a78p-5, -0x1.c4522d21c2d14p-5,
            0x1.c0e6eebc125fcp-5, -0x1.b0c6f561eafc3p-5, 0x1.20704e20d3086p-5, -0x1.f87442e027a27p-6,
            0x1.4fb4f56c5cbf3p-4, -0x1.540775d9554aap-4 } },
};
const Poly poly_atanh[2] = {
    { 4, { 0x1.555554p-1, 0x1.999c0cp-2, 0x1.23e042p-2, 0x1.ee9fe6p-3 } },
    { 9,
      { 0x1.5555555555555p-1, 0x1.9999999999b86p-2, 0x1.24924924746e7p-2, 0x1.c71c71e22e43ep-3,
        0x1.745d10f5b4eb4p-3, 0x1.3b1466a2c14dep-3, 0x1.110d4fc86b1a9p-3, 0x1.df7b4c21399f4p-4,
        0x1.e91390481e2bbp-4 } },
};
const Poly poly_atanh7[2] = {
    { 0, { 0 } },
    { 8,
      { 0x1.2492492492488p-2, 0x1.c71c71c720877p-3, 0x1.745d1741681d4p-3, 0x1.3b13b3871f9cep-3,
        0x1.11106825b55adp-3, 0x1.e21a38bbbe8bbp-4, 0x1.a9bea3120bdccp-4, 0x1.cc8500c4a79b4p-4 } },
};
const Poly poly_sin[2] = {
    { 5, { -0x1.555556p-3, 0x1.111136p-7, -0x1.a023ccp-13, 0x1.72ce1ap-19, -0x1.b6355ep-26 } },
    { 9,
      { -0x1.5555555555555p-3, 0x1.11111111110cep-7, -0x1.a01a01a01578cp-13, 0x1.71de3a5309f7bp-19,
        -0x1.ae64551aa41cbp-26, 0x1.6123e758e637fp-33, -0x1.ae4ebffcec918p-41, 0x1.8abefb688aeccp-49,
        -0x1.e8af8c4141ddap-60 } },
};
const Poly poly_tan[2] = {
    { 7,
      { 0x1.555562p-2, 0x1.110d16p-3, 0x1.baf16ep-5, 0x1.5bd04cp-6, 0x1.679892p-7, -0x1.65d6ecp-14,
        0x1.24718ap-8 } },
    { 16,
      { 0x1.5555555555554p-2, 0x1.11111111112f2p-3, 0x1.ba1ba1b9fde1ep-5, 0x1.664f488a3a598p-6,
        0x1.226e343f980afp-7, 0x1.d6d40908e5a5bp-9, 0x1.7d9f9914329edp-10, 0x1.35870f73fecaap-11,
        0x1.f22d7cd7cf6e3p-13, 0x1.ac9dd7526bd6dp-14, 0x1.b81fbfb6dae22p-16, 0x1.4c4d688ac926ep-15,
        -0x1.9ac2380f76cf4p-16, 0x1.fe4e9aa381986p-16, -0x1.ed583c2ae958ep-17, 0x1.4da640a9c4f16p-18 } },
};
const Poly poly_sinh[2] = {
    { 3, { 0x1.555556p-3, 0x1.110fbep-7, 0x1.a2e2f6p-13 } },
    { 6,
      { 0x1.5555555555555p-3, 0x1.1111111111386p-7, 0x1.a01a019ea190bp-13, 0x1.71de407bc14f5p-19,
        0x1.ae4cf1fd854bep-26, 0x1.827e8ea6a7bcp-33 } },
};
const Poly poly_cosh[2] = {
    { 2, { 0x1.5554e6p-5, 0x1.6d4f24p-10 } },
    { 5,
      { 0x1.5555555555558p-5, 0x1.6c16c16c14ff8p-10, 0x1.a01a01ad822b8p-16, 0x1.27e4cc05a0d39p-22,
        0x1.1f8bf5a18b0bbp-29 } },
};
const Poly poly_atan[2] = {
    { 5, { -0x1.55554ap-2, 0x1.9991e4p-3, -0x1.23b9ccp-3, 0x1.b2265p-4, -0x1.f2ecp-5 } },
    { 12,
      { -0x1.5555555555554p-2, 0x1.9999999999583p-3, -0x1.249249246f4a5p-3, 0x1.c71c71b44f2b7p-4,
        -0x1.745d144ea574fp-4, 0x1.3b1364c6d100cp-4, -0x1.110be8ebbb1c2p-4, 0x1.e167881b5bb07p-5,
        -0x1.ab3aa93600b23p-5, 0x1.6fdfcef71b346p-5, -0x1.0fc9edde9ab26p-5, 0x1.e82193949c83dp-7 } },
};
const Poly poly_asin[2] = {
    { 5, { 0x1.5555cap-3, 0x1.330162p-4, 0x1.748b78p-5, 0x1.8ba492p-6, 0x1.59dd62p-5 } },
    { 14,
      { 0x1.5555555555553p-3, 0x1.33333333339f6p-4, 0x1.6db6db6d4b2bep-5, 0x1.f1c71ca77cdbcp-6,
        0x1.6e8b9b02c6dc7p-6, 0x1.1c4f848070f21p-6, 0x1.c980f31d6ce54p-7, 0x1.7ba3ca8a16937p-7,
        0x1.36c42e0a79abap-7, 0x1.480a990edca2bp-7, 0x1.6234fe67c11afp-11, 0x1.971102d996795p-6,
        -0x1.acebd1b191ac3p-6, 0x1.13c5e7981caf5p-5 } },
};
const Poly poly_tanh[2] = {
    { 4, { -0x1.555456p-2, 0x1.10cf7ep-3, -0x1.af862ap-5, 0x1.0d676p-6 } },
    { 12,
      { -0x1.5555555555555p-2, 0x1.111111111108p-3, -0x1.ba1ba1ba10dffp-5, 0x1.664f487f8d08cp-6,
        -0x1.226e34cf1f256p-7, 0x1.d6d3b0ed090efp-9, -0x1.7da10228ae15ep-10, 0x1.3538edd721e46p-11,
        -0x1.f3488a75033b7p-13, 0x1.88d19bd73113bp-14, -0x1.1121dca6f8d5ep-15, 0x1.e467c610a7f11p-18 } },
};
const Poly poly_exp_twice[2] = {
    { 6, { 0x1p+1, 0x1p+1, 0x1.55549p+0, 0x1.5554a4p-1, 0x1.123b0cp-2, 0x1.6d9f3cp-4 } },
    { 12,
      { 0x1p+1, 0x1p+1, 0x1.555555555555cp+0, 0x1.555555555555ep-1, 0x1.111111110eb78p-2,
        0x1.6c16c16c124c9p-4, 0x1.a01a01b3dca5ep-6, 0x1.a01a01bbb7934p-8, 0x1.71ddef2dbd5b1p-10,
        0x1.27e4ac9e974eap-12, 0x1.af6d964b9edc5p-15, 0x1.1fbdaf58688d4p-17 } },
};
const Poly poly_erf[2] = {
    { 7,
      { 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8, -0x1.a3515ep-11,
        0x1.477202p-14 } },
    { 13,
      { 0x1.06eba8214db69p-3, -0x1.812746b037a25p-2, 0x1.ce2f21a0458dap-4, -0x1.b82ce31354e44p-6,
        0x1.565bcd2c68213p-8, -0x1.c02db9345c0a8p-11, 0x1.f9a3b9811a8b7p-14, -0x1.f4dcf57c77034p-17,
        0x1.ba695289fae1ep-20, -0x1.63931d43055b5p-23, 0x1.132eca9fde907p-26, -0x1.c51aa0f173a7cp-30,
        0x1.3c2f854f58cfcp-33 } },
};
const Poly poly_log_erfc[2] = {
    { 8,
      { 0x1.8a502ap-13, -0x1.212c0cp+0, -0x1.44356ap-1, -0x1.bc15p-4, 0x1.9d02d6p-6, -0x1.138c7cp-8,
        0x1.cec506p-12, -0x1.6bd5e8p-16 } },
    { 18,
      { -0x1.5d6cca6c7d45p+0, -0x1.ac3258a8dc2d6p-2, 0x1.3851098b6af7bp-4, -0x1.0dc3b5fb2d29bp-6,
        0x1.d406b379acb9cp-9, -0x1.7ffcfb0320c1cp-11, 0x1.1bc3a47215352p-13, -0x1.5b659e3dddfe7p-16,
        0x1.0604e3d6c3621p-19, 0x1.b58264a16d508p-23, -0x1.73e82120f40d7p-23, 0x1.ef8faf32db18p-25,
        -0x1.e06271fb70941p-27, 0x1.6707cb1589683p-29, -0x1.1f1223f14f1dap-32, -0x1.3b7a6ed09ddecp-34,
        0x1.49f279b9ad764p-35, -0x1.6324c162b6fc3p-38 } },
};
const Poly poly_erfc[2] = {
    { 0, { 0 } },
    { 28, { 0x1.46e80e2277953p+0,   -0x1.7bf5ec1700631p-4,  -0x1.5407bebf31b99p-3,  0x1.4ffa1e14e2549p-3,
            -0x1.bc2b95628f6a4p-5,  -0x1.07423402970abp-7,  0x1.1dd2ed3ccf95cp-7,   0x1.4d46193e9fb4dp-10,
            -0x1.7de59d041d826p-10, -0x1.dc6752780e312p-12, 0x1.b0fd00d147112p-13,  0x1.3c810b08e39e6p-13,
            -0x1.39c206ba32209p-19, -0x1.274384b9a6808p-15, -0x1.2e2355b653927p-17, -0x1.2811e18c428f1p-18,
            -0x1.4fe4062289e5dp-17, 0x1.333ddcda46f02p-15,  0x1.d7d07199af8ccp-16,  -0x1.9ee87c27ad2b7p-14,
            -0x1.de14943210b13p-17, 0x1.61676d0710957p-13,  -0x1.de5d05d09f4fbp-15, -0x1.44b142a8d887p-13,
            0x1.ef66e4f4601c4p-14,  0x1.6d75f0e6b60cp-15,   -0x1.2f53f0a0b88c5p-14, 0x1.5e50dfd03dddbp-16 } },
};
const Poly poly_erf_inv[2] = {
    { 11,
      { 0x1.00b8bap-1, 0x1.f91e8cp-3, -0x1.11c3d4p-8, -0x1.48670ap-10, 0x1.c9b90ep-13, -0x1.4cb5d8p-18,
        -0x1.cbaf2cp-19, 0x1.f3b5c8p-22, 0x1.1a4d6ep-26, -0x1.2ce38p-27, 0x1.d6e152p-32 } },
    { 25, { 0x1.4eabcf9335d0cp-1,   0x1.ebd80d9b13df8p-3,   -0x1.8b6c33114ed5cp-8,  -0x1.84576948346e8p-11,
            0x1.879c2a20ce04cp-13,  -0x1.d1d1f7cacad83p-17, -0x1.6e8a53e5d174fp-20, 0x1.c6b4f8a5f3631p-22,
            -0x1.f36ce7584256dp-26, -0x1.1a9eb566340a7p-28, 0x1.20f4febe9f6f2p-30,  -0x1.dc3e24554bc11p-35,
            -0x1.c899b16ff276ap-37, 0x1.7231da3cf1803p-39,  -0x1.6d1c90fe5b689p-44, -0x1.6840f869fb833p-45,
            0x1.da088b6ab5c83p-48,  -0x1.84b29816a0912p-55, -0x1.27d4e7918e886p-53, 0x1.21c66e50b4561p-56,
            0x1.2e9eb8608096p-60,   -0x1.a3b25858c3889p-62, 0x1.14ff657d912c1p-68,  0x1.f8b49682a881p-69,
            -0x1.843601e705f8p-74 } },
};
const Poly poly_erf_inv_mid[2] = {
    { 10,
      { 0x1.6a9efcp+1, 0x1.006dc8p+0, 0x1.357da4p-7, -0x1.f4b83ap-8, 0x1.74bd3ap-8, -0x1.d5bce6p-9,
        0x1.85c88p-10, -0x1.4a643cp-14, -0x1.4796dp-12, 0x1.0c398cp-13 } },
    { 20, { 0x1.8abcc380d5a48p+1,  0x1.0158a6d641d56p+0,   0x1.5ffcfe5b68b9fp-8,   -0x1.ebadabba1212ap-9,
            0x1.468eeca9f8432p-9,  -0x1.ba9240d47f6fbp-10, 0x1.f3cc5463b23efp-11,  -0x1.7448bdbe5fa2fp-12,
            0x1.932e3f693f3a2p-16, 0x1.1e6adbd9e5af3p-14,  -0x1.8cf2a63d093c9p-15, 0x1.a23cf2ab73bf4p-17,
            0x1.8907244e4ef0dp-19, -0x1.0b5dfaaa389a7p-18, 0x1.91253a83131b4p-20,  -0x1.05028fea9be5ep-25,
            -0x1.1f15523ab89dp-22, 0x1.2013c40735c4bp-23,  -0x1.c9e95ed1e1578p-31, -0x1.17f7a06b23185p-26 } },
};
const Poly poly_erf_inv_far[2] = {
    { 0, { 0 } },
    { 19,
      { 0x1.3664ddd1ad7fbp+2, 0x1.02a30d1fba112p+0, -0x1.22ea5df2394b9p-13, -0x1.c2f36aa42e861p-13,
        0x1.3ebf4f109e047p-14, -0x1.4a348ee486326p-16, 0x1.2fbcf071919f3p-18, -0x1.0a90ce517bc35p-20,
        0x1.ebeb1bcfe6049p-23, -0x1.2213b524a3ff1p-24, 0x1.f1d94baa3b2bcp-26, -0x1.06a9890624c5cp-26,
        0x1.0ef9a0935a955p-27, -0x1.d7f27d85210cfp-29, 0x1.58ca9d830c9b1p-30, -0x1.f92b7d26661dbp-32,
        0x1.bd15281fa988dp-34, 0x1.a73a08285c78p-35, -0x1.de064263a4b9ep-36 } },
};
const Poly poly_rcbrt[2] = {
    { 6, { 0x1.00005ep+0, -0x1.555db6p-2, 0x1.c546f6p-3, -0x1.5e54a8p-3, 0x1.5164ecp-3, -0x1.34619ap-3 } },
    { 7,
      { 0x1.fffff68ab71d9p-1, -0x1.555a1c2e557fap-2, 0x1.c73d2ae3a5beap-3, -0x1.5f581604b51e5p-3,
        0x1.2250eee4ce767p-3, -0x1.2d1504c0448bfp-3, 0x1.1a73b1e38f47ap-3 } },
};
const Poly poly_lgamma_one[2] = {
    { 0, { 0 } },
    { 29, { -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d2p-1,  -0x1.9a4d55beab249p-2, 0x1.151322ac7dd04p-2,
            -0x1.a8b9c17ab86aep-3, 0x1.5b40cb0fae511p-3,  -0x1.2703a1d5728b3p-3, 0x1.010b36cab9f53p-3,
            -0x1.c806739a8264ap-4, 0x1.9a01da966b75cp-4,  -0x1.748bcb54c5af2p-4, 0x1.556bc2420e882p-4,
            -0x1.3b262e58ed2cbp-4, 0x1.24869b9f41553p-4,  -0x1.10973915b60cp-4,  0x1.00c789157ece1p-4,
            -0x1.ebab32ae7bcd3p-5, 0x1.b9c4b5e846161p-5,  -0x1.6922d807e2b43p-5, 0x1.ead0b236235c4p-5,
            -0x1.74755defe04f4p-4, 0x1.b0b156471dcfcp-9,  0x1.bfa0185071fbp-4,   0x1.4cf16a62b0367p-3,
            -0x1.99b3057202cd1p-2, -0x1.6c7d6c5fb6582p-3, 0x1.eec6448c0415cp-2,  0x1.e0b93c7589852p-3,
            -0x1.9e2b90a5a0a8fp-2 } },
};
const Poly poly_lgamma_two[2] = {
    { 0, { 0 } },
    { 24, { 0x1.ff797bba88502p-2,   0x1.2b408cef4c80cp-2,   -0x1.bcc9b6fbc78ap-5,   0x1.e14e96ffddbf5p-7,
            -0x1.3191e510c536bp-8,  0x1.a7552044bb36dp-10,  -0x1.356ab2583e7d1p-11, 0x1.d4c16ebed07a6p-13,
            -0x1.6c16f9061822cp-14, 0x1.20085b8804fd2p-15,  -0x1.ce1ff8a5c20cp-17,  0x1.76ba70ec16833p-18,
            -0x1.3212d5416ad25p-19, 0x1.f8bd5aa2352d7p-21,  -0x1.adcb828f70ed9p-22, 0x1.5edc0e763ae22p-23,
            -0x1.8369824d65c95p-25, 0x1.c2fac66c08fafp-26,  -0x1.6acc142b85fe4p-25, 0x1.0b173651ef3dbp-27,
            0x1.63840dd34af85p-26,  -0x1.1bfec487351ffp-30, -0x1.107b48aeb478p-27,  0x1.c0b263181ad4ap-31 } },
};
const Poly poly_digamma[2] = {
    { 0, { 0 } },
    { 24, { 0x1.e6f0cbb873616p-1,  -0x1.b1cb63005ee96p-2,  0x1.eca189b8e755dp-3,  -0x1.2feeeb98a8101p-3,
            0x1.8512e58fc1a36p-4,  -0x1.fb4420292b59fp-5,  0x1.4de9aa51f4d7cp-5,  -0x1.b9f8b18510a36p-6,
            0x1.256462c9d073p-6,   -0x1.86354bd4d16f4p-7,  0x1.03c2d3e7a97e6p-7,  -0x1.5a09f82ef38c8p-8,
            0x1.ccbbb1c80031bp-9,  -0x1.33238e3772abfp-9,  0x1.9fb47c1b968c2p-10, -0x1.13e6a5ca12a7bp-10,
            0x1.31acbefdcc08ap-11, -0x1.aed36eb19821cp-12, 0x1.52d91fcbddefdp-11, -0x1.7e12e463dc875p-12,
            -0x1.d5434de79f0bp-12, 0x1.85e67ddc5bbd7p-13,  0x1.0e25c57d1d42bp-11, -0x1.122c3db83e50ep-12 } },
};
const Poly poly_i1e[2] = {
    { 0, { 0 } },
    { 30, { 0x1.6e14eb8e5d319p-5,  -0x1.f4bb071a7752cp-5,  0x1.16c390ddb0897p-4,  -0x1.1881379ffb544p-4,
            0x1.0530f818011eap-4,  -0x1.c4daa51345eddp-5,  0x1.6df95e8b8dc2cp-5,  -0x1.13d5f35835073p-5,
            0x1.84125b16620d2p-6,  -0x1.fe3d9c1a398d3p-7,  0x1.3a0c19635acb5p-7,  -0x1.6ab6a1eb041dp-8,
            0x1.89f8b41090cafp-9,  -0x1.9368497505a85p-10, 0x1.8655f997d8397p-11, -0x1.65bd66fa715a2p-12,
            0x1.374b10bf647c2p-13, -0x1.01b88111f7956p-14, 0x1.961fad16ebad3p-16, -0x1.3148633be8472p-17,
            0x1.bea45af7c3308p-19, -0x1.3ccb512933dfbp-20, 0x1.745de7a301d59p-22, -0x1.68f42d3dd4ca9p-24,
            0x1.d3334058f6341p-25, -0x1.0c60964bb3c15p-25, -0x1.7f5a1799ce1ap-29, 0x1.90b96696b5c68p-28,
            0x1.4014266a77858p-30, -0x1.2156db808f2fap-30 } },
};
const Poly poly_i1e_far[2] = {
    { 0, { 0 } },
    { 25, { 0x1.8ebe783a8403p-2,    -0x1.3f796198ee611p-7,  -0x1.cbc54df1f8437p-13, -0x1.f89c230831138p-17,
            -0x1.ec8e0f0c59fdp-20,  -0x1.7613793c5a2f7p-22, -0x1.ad8ee9abee708p-24, -0x1.727c3b9d8a2bap-25,
            -0x1.9153638797d77p-26, -0x1.215d2dfb944f8p-27, 0x1.c981694df55bcp-28,  0x1.e165668a26377p-27,
            0x1.ad6348afa37fbp-28,  -0x1.048dd4b8963a9p-27, -0x1.2526bf9e0ff77p-27, 0x1.c980c6b73943p-29,
            0x1.f259fd072181dp-28,  -0x1.6e9e0f9937157p-30, -0x1.4cadbc45007cbp-28, 0x1.f7e38154ab827p-32,
            0x1.4636f35484721p-29,  -0x1.ee83bd49eb0d5p-34, -0x1.94d4d97bdb3ebp-31, 0x1.e697d571b3995p-37,
            0x1.d3128061f92f4p-34 } },
};
