/* Calls that look right to somebody who comes from NumPy or JAX and are not: none of these compiles. Behind each stands what the compiler says in
 * C, behind //C what C++ has no word for, behind //X what C has none for; check.sh compares. Calls that compile, and are errors when they run,
 * are in test_traps.c. */
#include "weft.h"

void use(const void *);
void number(double);

typedef struct { weft_array *w; } net;
WEFT_STRUCT(net, WEFT_ARRAY(net, w));
weft_array *step(weft_array *, weft_array *);

void traps(weft_context *ctx, weft_array *x, weft_array *y, weft_array **list, float *data,
           const int64_t *shape, int n, unsigned rows, double half, weft_random_key key)
{
    /* an axis where options stand: they have names, .axes = "0" */
    use(weft_sum(x, 0));                                //! options have names
    use(weft_sum(x, 1));                                //! options have names
    use(weft_sum(x, -1));                               //! options have names
    use(weft_sum(x, "0"));                              //! options have names
    use(weft_sum(x, n));                                //! options have names
    use(weft_sum(x, NULL));                             //! options have names
    use(weft_sum(x, true));                             //! options have names
    use(weft_sum(x, (0, 1)));                           //! options have names
    use(weft_sum(x, 0, 1));                             //! options have names
    use(weft_mean(x, 0));                               //! options have names
    use(weft_max(x, 0));                                //! options have names
    use(weft_max(x, y));                                //! options have names
    use(weft_prod(x, 0));                               //! options have names
    use(weft_any(x, 0));                                //! options have names
    use(weft_var(x, 0));                                //! options have names
    use(weft_std(x, 0));                                //! options have names
    use(weft_norm(x, 2));                               //! options have names
    use(weft_logsumexp(x, 0));                          //! options have names
    use(weft_argmax(x, 0));                             //! options have names
    use(weft_argmin(x, -1));                            //! options have names
    use(weft_count_nonzero(x, 0));                      //! options have names
    use(weft_softmax(x, 0));                            //! options have names
    use(weft_log_softmax(x, -1));                       //! options have names
    use(weft_sort(x, -1, true));                        //! options have names
    use(weft_cumsum(x, 0, true));                       //! options have names
    use(weft_searchsorted(x, y, true));                 //! options have names
    use(weft_scatter(x, y, 0, x, WEFT_ADD));            //! options have names
    use(weft_unique(x, 3, y));                          //! options have names
    use(weft_histogram(x, 10, 0, 1));                   //! options have names
    use(weft_max_pool(x, "2,2", "2,2"));                //! options have names
    use(weft_reduce_window(x, WEFT_ADD, "2", "2"));     //! options have names
    use(weft_random_choice(key, 10, 3));                //! options have names
    use(weft_random_permutation(key, x, 0));            //! options have names
    use(weft_random_categorical(key, x, -1));           //! options have names
    use((void *)weft_vmap(ctx, step, "0", 4));          //! options have names
    use((void *)weft_scan(ctx, step, "carry, 0", 10));  //! options have names
    use((void *)weft_fori(ctx, step, "carry", 10));     //! options have names
    use((void *)weft_map(ctx, step, "0", 32));          //! options have names
    (void)weft_adam(1e-3);                              //C options have names
    (void)weft_sgd(0.1, 0.9);                           //C options have names
    (void)weft_schedule_cosine(0.1, 1000);              //C options have names
    use(weft_sum(x, .axes = 0));                        //C a text is wanted
    use(weft_argmax(x, .axes = 0));                     //C a text is wanted
    use(weft_softmax(x, .axes = 0, .where = y));        //C a text is wanted
    use(weft_random_permutation(key, x, .axis = 0));    //C a text is wanted
    use(weft_max_pool(x, "2", .stride = 0));            //C a text is wanted
    use(weft_sum(x, .axes = "0", true));                //C options have names
    use(weft_max(x, .where = weft_gt(y, 0), true));     //C options have names
    use(weft_var(x, .axes = "0", .keep = true, y, 1));  //C options have names
    use(weft_sort(x, -1, .descending = true, true));    //C options have names
    use(weft_scatter(x, y, 0, x, .with = WEFT_ADD, true)); //C options have names
    use(weft_max_pool(x, "2,2", .stride = "2,2", "same")); //C options have names
    use(weft_histogram(x, 10, .from = 0, 1));           //C options have names
    use(weft_random_choice(key, 10, .p = x, true));     //C options have names
    use((void *)weft_vmap(ctx, step, "0", .size = 4, 0)); //C options have names
    use((void *)weft_scan(ctx, step, "carry", .length = 9, true)); //C options have names
    use((void *)weft_vmap(ctx, step, .size = 4));       //! (options stand last|expected)
    use((void *)weft_map(ctx, step, .batch = 4));       //! (options stand last|expected)
    use((void *)weft_scan(ctx, step, .length = 3));     //! (options stand last|expected)
    use((void *)weft_scan(ctx, step));                  //! roles are wanted
    use((void *)weft_fori(ctx, step));                  //! roles are wanted
    use(weft_sort(x, .descending = true));              //! (options stand last|expected)
    use(weft_fft(x, .n = 8));                           //! (options stand last|expected)
    use(weft_qr(x, .full = true));                      //! (options stand last|expected)
    use(weft_cumsum(x));                                //! an axis is wanted
    use(weft_cumlogsumexp(x));                          //! an axis is wanted
    (void)weft_sgd(.rate = 0.1, 0.9);                   //C options have names
    use(weft_sum(x, .axis = 0));                        //C axis
    use(weft_sum(x, .axes = "0", .keepdims = true));    //C keepdims
#ifdef __cplusplus
    use(weft_sum(x, weft::over().axes(0)));             //X a text
    use(weft_sum(x, weft::over().axes(1)));             //X a text
    use(weft_softmax(x, weft::over().axes(NULL)));      //X a text
    use(weft_softmax(x, weft::over().axes(nullptr)));   //X a text
    use(weft_max_pool(x, "2", weft::window().stride(0)));   //X a text
    use(weft_max_pool(x, "2", weft::window().pad(0)));  //X a text
    use(weft_random_permutation(key, x, weft::draw().axis(0))); //X a text
#endif

    /* numbers where a text stands */
    use(weft_transpose(x, 1, 0));                       //! type 'int'
    use(weft_transpose(x, 0));                          //! type 'int'
    use(weft_transpose(x, "1", "0"));                   //! expected
    use(weft_squeeze(x, 0));                            //! type 'int'
    use(weft_flip(x, 0));                               //! type 'int'
    use(weft_pad(x, 0, 1));                             //! type 'int'
    use(weft_pad(x, "1:1", 0));                         //! char
    use(weft_max_pool(x, 2));                           //! type 'int'
    use(weft_reduce_window(x, WEFT_ADD, 2));            //! type 'int'
    use(weft_tensordot(x, y, 1, 0));                    //! type 'int'
    use(weft_einsum(x, "i->i"));                        //! weft_array
    use(weft_at(x, 0));                                 //! type 'int'
    use(weft_at(x, n));                                 //! type 'int'
    use(weft_set(x, 0, 1.0));                           //! type 'int'
    use(weft_set_add(x, n, y));                         //! type 'int'
    use((void *)weft_vmap(ctx, step, 0));               //! type 'int'
    use((void *)weft_scan(ctx, step, 0));               //! type 'int'
    use((void *)weft_grad(ctx, weft_binary, step, 0));  //! type 'int'
    use(weft_load(ctx, 0));                             //! type 'int'
    number(weft_save("x.npy", x));                      //! compatible with any

    /* the element type forgotten, or in another place */
    use(weft_zeros(ctx, 3, 4));                         //! an element type is wanted
    use(weft_zeros(ctx, n, 4));                         //! an element type is wanted
    use(weft_zeros(ctx, 3, 4, WEFT_F32));               //! an element type is wanted
    use(weft_ones(ctx, 3));                             //! an element type is wanted
    use(weft_full(ctx, 0.5, 3, 4));                     //! an element type is wanted
    use(weft_full(ctx, 3, 0.5));                        //! an element type is wanted
    use(weft_eye(ctx, 3));                              //! an element type is wanted
    use(weft_eye(ctx, 3, 4));                           //! an element type is wanted
    use(weft_iota(ctx, 0, 10));                         //! an element type is wanted
    use(weft_zeros(ctx, rows, 4));                      //! an element type is wanted
    use(weft_eye(ctx, rows));                           //! an element type is wanted
    use(weft_random_normal(key, rows, 4));              //! an element type is wanted
    use(weft_astype(x, WEFT_F32 + 1));                  //! an element type is wanted
    use(weft_astype(x, 4));                             //! an element type is wanted
    use(weft_astype(x, "f32"));                         //! an element type is wanted
    use(weft_random_normal(key, 3, 4));                 //! an element type is wanted
    use(weft_random_uniform(key, 0, 1));                //! an element type is wanted
    use(weft_random_uniform_in(key, -1, 1, 3));         //! an element type is wanted
    use(weft_random_randint(key, 0, 10, 5));            //! an element type is wanted
    use(weft_from_shape(ctx, 3, data, 1, shape));       //! an element type is wanted

    /* the context forgotten */
    use(weft_zeros(WEFT_F32, 3, 4));                    //! compatible with any
    use(weft_arange(0, 10, 1));                         //! argument
    use(weft_linspace(0, 1, 5));                        //! argument
    use(weft_key(42));                                  //! argument
    use(weft_from(data, 2, 3));                         //! type
    use(weft_from(ctx, data, half));                        //! operands to binary
    use(weft_from(ctx, shape, shape));                      //! operands to binary
    use((void *)weft_jit(step));                        //! argument
    use((void *)weft_grad(ctx, step));                  //! argument

    /* what is no array; arrays in a list, addresses of arrays, memory */
    use(weft_sum(&x));                                  //! an array is wanted
    use(weft_sum(data));                                //! an array is wanted
    use(weft_sum(3.0));                                 //! an array is wanted
    use(weft_tanh(&x));                                 //! compatible with any
    use(weft_add(x, "1"));                              //! compatible with any
    use(weft_add(x, data));                             //! compatible with any
    use(weft_reshape(ctx, 2, 3));                       //! an array is wanted
    use(weft_concatenate(0, list));                     //! an array is wanted
    use(weft_concatenate(x, y, 0));                     //! operands to binary
    use(weft_stack_arrays(x, y));                       //! operands to binary
    use(weft_f32(&x));                                  //! an array is wanted
    number(weft_item(data));                            //! an array is wanted
    use(weft_sort_by(x, 0, -1));                        //C an array is wanted
    use(weft_where(x == y, 1.0, x));                    //! an array is wanted
    use(weft_where(x != NULL, x, y));                   //! an array is wanted
    use(weft_where(half > 0, x, 0.0));                  //! an array is wanted
    use(weft_where(true, x, y));                        //! an array is wanted
    use(weft_where(x > 0, x, 0.0));                     //! (array is wanted|comparison)
    use(weft_print("%f", x));                           //! too many arguments

    /* sizes, axes and counts are integers; a shape is written out */
    use(weft_zeros(ctx, WEFT_F32, 2.5));                //! operands to binary
    use(weft_zeros(ctx, WEFT_F32, 3, half));            //! operands to binary
    use(weft_zeros(ctx, WEFT_F32, 1, 1, 1, 1, n / 2.0)); //! operands to binary
    use(weft_zeros(ctx, WEFT_F32, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, half)); //! operands to binary
    use(weft_from(ctx, data, 1, 1, 1, 1, half));        //! operands to binary
    use(weft_zeros(ctx, WEFT_F32, shape));              //! operands to binary
    use(weft_zeros(ctx, WEFT_F32, x));                  //! operands to binary
    use(weft_zeros(ctx, WEFT_F32, (3, 4)));             //! sizes are a list
    use(weft_zeros(ctx, WEFT_F32, (n, n + 1)));         //! sizes are a list
    use(weft_full(ctx, WEFT_F32, 0.5, (3, 4)));         //! sizes are a list
    use(weft_from(ctx, data, (2, 3)));                  //! sizes are a list
    use(weft_reshape(x, (2, -1)));                      //! sizes are a list
    use(weft_tile(x, (2, 2)));                          //! sizes are a list
    use(weft_random_normal(key, WEFT_F32, (3, 4)));     //! sizes are a list
    use(weft_full(ctx, WEFT_F32, 3, 4, 0.5));           //! operands to binary
    use(weft_reshape(x, n / 2.0, 2));                   //! operands to binary
    use(weft_reshape(x, shape));                        //! operands to binary
    use(weft_reshape(x, "2,3"));                        //! operands to binary
    use(weft_broadcast_to(x, y));                       //! operands to binary
    use(weft_expand_dims(x, "0"));                      //! operands to binary
    use(weft_expand_dims(x, 0.0));                      //! operands to binary
    use(weft_take(x, y, "0"));                          //! operands to binary
    use(weft_take(x, 0, y));                            //! operands to binary
    use(weft_sort(x, "0"));                             //! operands to binary
    use(weft_cumsum(x, "0"));                           //! operands to binary
    use(weft_cumsum(x, .reverse = true));               //! expected
    use(weft_roll(x, 1.5, 0));                          //! operands to binary
    use(weft_linspace(ctx, 0, 1, 0.1));                 //! operands to binary
    use(weft_one_hot(x, 2.0));                          //! operands to binary
    use(weft_top_k(x, half, NULL));                     //! operands to binary
    use(weft_tril(x, 0.5));                             //! operands to binary
    use(weft_tril(x, 0, 1));                            //! expected
    use(weft_diff(x, 1, 0, 2));                         //! expected
    use(weft_gradient(x, 1, 0, 2));                     //! expected
    use(weft_diff(x, 1, "0"));                          //! operands to binary
    use(weft_trace(x, 1, 2));                           //! expected
    use(weft_unwrap(x, 0.5));                           //! operands to binary
    use(weft_set(x, "%d", n, 0.5));                     //! number of the text
    use(weft_set(x, "%d", n, y));                       //! number of the text
    use(weft_set(x, "%s", 9.0, "0"));                   //! operands to binary
    use(weft_set(x, "%d, %d, %d, %d, %d", 9.0, n, n, n, n, half)); //! operands to binary
    use(weft_at(x, "%d", half));                        //! operands to binary
    use(weft_at(x, "%s", "0"));                         //! operands to binary
    use(weft_at(x, "%d", y));                           //! operands to binary
    use(weft_random_normal(key, WEFT_F32, 2.5));        //! operands to binary
    use(weft_random_normal(key, WEFT_F32, shape));      //! operands to binary

    /* functions and structs of another type */
    number(weft_declare(ctx, step, weft_unary));        //! compatible with any
    use((void *)weft_cond(ctx, step, weft_tanh));       //! compatible with any
    number(weft_flatten(ctx, net, x, list, 1));         //! compatible with any
}
