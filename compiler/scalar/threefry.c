/* threefry.c: see threefry.h.
 *
 * Five groups of four rounds { x0 += x1; x1 = rotl(x1, r) ^ x0 }, and after each group two of the three key
 * words, k0, k1 and k0 ^ k1 ^ parity, are added; the second with the group's number. The key's part is done
 * on rank-0 words, once for all counters.
 */
#include "threefry.h"

enum { GROUPS = 5, ROUNDS = 4, PARITY = 0x1BD11BDA };
static const uint8_t rotation[2][ROUNDS] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };

static Ref number(Graph *g, uint32_t v) { return build_splat(g, (Type){ .dtype = WEFT_U32 }, v); }

/* A word of rank 0 in the shape of like. */
static Ref spread(Graph *g, Ref word, Ref like)
{
    if (word == REF_NONE || like == REF_NONE) return REF_NONE;
    Type t = graph_type(g, like);
    return graph_type(g, word).rank == t.rank ? word : build_broadcast(g, word, t.dim, t.rank, NULL);
}

static Ref rotate_left(Graph *g, Ref x, uint32_t by)
{
    Ref up = build_binary(g, OP_SHL, x, spread(g, number(g, by), x));
    Ref down = build_binary(g, OP_SHR_LOGIC, x, spread(g, number(g, 32 - by), x));
    return build_binary(g, OP_OR, up, down);
}

static void four_rounds(Graph *g, const uint8_t by[ROUNDS], Ref x[2])
{
    for (int i = 0; i < ROUNDS; i++) {
        x[0] = build_binary(g, OP_ADD, x[0], x[1]);
        x[1] = build_binary(g, OP_XOR, rotate_left(g, x[1], by[i]), x[0]);
    }
}

static Ref add_key(Graph *g, Ref x, Ref key) { return build_binary(g, OP_ADD, x, spread(g, key, x)); }

void threefry_graph(Graph *g, const Ref key[2], const Ref counter[2], Ref x[2])
{
    Ref both = build_binary(g, OP_XOR, key[0], key[1]);
    Ref k[3] = { key[0], key[1], build_binary(g, OP_XOR, both, spread(g, number(g, PARITY), both)) };
    x[0] = add_key(g, counter[0], k[0]);
    x[1] = add_key(g, counter[1], k[1]);
    for (uint32_t i = 0; i < GROUPS; i++) {
        four_rounds(g, rotation[i % 2], x);
        x[0] = add_key(g, x[0], k[(i + 1) % 3]);
        x[1] = add_key(g, x[1], add_key(g, k[(i + 2) % 3], number(g, i + 1)));
    }
}

void threefry_words(const uint32_t key[2], uint32_t *x0, uint32_t *x1, int64_t n)
{
    const uint32_t k[3] = { key[0], key[1], key[0] ^ key[1] ^ PARITY };
    for (int64_t j = 0; j < n; j++) {
        uint32_t a = x0[j] + k[0], b = x1[j] + k[1];
        for (uint32_t i = 0; i < GROUPS; i++) {
            const uint8_t *by = rotation[i % 2];
            for (int r = 0; r < ROUNDS; r++) {
                a += b;
                b = (b << by[r] | b >> (32 - by[r])) ^ a;
            }
            a += k[(i + 1) % 3];
            b += k[(i + 2) % 3] + i + 1;
        }
        x0[j] = a;
        x1[j] = b;
    }
}
