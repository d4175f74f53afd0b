/* threefry.c: see threefry.h.
 *
 * Five groups of four rounds { x0 += x1; x1 = rotl(x1, r) ^ x0 }, and after each group two of the three key
 * words, k0, k1 and k0 ^ k1 ^ parity, are added; the second with the group's number. The key's part is done
 * on rank-0 words, once for all counters.
 */
#include "threefry.h"

enum { GROUPS = 5, ROUNDS = 4, PARITY = 0x1BD11BDA };
static const uint8_t rotation[2][ROUNDS] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };

static ThreefryWord rotate_left(const ThreefryWorld *w, ThreefryWord x, uint32_t by)
{
    ThreefryWord up = w->binary(w->self, OP_SHL, x, w->spread(w->self, w->number(w->self, by), x));
    ThreefryWord down =
        w->binary(w->self, OP_SHR_LOGIC, x, w->spread(w->self, w->number(w->self, 32 - by), x));
    return w->binary(w->self, OP_OR, up, down);
}

static void four_rounds(const ThreefryWorld *w, const uint8_t by[ROUNDS], ThreefryWord x[2])
{
    for (int i = 0; i < ROUNDS; i++) {
        x[0] = w->binary(w->self, OP_ADD, x[0], x[1]);
        x[1] = w->binary(w->self, OP_XOR, rotate_left(w, x[1], by[i]), x[0]);
    }
}

static ThreefryWord add_key(const ThreefryWorld *w, ThreefryWord x, ThreefryWord key)
{
    return w->binary(w->self, OP_ADD, x, w->spread(w->self, key, x));
}

static ThreefryWord numbered(const ThreefryWorld *w, ThreefryWord key, uint32_t group)
{
    return w->binary(w->self, OP_ADD, key, w->spread(w->self, w->number(w->self, group), key));
}

void threefry_rounds(const ThreefryWorld *w, const ThreefryWord key[2], ThreefryWord x[2])
{
    ThreefryWord both = w->binary(w->self, OP_XOR, key[0], key[1]);
    ThreefryWord k[3] = {
        key[0], key[1], w->binary(w->self, OP_XOR, both, w->spread(w->self, w->number(w->self, PARITY), both))
    };
    x[0] = add_key(w, x[0], k[0]);
    x[1] = add_key(w, x[1], k[1]);
    for (uint32_t i = 0; i < GROUPS; i++) {
        four_rounds(w, rotation[i % 2], x);
        x[0] = add_key(w, x[0], k[(i + 1) % 3]);
        x[1] = add_key(w, x[1], numbered(w, k[(i + 2) % 3], i + 1));
    }
}

/* ---- on nodes ---- */

static ThreefryWord node_number(void *self, uint32_t v)
{
    return build_splat(self, (Type){ .dtype = WEFT_U32 }, v);
}

static ThreefryWord node_binary(void *self, Op op, ThreefryWord a, ThreefryWord b)
{
    return build_binary(self, op, (Ref)a, (Ref)b);
}

static ThreefryWord node_spread(void *self, ThreefryWord word, ThreefryWord like)
{
    if ((Ref)word == REF_NONE || (Ref)like == REF_NONE) return REF_NONE;
    Type t = graph_type(self, (Ref)like);
    return graph_type(self, (Ref)word).rank == t.rank ? word
                                                      : build_broadcast(self, (Ref)word, t.dim, t.rank, NULL);
}

void threefry_graph(Graph *g, const Ref key[2], const Ref counter[2], Ref out[2])
{
    const ThreefryWorld world = { g, node_number, node_binary, node_spread };
    ThreefryWord k[2] = { key[0], key[1] }, x[2] = { counter[0], counter[1] };
    threefry_rounds(&world, k, x);
    out[0] = (Ref)x[0];
    out[1] = (Ref)x[1];
}

/* ---- on numbers ---- */

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
