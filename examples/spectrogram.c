/* spectrogram.c: what frequencies a sound has, and when: a WAV file in, a picture out.
 *
 * frame() is written for ONE piece of the sound: a window that fades in and out, a Fourier transform,
 * decibels. weft_vmap makes the picture of it, a column for each piece, and colors are arithmetic like the
 * rest: the program that weft_jit compiles has the sound as its argument and pixels as its result.
 *
 *     spectrogram sound.wav [picture.png]             16 bits a sample; of several channels the first
 *     spectrogram --synth [sound.wav [picture.png]]   writes a gliding tone first, and looks for it
 */
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "weft.h"

/* Samples of a piece, samples from one to the next, frequencies shown; decibels from black to white. */
enum { PIECE = 1024, HOP = 256, BINS = PIECE / 2, RANGE = 90 };
static const double PI = 3.14159265358979323846;

/* The level in dB of each frequency in the piece from `start` on; a sine of amplitude 1 has 0. */
static weft_array *frame(weft_array *sound, weft_array *start)
{
    weft_array *turn = weft_mul(weft_arange(NULL, 0, PIECE, 1), 2 * PI / PIECE),
               *hann = weft_sub(0.5, weft_mul(weft_cos(turn), 0.5)),
               *piece = weft_dynamic_slice_axis(sound, start, PIECE, 0);
    weft_array *f = weft_mul(weft_rfft(weft_mul(piece, hann), -1), 4.0 / PIECE);
    weft_array *power = weft_add(weft_square(weft_real(f)), weft_square(weft_imag(f)));
    return weft_mul(weft_log10(weft_add(power, 1e-12)), 10);
}

WEFT_SIGNATURE(draw_fn, weft_array *,
               (weft_array * sound, weft_array *starts, WEFT_OUT weft_array **loudest));

/* u8[frequencies, pieces, 3], low ones at the bottom, and i32[pieces]: the loudest frequency of each piece */
static weft_array *draw(weft_array *sound, weft_array *starts, weft_array **loudest)
{
    weft_array *level = weft_vmap(NULL, frame, "none, 0")(sound, starts);
    *loudest = weft_argmax(level, .axes = "1");
    weft_array *heat = weft_add(weft_div(weft_transpose(weft_at(level, ":, :%d", BINS)), RANGE), 1);
    heat = weft_mul(weft_flip(heat, "0"), 3); /* black, red at 1, yellow at 2, white at 3 */
    weft_array *color = weft_stack_arrays(-1, heat, weft_sub(heat, 1), weft_sub(heat, 2));
    return weft_astype(weft_mul(weft_clip(color, 0, 1), 255), WEFT_U8);
}

/* ---- sounds ---- */

typedef struct {
    float *sample;
    int n, rate;
} sound;

static uint32_t little(const unsigned char *p, int bytes)
{
    uint32_t v = 0;
    for (int i = bytes; i-- > 0;) v = v << 8 | p[i];
    return v;
}

/* A WAV file is chunks, each a name of four letters, a size, and that many bytes: "fmt " tells how the
 * samples in "data" are stored. */
static bool read_wav(const char *path, sound *s)
{
    unsigned char head[12], format[16] = { 0 }, two[2];
    FILE *f = fopen(path, "rb");
    if (!f) return perror(path), false;
    bool good = fread(head, 1, 12, f) == 12 && !memcmp(head, "RIFF", 4) && !memcmp(head + 8, "WAVE", 4);
    while (good && (good = fread(head, 1, 8, f) == 8) && memcmp(head, "data", 4)) {
        bool is_format = !memcmp(head, "fmt ", 4);
        long rest = (long)little(head + 4, 4) + (head[4] & 1) - (is_format ? 16 : 0);
        good = (!is_format || fread(format, 1, 16, f) == 16) && rest >= 0 && !fseek(f, rest, SEEK_CUR);
    }
    int channels = (int)little(format + 2, 2);
    good = good && channels > 0 && little(format + 14, 2) == 16;
    s->rate = (int)little(format + 4, 4);
    s->n = 0;
    s->sample = good ? malloc((size_t)little(head + 4, 4) / 2 * sizeof(float) + 1) : NULL;
    for (int i = 0, end = (int)(little(head + 4, 4) / 2); s->sample && i < end && fread(two, 1, 2, f) == 2;
         i++)
        if (i % channels == 0) s->sample[s->n++] = (float)(int16_t)little(two, 2) / 32768;
    fclose(f);
    if (s->n >= PIECE) return true;
    fprintf(stderr, "%s: no WAV file of 16 bits a sample, or shorter than %d samples\n", path, PIECE);
    return false;
}

/* A tone that glides from LOW to HIGH Hz, and a fifth of that loud its octave. */
enum { RATE = 16000, SECONDS = 4, LOW = 200, HIGH = 3500 };
static double glide(double t) { return LOW + (HIGH - LOW) * t / SECONDS; }

static bool write_wav(const char *path)
{
    enum { N = RATE * SECONDS };
    static unsigned char wav[44 + 2 * N] = "RIFF....WAVEfmt \20\0\0\0\1\0\1\0........\2\0\20\0data";
    const uint32_t number[][2] = { { 4, sizeof wav - 8 }, { 24, RATE }, { 28, 2 * RATE }, { 40, 2 * N } };
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) wav[number[k][0] + (unsigned)i] = (unsigned char)(number[k][1] >> 8 * i);
    for (int i = 0; i < N; i++) {
        double t = (double)i / RATE, phase = 2 * PI * t * (LOW + glide(t)) / 2;
        int v = (int)(20000 * sin(phase) + 4000 * sin(2 * phase));
        wav[44 + 2 * i] = (unsigned char)(v & 255);
        wav[45 + 2 * i] = (unsigned char)(v >> 8 & 255);
    }
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(wav, 1, sizeof wav, f) == sizeof wav;
    if (!good) perror(path);
    if (f) good = fclose(f) == 0 && good;
    return good;
}

/* How far the loudest frequency is from the glide's, at most, in steps of the transform. */
static double worst_of(const weft_array *loudest, int pieces)
{
    double worst = 0;
    for (int i = 0; i < pieces; i++) {
        double middle = (i * HOP + PIECE / 2.0) / RATE;
        worst = fmax(worst, fabs(weft_i32(loudest)[i] - glide(middle) * PIECE / RATE));
    }
    return worst;
}

int main(int argc, char **argv)
{
    bool synth = argc > 1 && !strcmp(argv[1], "--synth");
    const char *wav = argc > 1 + synth ? argv[1 + synth]
                      : synth          ? "glide.wav"
                                       : NULL,
               *path = argc > 2 + synth ? argv[2 + synth] : "spectrogram.png";
    if (!wav) return fprintf(stderr, "usage: spectrogram [--synth] sound.wav [picture.png]\n"), 2;
    sound s;
    if ((synth && !write_wav(wav)) || !read_wav(wav, &s)) return 1;

    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, frame, weft_binary);
    weft_declare(ctx, draw, draw_fn);
    int pieces = (s.n - PIECE) / HOP + 1;
    weft_array *starts = weft_mul(weft_arange(ctx, 0, pieces, 1), HOP), *loudest;
    weft_array *picture = weft_jit(ctx, draw)(weft_from(ctx, s.sample, s.n), starts, &loudest);
    if (!picture) return fprintf(stderr, "%s\n", weft_error(ctx)), 1;
    png_image png = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)pieces, .height = BINS, .format = PNG_FORMAT_RGB
    };
    bool good = png_image_write_to_file(&png, path, 0, weft_u8(picture), 0, NULL);
    if (!good) fprintf(stderr, "%s: %s\n", path, png.message);
    printf("%s: %.2f s at %d Hz, %d pieces of %d samples; up to %d Hz in %s\n", wav, (double)s.n / s.rate,
           s.rate, pieces, PIECE, s.rate / 2, path);
    if (synth) {
        double worst = worst_of(loudest, pieces);
        printf("the glide is found in each piece, at most %.2f of %.1f Hz off\n", worst,
               (double)RATE / PIECE);
        good = good && worst < 1;
    }
    free(s.sample);
    weft_close(ctx);
    return !good;
}
