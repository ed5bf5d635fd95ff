"""Random CUDA kernels: index expressions, loops, guards, block shapes, element types, shared tiles.

A kernel is a tree of statements, so that a failing one can be cut down (see `shrunk`). Every index stays inside its array: each
expression carries the range of its values, and is masked where that is too wide. Values do not matter and come from the arrays, so
that nothing can be computed at compile time; indices and conditions come from thread and block indices, loops and constants, rarely from
memory. Barriers and shuffles stand only where every thread of the block passes.
"""
import dataclasses
import random

ELEMENTS = 4096  # of each global array
TILE = 1024      # of each shared array
TYPES = {'unsigned char': 1, 'short': 2, 'int': 4, 'float': 4, 'double': 8, 'long long': 8, 'float2': 8, 'float4': 16, 'int3': 12}
BLOCKS = [(32,), (64,), (128,), (256,), (33,), (7,), (48,), (100,), (16, 16), (8, 8), (32, 4), (64, 2), (1, 32), (5, 7, 3), (2, 2, 16),
          (20, 3), (16, 2, 4)]
GRIDS = [(1,), (2,), (3,), (5,), (2, 2), (3, 2), (2, 1, 2)]


@dataclasses.dataclass(frozen=True)
class Value:
    """An int expression and the range of its values."""
    text: str
    low: int
    high: int


@dataclasses.dataclass
class Statement:
    """`head` and, for compound ones, statements between braces; `tail` stands after the brace."""
    head: str
    body: list = None
    tail: str = ''

    def lines(self, indent):
        pad = '  ' * indent
        if self.body is None:
            return [pad + self.head]
        inner = [line for statement in self.body for line in statement.lines(indent + 1)]
        return [pad + self.head + ' {', *inner, pad + '}' + self.tail]


@dataclasses.dataclass
class Kernel:
    name: str
    element: str
    block: tuple
    grid: tuple
    shared: str  # type of the tile; '' for none
    helper: list  # lines of a device function that goes before
    body: list
    pitch: int  # of the tile with rows
    scalars: dict  # int parameters and their values at the launch

    def lines(self):
        parameters = ''.join(f', int {name}' for name in self.scalars)
        tile = [f'  __shared__ {self.shared} tile[{TILE}], rows[16][{self.pitch}];'] if self.shared else []
        inner = [line for statement in self.body for line in statement.lines(1)]
        return [*self.helper, f'__global__ void {self.name}({self.element} *out, const {self.element} *in, const int *index{parameters}) {{',
                f'  {self.element} sum = in[0];', *tile, *inner, '}', '']

    def launch(self):
        shape = lambda dims: str(dims[0]) if len(dims) == 1 else f'dim3({", ".join(map(str, dims))})'
        values = ''.join(f', {value}' for value in self.scalars.values())
        return f'  {self.name}<<<{shape(self.grid)}, {shape(self.block)}>>>(({self.element} *)out, (const {self.element} *)in, index{values});'


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    # Expressions -----------------------------------------------------------------------------------------------------

    def constant(self, low, high):
        value = self.random.randint(low, high)
        return Value(f'{value}' if value >= 0 else f'({value})', value, value)

    def leaf(self):
        return self.random.choice(self.variables) if self.random.random() < 0.8 else self.constant(0, 40)

    def expression(self, depth):
        """An int expression whose range fits an int with room to spare."""
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf()
        pick = self.random.random()
        a = self.expression(depth - 1)
        if pick < 0.26:
            b = self.expression(depth - 1)
            return self.fitting(f'({a.text} + {b.text})', a.low + b.low, a.high + b.high, a)
        if pick < 0.34:
            b = self.expression(depth - 1)
            return self.fitting(f'({a.text} - {b.text})', a.low - b.high, a.high - b.low, a)
        if pick < 0.54:
            b = self.constant(-3, 40) if self.random.random() < 0.8 else self.expression(depth - 1)
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return self.fitting(f'({a.text} * {b.text})', min(ends), max(ends), a)
        if pick < 0.62:
            by = self.random.choice([2, 3, 4, 7, 8, 16, 32])
            return Value(f'({a.text} / {by})', int(a.low / by), int(a.high / by))
        if pick < 0.70:
            by = self.random.choice([2, 3, 5, 8, 16, 32, 33])
            return Value(f'({a.text} % {by})', 0 if a.low >= 0 else 1 - by, by - 1)
        if pick < 0.75:
            by = self.random.choice([1, 3, 7, 15, 31, 28, 96, 511])
            return Value(f'({a.text} & {by})', 0, by)
        if pick < 0.80:
            b = self.expression(depth - 1)
            a, b = self.masked(a, 255), self.masked(b, 255)
            return Value(f'({a.text} {self.random.choice("^|")} {b.text})', 0, 255)
        if pick < 0.84:
            by = self.random.randint(1, 5)
            return Value(f'({a.text} >> {by})', a.low >> by, a.high >> by)
        if pick < 0.88:
            by = self.random.randint(1, 5)
            a = self.masked(a, 1023)
            return Value(f'({a.text} << {by})', 0, a.high << by)
        if pick < 0.93:
            b = self.expression(depth - 1)
            which = self.random.choice(['min', 'max'])
            of = min if which == 'min' else max
            return Value(f'{which}({a.text}, {b.text})', of(a.low, b.low), of(a.high, b.high))
        if pick < 0.97:
            b = self.expression(depth - 1)
            return Value(f'({self.condition()} ? {a.text} : {b.text})', min(a.low, b.low), max(a.high, b.high))
        return self.rare(a)

    def rare(self, a):
        """What kernels do now and then: other types, wrapping around, bits."""
        pick = self.random.randrange(7)
        if pick == 0:
            kind = self.random.choice(['unsigned', 'short', 'unsigned char', 'long long'])
            a = self.masked(a, 127)
            return Value(f'(int)({kind})({a.text})', 0, a.high)
        if pick == 1:
            return Value(f'(int)((unsigned)({a.text}) * 2654435761u >> {self.random.choice([22, 24, 27])})', 0, 1023)
        if pick == 2:
            by = self.random.choice([3, 5, 7, 10])
            return Value(f'(int)((long long)({a.text}) * 1000003 % {by})', 1 - by, by - 1)
        if pick == 3:
            return Value(f'__popc({a.text})', 0, 32)
        if pick == 4:
            return Value(f'(int)(__brev({a.text}) >> {self.random.choice([22, 27])})', 0, 1023)
        if pick == 5:
            return Value(f'__clz({a.text})', 0, 32)
        b = self.masked(self.expression(1), 255)
        a = self.masked(a, 255)
        return Value(f'__mul24({a.text}, {b.text})', 0, a.high * b.high)

    def fitting(self, text, low, high, otherwise):
        return Value(text, low, high) if -(1 << 28) < low and high < 1 << 28 else otherwise

    def masked(self, value, limit):
        """The value, or the lowest bits of it, in 0..limit; limit + 1 is a power of two."""
        return value if 0 <= value.low and value.high <= limit else Value(f'({value.text} & {limit})', 0, limit)

    def index(self, elements):
        value = self.expression(self.random.choice([1, 2, 2, 3]))
        if value.low < 0 and value.high - value.low < elements:
            return f'{value.text} + {-value.low}'
        return self.masked(value, elements - 1).text

    def condition(self):
        # Mostly of what differs between threads: the same for all is often never true.
        varying = [value for value in self.variables if value.low < value.high]
        a = self.random.choice(varying) if varying and self.random.random() < 0.8 else self.leaf()
        pick = self.random.random()
        if pick < 0.4:
            low = max(a.low, -5)
            return f'({a.text} < {self.random.randint(low, max(low, min(a.high, 200) + 1))})'
        if pick < 0.7:
            by = self.random.choice([2, 3, 4, 8, 32])
            return f'({a.text} % {by} == {self.random.randrange(by)})'
        if pick < 0.85:
            return f'({a.text} {self.random.choice(["<", ">", "==", "!=", ">="])} {self.leaf().text})'
        b = self.leaf()
        return f'({a.text} > {self.random.randint(0, 20)} {self.random.choice(["&&", "||"])} {b.text} < {self.random.randint(1, 60)})'

    # Statements ------------------------------------------------------------------------------------------------------

    def access(self):
        pick = self.random.random()
        if self.shared and pick < 0.45:
            at = self.index(TILE)
            return Statement(f'tile[{at}] = {self.convert("sum", self.element, self.shared)};' if self.random.random() < 0.5 else
                             self.add(self.convert(f'tile[{at}]', self.shared, self.element)))
        if self.shared and pick < 0.52:
            row, column = self.masked(self.expression(2), 15).text, self.expression(2)
            at = f'rows[{row}][{self.masked(column, 31).text}]'
            return Statement(f'{at} = {self.convert("sum", self.element, self.shared)};' if self.random.random() < 0.5 else
                             self.add(self.convert(at, self.shared, self.element)))
        if pick < 0.55:
            return self.walk()
        at = self.index(ELEMENTS)
        if pick < 0.6:
            return Statement(f'out[{at}] = sum;')
        if pick < 0.66:
            return Statement(f'atomicAdd(&counts[{self.index(ELEMENTS)}], 1);')
        if pick < 0.70 and self.helper:
            return Statement(self.add(f'{self.name}Helper(in, {self.masked(self.expression(2), 1023).text})'))
        if pick < 0.73:
            return Statement(self.add(f'in[index[{at}] & {ELEMENTS - 1}]'))
        if pick < 0.77 and self.element in ('int', 'float', 'double', 'float2', 'float4'):
            return Statement(self.add(f'__ldg(&in[{at}])'))
        return Statement(self.add(f'in[{at}]'))

    def walk(self):
        """A pointer that is moved through a loop."""
        name = f'p{self.loops}'
        self.loops += 1
        start = self.masked(self.expression(2), 1023).text
        count, step = self.random.randint(1, 8), self.random.choice([1, 2, 32, 33, 100])
        if self.random.random() < 0.3:
            return Statement(f'for (const {self.element} *{name} = in + {start} + {count * step}, *end = {name} - {count * step}; '
                             f'{name} > end; {name} -= {step})', [Statement(self.add(f'*{name}'))])
        return Statement(f'for (const {self.element} *{name} = in + {start}, *end = {name} + {count * step}; {name} < end; {name} += {step})',
                         [Statement(self.add(f'*{name}'))])

    def parts(self, element):
        return {'float2': 'xy', 'float4': 'xyzw', 'int3': 'xyz'}.get(element)

    def add(self, text):
        """sum += text, which is read as a whole."""
        if not self.parts(self.element):
            return f'sum += {text};'
        adds = ' '.join(f'sum.{part} += more.{part};' for part in self.parts(self.element))
        return f'{{ {self.element} more = {text}; {adds} }}'

    def convert(self, text, source, target):
        if source == target:
            return text
        parts, wanted = self.parts(source), self.parts(target)
        scalar = f'({text}).{parts[0]}' if parts else text
        if not wanted:
            return f'({target})({scalar})'
        kind = 'int' if target == 'int3' else 'float'
        return f'make_{target}({", ".join([f"({kind})({scalar})"] * len(wanted))})'

    def block_of(self, depth, uniform, loops):
        count = self.random.choice([1, 1, 2, 3])
        return [self.statement(depth, uniform, loops) for _ in range(count)]

    def statement(self, depth, uniform, loops):
        """uniform: every thread of the block gets here; loops: depth of loops around (their bodies may break)."""
        pick = self.random.random()
        if depth == 0 or pick < 0.5:
            if uniform and pick < 0.06:
                return Statement('__syncthreads();')
            if uniform and pick < 0.09 and self.element in ('int', 'float') and self.block[0] % 32 == 0:
                return Statement(f'sum += __shfl_xor_sync(0xffffffff, sum, {1 << self.random.randrange(5)});')
            if loops and pick < 0.13:
                return Statement(f'if {self.condition()} {self.random.choice(["break", "continue"])};')
            return self.access()
        if pick < 0.72:
            return self.guarded(depth, loops)
        return self.loop(depth, uniform, loops)

    def guarded(self, depth, loops):
        condition = self.condition()
        pick = self.random.random()
        then = self.block_of(depth - 1, False, loops)
        if pick < 0.6:
            return Statement(f'if {condition}', then)
        if pick < 0.85:
            other = Statement('else', self.block_of(depth - 1, False, loops))
            return Statement(f'if {condition}', then, ' ' + '\n'.join(other.lines(0)))
        value = self.leaf()
        case = lambda label, body: Statement(f'{label}:', body, ' break;')
        by = self.random.choice([2, 3, 4])
        return Statement(f'switch (({value.text}) % {by})', [case('case 0', then), case('default', self.block_of(depth - 1, False, 0))])

    def loop(self, depth, uniform, loops):
        name = f'{"ijklm"[self.loops % 5]}{self.loops}'
        self.loops += 1
        pick = self.random.random()
        if pick < 0.45:
            start, step, count = self.random.randint(0, 3), self.random.choice([1, 1, 2, 3, 8]), self.random.randint(1, 9)
            head, low, high = f'for (int {name} = {start}; {name} < {start + step * count}; {name} += {step})', start, start + step * count - 1
            everybody = uniform
        elif pick < 0.6:
            top = self.random.choice([16, 32, 64, 100])
            head, low, high = f'for (int {name} = {top}; {name} > 0; {name} >>= 1)', 1, top
            everybody = uniform
        elif pick < 0.75:
            top = self.random.choice([32, 64, 200])
            head, low, high = f'for (int {name} = 1; {name} < {top}; {name} *= 2)', 1, top - 1
            everybody = uniform
        elif pick < 0.82:
            start, top = self.random.randint(0, 3), self.random.randint(4, 12)
            head, low, high = f'for (int {name} = {top}; {name}-- > {start};)', start, top - 1
            everybody = uniform
        else:
            start = self.masked(self.expression(1), 63)
            step, top = self.random.choice([1, 5, 8, 32]), self.random.randint(8, 80)
            head, low, high = f'for (int {name} = {start.text}; {name} < {top}; {name} += {step})', 0, top - 1
            everybody = False
        outer = list(self.variables)
        self.variables.append(Value(name, low, high))
        # A body that may be left early is not passed by everybody any more.
        body = [self.statement(depth - 1, False, loops + 1) for _ in range(self.random.choice([1, 2, 3]))] if not everybody else \
            [self.statement(depth - 1, True, 0) for _ in range(self.random.choice([1, 2, 3]))]
        self.variables = outer
        return Statement(head, body)

    # Kernels ---------------------------------------------------------------------------------------------------------

    def kernel(self, name):
        choose = self.random.choice
        self.name = name
        self.element = choose(list(TYPES))
        self.block, grid = choose(BLOCKS), choose(GRIDS)
        self.shared = choose(list(TYPES)) if self.random.random() < 0.6 else ''
        self.loops = 0
        extents = list(self.block) + [1] * (3 - len(self.block))
        blocks = list(grid) + [1] * (3 - len(grid))
        axes = [axis for axis in range(3) if extents[axis] > 1] or [0]
        self.variables = [Value(f'(int)threadIdx.{"xyz"[axis]}', 0, extents[axis] - 1) for axis in axes]
        self.variables += [Value(f'(int)blockIdx.{"xyz"[axis]}', 0, blocks[axis] - 1) for axis in range(3) if blocks[axis] > 1]
        self.variables.append(Value('(int)blockDim.x', extents[0], extents[0]))
        scalars = {}
        if self.random.random() < 0.5:
            scalars['n'] = choose([1, 3, 16, 31, 32, 100])
            self.variables.append(Value('n', scalars['n'], scalars['n']))
        body = []
        for count in range(self.random.randint(0, 2)):
            value = self.expression(2)
            body.append(Statement(f'int v{count} = {value.text};'))
            self.variables.append(Value(f'v{count}', value.low, value.high))
        if self.block[0] % 32 == 0 and self.random.random() < 0.3:
            value = self.expression(2)
            how = choose(['__shfl_xor_sync(0xffffffff, {}, 1)', '__shfl_xor_sync(0xffffffff, {}, 16)', '__shfl_down_sync(0xffffffff, {}, 2)',
                          '__shfl_up_sync(0xffffffff, {}, 1)', '__shfl_sync(0xffffffff, {}, 3)', '__shfl_sync(0xffffffff, {}, 0, 8)'])
            body.append(Statement(f'int w = {how.format(value.text)};'))
            self.variables.append(Value('w', value.low, value.high))
        self.helper = []
        if self.random.random() < 0.3:
            self.helper = [f'__device__ {self.element} {self.name}Helper(const {self.element} *from, int at) {{',
                           f'  return at % 3 == 0 ? from[at * {self.random.randint(1, 3)}] : from[at + {self.random.randint(0, 9)}];', '}']
        returned = False
        for _ in range(self.random.randint(2, 5)):
            if not returned and self.random.random() < 0.08:
                body.append(Statement(f'if {self.condition()} return;'))
                returned = True
            body.append(self.statement(3, not returned, 0))
        body.append(Statement(f'out[{self.index(ELEMENTS)}] = sum;'))
        return Kernel(name, self.element, self.block, grid, self.shared, self.helper, body, choose([32, 33, 34, 36, 40, 65]), scalars)


def program(kernels):
    """A whole CUDA program that launches each kernel once. The arrays are of the widest type's size, and zero."""
    size = ELEMENTS * max(TYPES.values())
    lines = ['#include <cuda_runtime.h>', f'__device__ int counts[{ELEMENTS}];']
    for kernel in kernels:
        lines += kernel.lines()
    lines += ['int main() {', '  void *out, *in;', '  int *index;', f'  cudaMalloc(&out, {size});', f'  cudaMalloc(&in, {size});',
              f'  cudaMalloc((void **)&index, {ELEMENTS * 4});', f'  cudaMemset(in, 0, {size});', f'  cudaMemset(index, 0, {ELEMENTS * 4});']
    lines += [kernel.launch() for kernel in kernels]
    return '\n'.join(lines + ['  return cudaDeviceSynchronize();', '}', ''])


def without_one(statements):
    """The statement lists that come from this one by leaving out a statement, or putting a body in its place."""
    for n, statement in enumerate(statements):
        rest = statements[:n], statements[n + 1:]
        yield rest[0] + rest[1]
        if statement.body is not None:
            if not statement.head.startswith(('for', 'switch', 'case', 'default')):
                yield rest[0] + statement.body + rest[1]
            for body in without_one(statement.body):
                yield rest[0] + [dataclasses.replace(statement, body=body)] + rest[1]


def shrunk(kernel, fails):
    """The kernel, cut down as long as `fails(kernel)` holds."""
    smaller = True
    while smaller:
        smaller = False
        for body in without_one(kernel.body):
            candidate = dataclasses.replace(kernel, body=body)
            if fails(candidate):
                kernel, smaller = candidate, True
                break
    return kernel
