"""Kinds of programs that grow: each is a function of a builder and a number. Text writes StableHLO, Numpy computes."""
import random


class Text:
    """Values are pairs of a name and a shape; all numbers are f32, all arguments come first."""

    def __init__(self):
        self.lines, self.args, self.results, self.count = [], [], [], 0

    @staticmethod
    def type(shape, dtype="f32"):
        return "tensor<" + "".join(f"{d}x" for d in shape) + f"{dtype}>"

    def emit(self, text, shape):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}", shape

    def input(self, *shape):
        self.args.append((f"%x{len(self.args)}", shape))
        return self.args[-1]

    def number(self, value, *shape):
        return self.emit(f"stablehlo.constant dense<{value:.6f}> : {self.type(shape)}", shape)

    def unary(self, op, x):
        return self.emit(f"stablehlo.{op} {x[0]} : {self.type(x[1])}", x[1])

    def binary(self, op, x, y):
        return self.emit(f"stablehlo.{op} {x[0]}, {y[0]} : {self.type(x[1])}", x[1])

    def dot(self, x, y):
        shape = x[1][0], y[1][1]
        return self.emit(f"stablehlo.dot_general {x[0]}, {y[0]}, contracting_dims = [1] x [0] : "
                         f"({self.type(x[1])}, {self.type(y[1])}) -> {self.type(shape)}", shape)

    def sum(self, x, *axes):
        shape = tuple(d for i, d in enumerate(x[1]) if i not in axes)
        zero = self.number(0)
        return self.emit(f"stablehlo.reduce({x[0]} init: {zero[0]}) applies stablehlo.add across dimensions = "
                         f"{list(axes)} : ({self.type(x[1])}, tensor<f32>) -> {self.type(shape)}", shape)

    def along_rows(self, x, like):
        return self.emit(f"stablehlo.broadcast_in_dim {x[0]}, dims = [0] : ({self.type(x[1])}) -> "
                         f"{self.type(like[1])}", like[1])

    def join(self, parts):
        shape = (sum(p[1][0] for p in parts),)
        types = ", ".join(self.type(p[1]) for p in parts)
        return self.emit(f"stablehlo.concatenate {', '.join(p[0] for p in parts)}, dim = 0 : ({types}) -> "
                         f"{self.type(shape)}", shape)

    def update(self, x, part, at):
        start, _ = self.emit(f"stablehlo.constant dense<{at}> : tensor<i32>", ())
        return self.emit(f"stablehlo.dynamic_update_slice {x[0]}, {part[0]}, {start} : ({self.type(x[1])}, "
                         f"{self.type(part[1])}, tensor<i32>) -> {self.type(x[1])}", x[1])

    def turned(self, x):
        shape = x[1][::-1]
        return self.emit(f"stablehlo.transpose {x[0]}, dims = {list(range(len(shape)))[::-1]} : ({self.type(x[1])}) "
                         f"-> {self.type(shape)}", shape)

    def sorted(self, x):
        self.count += 1
        a, b, c, one = f"%a{self.count}", f"%b{self.count}", f"%c{self.count}", self.type(())
        return self.emit(f'"stablehlo.sort"({x[0]}) <{{dimension = 0 : i64}}> ({{ ^bb0({a}: {one}, {b}: {one}): '
                         f"{c} = stablehlo.compare LT, {a}, {b} : ({one}, {one}) -> tensor<i1> "
                         f"stablehlo.return {c} : tensor<i1> }}) : ({self.type(x[1])}) -> {self.type(x[1])}", x[1])

    def choose(self, x, then, other):
        """then() if x, a number, is above zero, else other()"""
        zero = self.number(0)
        above, _ = self.emit(f"stablehlo.compare GT, {x[0]}, {zero[0]} : (tensor<f32>, tensor<f32>) -> tensor<i1>", ())
        self.count += 1
        whole, ends = f"%w{self.count}", []
        self.lines.append(f'{whole} = "stablehlo.if"({above}) ({{')
        for branch, end in (then, "}, {"), (other, "})"):
            value = branch()
            self.lines.append(f"stablehlo.return {value[0]} : {self.type(value[1])}\n{end}")
            ends.append(value[1])
        self.lines[-1] += f" : (tensor<i1>) -> {self.type(ends[0])}"
        return whole, ends[0]

    def loop(self, steps, carries, body):
        self.count += 1
        at, whole = f"%i{self.count}", f"%w{self.count}"
        inside = [(f"{whole}c{i}", c[1]) for i, c in enumerate(carries)]
        types = ", ".join([self.type(c[1]) for c in carries] + ["tensor<i32>"])
        begin, _ = self.emit("stablehlo.constant dense<0> : tensor<i32>", ())
        given = ", ".join(f"{i[0]} = {c[0]}" for i, c in zip(inside, carries))
        self.lines.append(f"{whole}:{len(carries) + 1} = stablehlo.while({given}, {at} = {begin}) : {types} cond {{")
        end, _ = self.emit(f"stablehlo.constant dense<{steps}> : tensor<i32>", ())
        more, _ = self.emit(f"stablehlo.compare LT, {at}, {end} : (tensor<i32>, tensor<i32>) -> tensor<i1>", ())
        self.lines.append(f"stablehlo.return {more} : tensor<i1>\n}} do {{")
        after = body(inside)
        one, _ = self.emit("stablehlo.constant dense<1> : tensor<i32>", ())
        next_at, _ = self.emit(f"stablehlo.add {at}, {one} : tensor<i32>", ())
        self.lines.append(f"stablehlo.return {', '.join([a[0] for a in after] + [next_at])} : {types}\n}}")
        return [(f"{whole}#{i}", c[1]) for i, c in enumerate(carries)]

    def give(self, *results):
        self.results += results

    def program(self):
        args = ", ".join(f"{name}: {self.type(shape)}" for name, shape in self.args)
        types = ", ".join(self.type(shape) for _, shape in self.results)
        body = "\n".join(self.lines)
        return (f"func.func public @main({args}) -> ({types}) {{\n{body}\n"
                f"return {', '.join(name for name, _ in self.results)} : {types}\n}}\n")


class Numpy:
    """The same interface; each operation is a call."""

    def __init__(self, numpy):
        self.numpy, self.results = numpy, []
        self.random = numpy.random.default_rng(1)
        self.binaries = {"add": numpy.add, "subtract": numpy.subtract, "multiply": numpy.multiply,
                         "maximum": numpy.maximum}
        self.unaries = {"tanh": numpy.tanh, "sine": numpy.sin, "cosine": numpy.cos, "exponential": numpy.exp}

    def input(self, *shape):
        return self.random.random(shape, dtype=self.numpy.float32)

    def number(self, value, *shape):
        return self.numpy.float32(value)

    def unary(self, op, x):
        return self.unaries[op](x)

    def binary(self, op, x, y):
        return self.binaries[op](x, y)

    def dot(self, x, y):
        return x @ y

    def sum(self, x, *axes):
        return x.sum(axis=axes)

    def along_rows(self, x, like):
        return x[:, None]

    def join(self, parts):
        return self.numpy.concatenate(parts)

    def update(self, x, part, at):
        x = x.copy()
        x[at:at + len(part)] = part
        return x

    def turned(self, x):
        return x.T

    def sorted(self, x):
        return self.numpy.sort(x)

    def choose(self, x, then, other):
        return then() if x > 0 else other()

    def loop(self, steps, carries, body):
        for _ in range(steps):
            carries = body(carries)
        return carries

    def give(self, *results):
        self.results += results


OPS = "add", "multiply", "subtract", "maximum"


def chain(b, n):
    x, y = b.input(1024), b.input(1024)
    for i in range(n):
        x = b.binary(OPS[i % 4], x, y)
    b.give(x)


def sum_of_chain(b, n):
    x, y = b.input(1024), b.input(1024)
    for i in range(n):
        x = b.binary(OPS[i % 4], x, y)
    b.give(b.sum(x, 0))


def sum_of_tanhs(b, n):
    x = b.input(1024)
    for _ in range(n):
        x = b.unary("tanh", x)
    b.give(b.sum(x, 0))


def shared(b, n):
    x, y = b.input(1024), b.input(1024)
    for _ in range(n):
        x, y = b.binary("add", x, y), x
    b.give(x)


def mixed(b, n):
    """each of one of the last 400, whichever, and of the one 200 before: so many are alive at once"""
    chosen, values = random.Random(1), [b.input(1000) for _ in range(20)] * 20
    for _ in range(n):
        op = chosen.choice(("add", "subtract", "multiply", "maximum"))
        values.append(b.binary(op, values[-200], values[-1 - chosen.randrange(400)]))
    for value in values[-200:-1]:
        values.append(b.binary("maximum", values[-1], value))
    b.give(values[-1])


def tree(b, n):
    level = [b.input(1024) for _ in range(n)]
    while len(level) > 1:
        level = [b.binary("add", *level[i:i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    b.give(level[0])


def results(b, n):
    x = b.input(1024)
    b.give(*[b.binary("multiply", x, b.number(i + 0.5, 1024)) for i in range(n)])


def sums(b, n):
    x = b.input(1024)
    b.give(*[b.sum(b.binary("multiply", x, b.number(i + 0.5, 1024)), 0) for i in range(n)])


def leaves(b, n):
    pairs = [(b.input(64, 64), b.input(64, 64)) for _ in range(n)]
    rate = b.number(0.1, 64, 64)
    b.give(*[b.binary("subtract", p, b.binary("multiply", g, rate)) for p, g in pairs])


def means(b, n):
    x = b.input(64, 64)
    for _ in range(n):
        x = b.binary("subtract", x, b.along_rows(b.sum(x, 1), x))
    b.give(x)


def products(b, n):
    x, w = b.input(32, 32), b.input(32, 32)
    for _ in range(n):
        x = b.unary("tanh", b.dot(x, w))
    b.give(x)


def sum_of_products(b, n):
    x, w = b.input(32, 32), b.input(32, 32)
    for _ in range(n):
        x = b.unary("tanh", b.dot(x, w))
    b.give(b.sum(x, 0, 1))


def turned(b, carries):
    return [b.binary("add", c, carries[(i + 1) % len(carries)]) for i, c in enumerate(carries)]


def carries(b, n):
    b.give(*b.loop(10, [b.input() for _ in range(n)], lambda c: turned(b, c)))


def sum_of_carries(b, n):
    b.give(b.sum(b.loop(10, [b.input(64) for _ in range(n)], lambda c: turned(b, c))[0], 0))


def parts(b, n):
    x = b.input(16)
    b.give(b.join([b.binary("multiply", x, b.number(i + 0.5, 16)) for i in range(n)]))


def updates(b, n):
    x, part = b.input(1024), b.input(16)
    for i in range(n):
        x = b.update(x, part, 16 * i % 1000)
    b.give(x)


def sines(b, n):
    x = b.input()
    for _ in range(n):
        x = b.unary("sine", x)
    b.give(x)


def constants(b, n):
    x = b.input(1024)
    for i in range(n):
        x = b.binary("multiply" if i % 2 else "add", x, b.number(1 + 0.001 * i, 1024))
    b.give(x)


def shapes(b, n):
    b.give(*[b.unary("exponential", x) for x in [b.input(i + 3) for i in range(n)]])


def sorts(b, n):
    x = b.input(1024)
    for _ in range(n):
        x = b.unary("sine", b.sorted(x))
    b.give(x)


def transposes(b, n):
    x = first = b.input(64, 64)
    for _ in range(n):
        x = b.binary("add", b.turned(x), first)
    b.give(x)


def loops(b, n):
    """inside each other"""
    def level(x, depth):
        return b.loop(2, [x], lambda c: [b.binary("add", c[0], level(c[0], depth - 1))])[0] if depth else b.unary("sine", x)
    b.give(level(b.input(8), n))


def choices(b, n):
    """inside each other"""
    conditions, x = [b.input() for _ in range(n)], b.input(8)
    def level(k):
        return b.choose(conditions[k], lambda: level(k + 1), lambda: b.unary("cosine", x)) if k < n else b.unary("sine", x)
    b.give(level(0))


# name: function, largest size (a tenth of it is the smallest), derivatives that are taken of it first
KINDS = {
    "chain": (chain, 30000, ()),
    "chain, gradient": (sum_of_chain, 3000, ("--grad",)),
    "constants": (constants, 10000, ()),
    "tanh, gradient": (sum_of_tanhs, 300, ("--grad",)),
    "tanh, jvp of it": (sum_of_tanhs, 100, ("--grad", "--jvp")),
    "sines, gradient": (sines, 300, ("--grad",)),
    "sharing": (shared, 10000, ()),
    "mixed": (mixed, 10000, ()),
    "tree": (tree, 3000, ()),
    "results": (results, 3000, ()),
    "shapes": (shapes, 300, ()),
    "sums": (sums, 1000, ()),
    "leaves": (leaves, 3000, ()),
    "means": (means, 1000, ()),
    "products": (products, 3000, ()),
    "products, gradient": (sum_of_products, 1000, ("--grad",)),
    "transposes": (transposes, 1000, ()),
    "sorts": (sorts, 300, ()),
    "loops": (loops, 40, ()),
    "choices": (choices, 40, ()),
    "carries": (carries, 3000, ()),
    "carries, gradient": (sum_of_carries, 1000, ("--grad",)),
    "parts": (parts, 10000, ()),
    "updates": (updates, 10000, ()),
}

NOT_IN_NUMPY = {"loops"}        # 2 to the power of 40 calls
