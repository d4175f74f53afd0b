# table.awk: every public function as a row, from weft's headers as the preprocessor leaves them (cc -E -P weft.h).
#
#     ROW(weft_dim, other, (weft_dim)(A(0, array), A(1, number)), 2, KIND_array, KIND_number)
#
# What a parameter is follows from its type and, for numbers, texts and memory, from its name: the rules below.
# A parameter that none of them knows is an #error, so a new function is swept or the build fails.

BEGIN {
    rules = "weft_context*: context;weft_array*: array;weft_operand: operand;weft_random_key: key;" \
            "weft_scope*: scope;weft_plan*: plan;weft_program*: program;weft_fn: fn;weft_fn*: fns;weft_hook_id: hook;" \
            "weft_dtype: dtype;weft_combine: combine;weft_derivative: derivative;" \
            "weft_options*: options;weft_over: over;weft_order: order;weft_update: update;" \
            "weft_window: window;weft_convolution: convolution;weft_factor: factor;weft_fourier: fourier;weft_interpolation: interpolation;" \
            "weft_counting: counting;weft_uniques: uniques;weft_positions: positions;weft_control: control;" \
            "struct DLManagedTensorVersioned*: tensor;" \
            "weft_vmap_options: vmap;weft_foreign_options: foreign;weft_plan_options: planning;" \
            "weft_schedule: schedule;weft_optimizer: optimizer;weft_draw: draw;weft_tree*: tree;" \
            "weft_array*const*: list;weft_array**: results;int64_t*: dims;double: real;_Bool: flag;" \
            "size_t: size;int64_t: integer;int: number;int rank: rank;int n: count;int room: count;" \
            "int given: count;const char*: text;const char* at: place;const char* path: path;" \
            "char* text: buffer;void* block: block;void*: memory;void**: pointers;" \
            "void*const*: pointers;void*const* from: structs;function: release;weft_custom_fn*: custom"
    gives["weft_array*"] = "array"; gives["weft_fn"] = "fn"; gives["weft_status"] = "status"
    gives["void"] = "nothing"; gives["structDLManagedTensorVersioned*"] = "tensor"
    n = split(rules, rule, ";")
    for (i = 1; i <= n; i++) { split(rule[i], part, ": "); kind[part[1]] = part[2] }
    n = split("like from structure params grads state src dst out to a b c", name)      # of void *
    for (i = 1; i <= n; i++) kind["void* " name[i]] = "structure"
}

{ text = text " " $0 }

function trim(s) { gsub(/^ +| +$/, "", s); return s }

# Splits s at commas where no parenthesis is open, into piece[1..].
function pieces(s, piece,    i, ch, depth, n) {
    piece[n = 1] = ""
    for (i = 1; i <= length(s); i++) {
        ch = substr(s, i, 1)
        depth += (ch == "(") - (ch == ")")
        if (ch == "," && !depth) piece[++n] = ""
        else piece[n] = piece[n] ch
    }
    return n
}

# "const weft_array *const *leaf" -> list
function kind_of(p,    type, name) {
    if (p ~ /\(\*/) return kind["function"]
    if (p ~ /\[\]/) { gsub(/\[\]/, "", p); sub(/[a-z_]+$/, "*&", p) }
    if (p !~ /char/) sub(/^const /, "", p)
    gsub(/ *\* */, "*", p)
    type = p
    if (match(p, /[ *][a-z_]+$/) && p !~ /const$/) {
        name = substr(p, RSTART + 1)
        type = substr(p, 1, RSTART - (p ~ /\*[a-z_]+$/ ? 0 : 1))
    }
    return ((type " " name) in kind) ? kind[type " " name] : kind[type]
}

function row(result, name, params,    n, p, i, k, call, kinds) {
    n = pieces(params, p)
    for (i = 1; i <= n; i++) {
        p[i] = trim(p[i])
        if (p[i] == "..." || p[i] == "void") { n--; break }
        k = kind_of(p[i])
        if (k == "") printf "#error %s: what is the parameter %s? say so in tests/api/table.awk\n", name, p[i]
        call = call (i > 1 ? ", " : "") "A(" i - 1 ", " k ")"
        kinds = kinds ", KIND_" k
    }
    gsub(/const | /, "", result)
    k = result in gives ? gives[result] : "other"
    printf "ROW(%s, %s, (%s)(%s), %d%s)\n", name, k, name, call, n, kinds
}

# Bodies, at any depth, become semicolons.
function without_bodies(s,    i, j, parts, n, depth, out) {
    n = split(s, parts, /[{]/)
    out = parts[1]
    for (i = 2; i <= n; i++) {
        depth++
        while (depth && (j = index(parts[i], "}"))) {
            parts[i] = substr(parts[i], j + 1)
            if (!--depth) out = out ";"
        }
        if (!depth) out = out parts[i]
    }
    return out
}

END {
    gsub(/__attribute__ *\(\([^;]*\)\)/, "", text)
    n = split(without_bodies(text), statement, ";")
    for (i = 1; i <= n; i++) {
        s = trim(statement[i])
        if (s !~ /weft_[a-z0-9_]+ *\(/ || s ~ /^(static|typedef|extern)/) continue
        gsub(/ +/, " ", s)
        m = pieces(s, declarator)
        for (d = 1; d <= m; d++) {              # weft_array *weft_tril(weft_array *), *weft_tril_(...)
            one = trim(declarator[d])
            at = match(one, /weft_[a-z0-9_]+ *\(/)
            result = substr(one, 1, at - 1)
            if (d == 1) { base = result; gsub(/[* ]+$/, "", base) } else result = base result
            params = substr(one, at + RLENGTH)
            sub(/\)[^)]*$/, "", params)
            row(result, trim(substr(one, at, RLENGTH - 1)), params)
        }
    }
}
