#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what JAX does with small programs on eight CPU devices, as the reference cases beside this file.

    python3 record.py FOLDER [--only PREFIX,...]

Needs jax, flax and optax, and no accelerator. README.md says what the files hold. Nothing in them depends on the
machine: times, paths and memory addresses are left out.
"""
import argparse
import contextlib
import io
import itertools
import json
import math
import os
import re

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument('folder')
arguments.add_argument('--only', default='', help='names of programs begin so, with commas between them')
arguments = arguments.parse_args()
os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['COLUMNS'] = '80'
os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_force_host_platform_device_count=8'

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

float32, int32 = jnp.float32, jnp.int32


def array(*shape, dtype=float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def mesh_of(kind=AxisType.Auto, **sizes):
    devices = np.array(jax.devices()).reshape(tuple(sizes.values()))
    return Mesh(devices, tuple(sizes), axis_types=(kind,) * len(sizes))


def mesh_json(mesh):
    return [[name, int(size)] for name, size in zip(mesh.axis_names, mesh.devices.shape)]


def spec_json(sharding, rank):
    """One entry per dimension; None where JAX has no spec, but XLA's own text."""
    if not hasattr(sharding, 'spec'):
        return None
    entries = [list(entry) if isinstance(entry, tuple) else entry for entry in sharding.spec]
    return entries + [None] * (rank - len(entries))


# -- programs that are compiled ---------------------------------------------------------------------------------------

texts, compiled, grids = {}, [], {}
# Of programs whose compiled text is long only these are kept.
LONG = 44000
KEPT = {'block/fsdp_tp/scan_grad', 'mlp/train/2x4', 'flax/train/2x4'}


def template(text):
    """The text with $0, $1, ... for shardings of arguments and results and $mesh for the mesh; and the shardings."""
    shardings = []

    def place(match):
        shardings.append(match.group(1))
        return f'#sdy.sharding<@mesh, ${len(shardings) - 1}>'

    meshes = re.findall(r'sdy\.mesh @\w+ = <\[(.*?)\]>.*', text)
    text = re.sub(r'(sdy\.mesh @\w+ = ).*', r'\1<[$mesh]>', text)
    text = re.sub(r'#sdy\.sharding<@mesh, (\[[^\]]*\])>', place, text)
    assert len(set(meshes)) == 1
    return text.rstrip('\n').split('\n'), shardings


def shown(text):
    """What is left of a compiled text: no tables of files, no places, no settings of the backend but known trips."""
    text = re.sub(r'\n(FileNames|FunctionNames|FileLocations|StackFrames)\n(.+\n)*', '\n', text)
    text = re.sub(r', metadata=\{[^{}]*\}', '', text)
    text = re.sub(r', frontend_attributes=\{[^{}]*\}', '', text)
    text = re.sub(r', backend_config=\{(?!.*known_trip_count).*\}(?=\n)', '', text)
    return re.sub(r'\n\n+', '\n\n', text).rstrip('\n').split('\n')


KINDS = 'all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast'
COLLECTIVE = re.compile(rf'%(\S+) = (\(.*?\)|\S+) ({KINDS})\((.*?)\)(.*)$')


def balanced(text, key):
    """What follows key= up to the comma after it, or null."""
    at = text.find(', ' + key + '=')
    if at < 0:
        return None
    begin, depth = at + len(key) + 3, 0
    for end in range(begin, len(text) + 1):
        if end == len(text) or (text[end] in ', ' and depth == 0 and not text[end:].startswith(' {')):
            return text[begin:end]
        depth += (text[end] in '{[(') - (text[end] in '}])')


def times_of_computations(lines):
    """How often each computation runs in a step, by the trips that XLA states for its loops."""
    callers, name, entry = {}, None, None
    for line in lines:
        header = re.match(r'(ENTRY )?%(\S+) \(', line)
        if header:
            name = header.group(2)
            entry = name if header.group(1) else entry
        for key, callee in re.findall(r'(body|condition|calls|to_apply)=%([^,\s]+)', line):
            trips = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', line)
            callers.setdefault(callee, []).append((name, int(trips.group(1)) if key == 'body' else 1))

    def times(of):
        return 1 if of == entry else sum(times(caller) * often for caller, often in callers.get(of, []))
    return times


def rows_of(sizes, order, length):
    """The numbers of an array of these sizes, its dimensions taken in that order, in rows of a length."""
    strides = [math.prod(sizes[k + 1:]) for k in range(len(sizes))]
    flat = [sum(place * strides[dimension] for place, dimension in zip(places, order))
            for places in itertools.product(*(range(sizes[dimension]) for dimension in order))]
    return [flat[k:k + length] for k in range(0, len(flat), length)]


def members(groups):
    """Device numbers of each group, whichever way XLA writes them: listed, as an array, or along axes of a mesh."""
    if groups.startswith('{'):
        return json.loads(groups.replace('{', '[').replace('}', ']'))
    if groups.startswith('mesh'):
        axes = {name: int(size) for name, size in re.findall(r"'(\w+)'=(\d+)", groups)}
        used = [(name, int(before or 1), int(size or axes[name]))
                for name, before, size in re.findall(r"'(\w+)'(?::\((\d+)\)(\d+))?(?=[,}])", groups)]
        parts = []  # of all axes: name, product of the parts before it, size
        for name, size in axes.items():
            bounds = {1, size}
            for axis, before, own in used:
                bounds |= {before, before * own} if axis == name else set()
            bounds = sorted(bounds)
            parts += [(name, low, high // low) for low, high in zip(bounds, bounds[1:])]
        order = [part for part in parts if part not in used] + used
        return rows_of([size for _, _, size in parts], [parts.index(part) for part in order],
                       math.prod(size for _, _, size in used))
    shape, sizes, turned = re.match(r'\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?', groups).groups()
    sizes = json.loads(f'[{sizes}]')
    return rows_of(sizes, json.loads(f'[{turned}]') if turned else range(len(sizes)), json.loads(f'[{shape}]')[-1])


def collectives_json(lines):
    times, name, found = times_of_computations(lines), None, []
    for number, line in enumerate(lines, 1):
        header = re.match(r'(?:ENTRY )?%(\S+) \(', line)
        name = header.group(1) if header else name
        match = COLLECTIVE.search(line)
        if not match:
            continue
        rest = match.group(5)
        one = {'name': match.group(1), 'line': number, 'kind': match.group(3),
               'results': re.findall(r'\w+\[[\d,]*\]', match.group(2)), 'times': times(name)}
        if (groups := balanced(rest, 'replica_groups')) is not None:
            one['groups'] = members(groups)
        if (pairs := balanced(rest, 'source_target_pairs')) is not None:
            one['pairs'] = json.loads(pairs.replace('{', '[').replace('}', ']'))
        if (dimensions := balanced(rest, 'dimensions')) is not None:
            one['dimensions'] = json.loads('[' + dimensions.strip('{}') + ']')
        found.append(one)
    return found


def picture_of(sharding, shape):
    picture = io.StringIO()
    with contextlib.redirect_stdout(picture):
        jax.debug.visualize_sharding(shape, sharding)
    return picture.getvalue()


def grid_json(picture, mesh, shape, spec):
    """The picture that JAX prints of a sharding, and the text of its cells. `mesh` is as mesh_json() has it."""
    lines = picture.split('\n')
    ends = 0
    while lines and not lines[-1]:
        lines.pop()
        ends += 1
    cells, rows = [], []
    for line in lines[1:]:
        if line[0] in '├└':
            cells.append([''.join(parts).strip() for parts in zip(*rows)])
            rows = []
        else:
            rows.append(line.strip('│').split('│'))
    return {'mesh_shape': [size for _, size in mesh], 'axis_names': [name for name, _ in mesh], 'spec': spec,
            'shape': list(shape), 'platform': 'CPU', 'lines': lines, 'trailing_newlines': ends, 'rows': len(cells),
            'cols': len(cells[0]), 'cells': cells}


def arrays_json(avals, shardings):
    listed = []
    for aval, sharding in zip(jax.tree_util.tree_leaves(avals), jax.tree_util.tree_leaves(shardings)):
        one = {'shape': list(aval.shape), 'dtype': str(aval.dtype)}
        spec = spec_json(sharding, len(aval.shape))
        if spec is not None:
            one['spec'] = spec
        one['shard_shape'] = list(sharding.shard_shape(tuple(aval.shape)))
        listed.append(one)
    return listed


def program_name(name, lines):
    """That of a text that is known; a new one is named after the program, without its layout."""
    known = next((key for key, text in texts.items() if text == lines), None)
    if known is None:
        known = re.sub(r'/[\d-]+(x\d)?$', '', name)
        texts[known] = lines
    return known


def chosen(name):
    return not arguments.only or name.startswith(tuple(arguments.only.split(',')))


def record(name, function, avals, mesh, given=None, wanted=None):
    """`given`, `wanted`: shardings of arguments and results; None leaves them to the compiler."""
    if not chosen(name):
        return
    options = {key: value for key, value in (('in_shardings', given), ('out_shardings', wanted)) if value is not None}
    with jax.set_mesh(mesh):
        lowered = jax.jit(function, **options).lower(*avals)
        executable = lowered.compile()
        outs = jax.eval_shape(function, *avals)
    lines, shardings = template(lowered.as_text())
    program = program_name(name, lines)
    memory = executable.memory_analysis()
    outputs = arrays_json(outs, executable.output_shardings)
    case = {'id': name, 'status': 'contract', 'mesh': mesh_json(mesh), 'program': program, 'shardings': shardings,
            'inputs': arrays_json(avals, executable.input_shardings[0]), 'outputs': outputs,
            'argument_bytes': memory.argument_size_in_bytes, 'output_bytes': memory.output_size_in_bytes}
    hlo = shown(executable.as_text())
    if sum(map(len, hlo)) <= LONG or name in KEPT:
        case.update({'collectives': collectives_json(hlo), 'hlo': hlo})
    compiled.append(case)
    shape = tuple(outputs[0]['shape'])
    if 1 <= len(shape) <= 2 and 'spec' in outputs[0]:
        picture = picture_of(jax.tree_util.tree_leaves(executable.output_shardings)[0], shape)
        one = grid_json(picture, mesh_json(mesh), shape, outputs[0]['spec'])
        if all(map(all, one['cells'])):  # rich leaves out texts of a picture that it shrinks
            grids.setdefault(json.dumps(one), one)
    print(name, flush=True)


LAYOUTS = [P(), P('x', None), P(None, 'x'), P('y', None), P(None, 'y'), P('x', 'y'), P('y', 'x'), P(('x', 'y'), None),
           P(None, ('y', 'x'))]
UNARY = {
    'sum0': lambda p: p.sum(axis=0), 'sum1': lambda p: p.sum(axis=1),
    'softmax': lambda p: jax.nn.softmax(p, axis=-1), 'transpose': lambda p: p.T,
    'reshape': lambda p: p.reshape(8, 4, 64), 'merge': lambda p: p.reshape(32 * 64),
    'roll': lambda p: jnp.roll(p, 1, axis=0), 'concat': lambda p: jnp.concatenate([p, p], axis=0),
    'cumsum': lambda p: jnp.cumsum(p, axis=0), 'sort': lambda p: jnp.sort(p, axis=0),
    'slice': lambda p: p[3:19, 5:50], 'pad': lambda p: jnp.pad(p, ((1, 2), (0, 3))),
}


def record_operations():
    mesh = mesh_of(x=2, y=4)
    specs = [NamedSharding(mesh, layout) for layout in LAYOUTS]
    for i, a in enumerate(specs):
        for j, b in enumerate(specs):
            record(f'matmul/{i}-{j}', lambda p, q: p @ q, (array(32, 64), array(64, 16)), mesh, (a, b))
            record(f'reshard/{i}-{j}', lambda p: p, (array(32, 64),), mesh, (a,), b)
        for name, function in UNARY.items():
            record(f'{name}/{i}', function, (array(32, 64),), mesh, (a,))
        record(f'take/{i}', lambda p, at: p[at], (array(32, 64), array(8, dtype=int32)), mesh,
               (a, NamedSharding(mesh, P())))


def dense(x, w, b):
    return jax.nn.sigmoid(x @ w + b)


def record_notebook():
    """The layer and the expressions of the notebooks on parallel programming."""
    mesh = mesh_of(x=8)
    rows = NamedSharding(mesh, P('x'))
    avals = (array(32), array(32, 4), array(4))
    record('layer/auto', dense, avals, mesh, (rows, rows, NamedSharding(mesh, P())))
    pinned = jax.lax.with_sharding_constraint
    record('layer/constrained', lambda x, w, b: dense(pinned(x, rows), pinned(w, rows), b), avals, mesh)
    by_hand = jax.shard_map(lambda x, w, b: jax.nn.sigmoid(jax.lax.psum(x @ w, 'x') + b), mesh=mesh,
                            in_specs=(P('x'), P('x', None), P(None)), out_specs=P(None))
    record('layer/manual', by_hand, avals, mesh)
    mesh = mesh_of(x=2, y=4)
    both = (NamedSharding(mesh, P('x', 'y')),)
    record('notebook/elementwise', lambda x: 2 * jnp.sin(x) + 1, (array(4, 8),), mesh, both)
    record('notebook/contract', lambda x: x.sum(axis=0), (array(4, 8),), mesh, both)
    record('notebook/contract_constrained', lambda x: pinned(x.sum(axis=0), NamedSharding(mesh, P('x'))),
           (array(4, 8),), mesh, both)


def perceptron(params, x, mesh, constrained=True):
    def pinned(value, *spec):
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, P(*spec))) if constrained else value
    for up, down in params:
        y = pinned(jax.nn.relu(x @ up), 'data', 'model')
        x = pinned(y @ down, 'data', None)
    return x


def adam(p, g, mu, nu, t, rate=1e-3, b1=.9, b2=.999, eps=1e-8):
    mu, nu = b1 * mu + (1 - b1) * g, b2 * nu + (1 - b2) * g * g
    return p - rate * (mu / (1 - b1 ** t)) / (jnp.sqrt(nu / (1 - b2 ** t)) + eps), mu, nu


def train_step(mesh):
    def step(state, x):
        params, mu, nu, t = state
        grads = jax.grad(lambda p: perceptron(p, x, mesh).sum())(params)
        t = t + 1
        updated = [[adam(*arrays, t.astype(float32)) for arrays in zip(*layer)]
                   for layer in zip(params, grads, mu, nu)]
        return tuple([[arrays[k] for arrays in layer] for layer in updated] for k in range(3)) + (t,)
    return step


MESHES = [(1, 8), (2, 4), (4, 2), (8, 1)]


def record_perceptrons():
    for data, model in MESHES:
        mesh = mesh_of(data=data, model=model)
        tag = f'{data}x{model}'
        weights = [[array(1024, 1024), array(1024, 1024)] for _ in range(4)]
        sharded = [[NamedSharding(mesh, P(None, 'model')), NamedSharding(mesh, P('model', None))] for _ in range(4)]
        x, rows = array(8, 1024), NamedSharding(mesh, P('data', None))
        state = (weights, weights, weights, array(dtype=int32))
        states = (sharded, sharded, sharded, NamedSharding(mesh, P()))
        record(f'mlp/forward/{tag}', lambda p, v: perceptron(p, v, mesh), (weights, x), mesh, (sharded, rows), rows)
        record(f'mlp/forward_open/{tag}', lambda p, v: perceptron(p, v, mesh, False), (weights, x), mesh,
               (sharded, rows))
        record(f'mlp/train/{tag}', train_step(mesh), (state, x), mesh, (states, rows), states)


def block(p, x):
    """A transformer's block: RMS norms, grouped queries, a causal mask, a gated perceptron."""
    def norm(value, scale):
        return value * jax.lax.rsqrt((value * value).mean(-1, keepdims=True) + 1e-6) * scale
    h = norm(x, p['n1'])
    q = jnp.einsum('bse,ehd->bshd', h, p['q'])
    k = jnp.einsum('bse,ekd->bskd', h, p['k'])
    v = jnp.einsum('bse,ekd->bskd', h, p['v'])
    q = q.reshape(*q.shape[:2], k.shape[2], q.shape[2] // k.shape[2], q.shape[3])
    scores = jnp.einsum('bskgd,btkd->bkgst', q, k) / np.sqrt(q.shape[-1])
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), -1)
    o = jnp.einsum('bkgst,btkd->bskgd', weights, v).reshape(*x.shape[:2], -1, p['q'].shape[-1])
    x = x + jnp.einsum('bshd,hde->bse', o, p['o'])
    h = norm(x, p['n2'])
    return x + (jax.nn.silu(h @ p['g']) * (h @ p['u'])) @ p['d']


SIZES = {'n1': (256,), 'n2': (256,), 'q': (256, 8, 32), 'k': (256, 4, 32), 'v': (256, 4, 32), 'o': (8, 32, 256),
         'g': (256, 1024), 'u': (256, 1024), 'd': (1024, 256)}
HEADS = {'q': P(None, 'model'), 'k': P(None, 'model'), 'v': P(None, 'model'), 'o': P('model'), 'g': P(None, 'model'),
         'u': P(None, 'model'), 'd': P('model')}
PLANS = {
    'dp': ({}, P(('data', 'model'), None, None)),
    'fsdp': ({'q': P('data'), 'k': P('data'), 'v': P('data'), 'o': P(None, None, 'data'), 'g': P('data'),
              'u': P('data'), 'd': P(None, 'data')}, P('data', None, None)),
    'tp': (HEADS, P('data', None, None)),
    'fsdp_tp': ({'q': P('data', 'model'), 'k': P('data', 'model'), 'v': P('data', 'model'),
                 'o': P('model', None, 'data'), 'g': P('data', 'model'), 'u': P('data', 'model'),
                 'd': P('model', 'data')}, P('data', None, None)),
    'sp': (HEADS, P('data', 'model', None)),
}


def record_blocks():
    mesh = mesh_of(data=2, model=4)
    for plan, (specs, of_x) in PLANS.items():
        x, rows = array(8, 64, 256), NamedSharding(mesh, of_x)
        one = {key: array(*size) for key, size in SIZES.items()}
        sharded = {key: NamedSharding(mesh, specs.get(key, P())) for key in SIZES}
        record(f'block/{plan}/forward', block, (one, x), mesh, (sharded, rows))
        record(f'block/{plan}/grad', lambda p, v: jax.grad(lambda q: (block(q, v) ** 2).sum())(p), (one, x), mesh,
               (sharded, rows), sharded)
        stack = {key: array(6, *size) for key, size in SIZES.items()}
        stacked = {key: NamedSharding(mesh, P(None, *specs.get(key, P()))) for key in SIZES}

        def layers(p, v):
            return (jax.lax.scan(lambda h, q: (block(q, h), None), v, p)[0] ** 2).sum()
        record(f'block/{plan}/scan_grad', lambda p, v: jax.grad(lambda q: layers(q, v))(p), (stack, x), mesh,
               (stacked, rows), stacked)


class Block(nn.Module):
    depth: int

    @nn.compact
    def __call__(self, x):
        init = nn.initializers.xavier_normal()
        up = nn.Dense(self.depth, use_bias=False, kernel_init=nn.with_logical_partitioning(init, ('embed', 'hidden')))
        y = jax.nn.relu(up(x))
        down = self.param('W2', nn.with_logical_partitioning(init, ('hidden', 'embed')), (self.depth, x.shape[-1]))
        return nn.with_logical_constraint(y @ down, ('batch', 'embed'))


class Net(nn.Module):
    layers: int
    depth: int

    @nn.compact
    def __call__(self, x):
        for _ in range(self.layers):
            x = Block(self.depth)(x)
        return x


def record_flax():
    rules = (('batch', 'data'), ('hidden', 'model'))
    for data, model in MESHES:
        mesh, net, x = mesh_of(data=data, model=model), Net(4, 1024), array(8, 1024)

        def create(key, value):
            return train_state.TrainState.create(apply_fn=net.apply, params=net.init(key, value)['params'],
                                                 tx=optax.adam(1e-3))

        def step(state, value):
            grads = jax.grad(lambda p: net.apply({'params': p}, value).sum())(state.params)
            return state.apply_gradients(grads=grads)

        state = jax.eval_shape(create, jax.random.key(0), x)
        with nn.logical_axis_rules(rules):
            sharded = nn.logical_to_mesh_sharding(nn.get_partition_spec(state), mesh, rules)
            record(f'flax/train/{data}x{model}', step, (state, x), mesh,
                   (sharded, NamedSharding(mesh, P('data', None))), sharded)


# -- explicit mode ----------------------------------------------------------------------------------------------------

TYPES_OF_ONE = {
    'sum0': UNARY['sum0'], 'sum1': UNARY['sum1'], 'mean': lambda p: p.mean(), 'softmax': UNARY['softmax'],
    'transpose': UNARY['transpose'], 'split': UNARY['reshape'], 'split1': lambda p: p.reshape(32, 8, 8),
    'merge': UNARY['merge'], 'expand': lambda p: p[:, None, :], 'roll': UNARY['roll'], 'concat0': UNARY['concat'],
    'concat1': lambda p: jnp.concatenate([p, p], axis=1), 'cumsum': UNARY['cumsum'], 'sort': UNARY['sort'],
    'slice': UNARY['slice'], 'slice_whole': lambda p: p[:, 0:16], 'pad': UNARY['pad'],
    'argmax': lambda p: jnp.argmax(p, axis=1), 'where': lambda p: jnp.where(p > 0, p, 0.),
    'broadcast': lambda p: jnp.broadcast_to(p, (4, 32, 64)), 'squeeze': lambda p: p.reshape(1, 32, 64)[0],
    'cast': lambda p: p.astype(jnp.bfloat16), 'iota_add': lambda p: p + jnp.arange(64.),
    'dynamic_slice': lambda p: jax.lax.dynamic_slice(p, (0, 0), (8, 64)),
    'tril': lambda p: jnp.tril(p),
    'layernorm': lambda p: (p - p.mean(-1, keepdims=True)) / jnp.sqrt(p.var(-1, keepdims=True) + 1e-5),
    'stack': lambda p: jnp.stack([p, p]), 'tile': lambda p: jnp.tile(p, (2, 1)), 'max': lambda p: p.max(axis=0),
    'grad': lambda p: jax.grad(lambda q: (q * q).sum())(p), 'topk': lambda p: jax.lax.top_k(p, 4),
    'onehot': lambda p: jax.nn.one_hot(p[:, 0].astype(int32), 16),
}
TYPES_OF_TWO = {
    'matmul': (lambda p, q: p @ q, (64, 16)), 'add': (lambda p, q: p + q, (32, 64)),
    'outer': (lambda p, q: jnp.einsum('ab,cd->abcd', p, q), (32, 64)),
    'batched': (lambda p, q: jnp.einsum('ab,ab->a', p, q), (32, 64)),
    'where': (lambda p, q: jnp.where(p > 0, p, q), (32, 64)),
    'concat': (lambda p, q: jnp.concatenate([p, q], 0), (32, 64)),
    'take': (lambda p, q: p[q[:, 0].astype(int32)], (32, 64)),
}


def plain_error(error):
    """The first words of it, with types for the shardings, which JAX prints with their meshes."""
    text = re.sub(r'NamedSharding\(mesh=.*?, spec=(P\(.*?\))(, memory_kind=\w+)?\)', r'\1', str(error))
    return f'{type(error).__name__}: {text}'[:200]


def record_explicit():
    mesh, automatic = mesh_of(AxisType.Explicit, x=2, y=4), mesh_of(x=2, y=4)
    programs, cases = {}, []

    def one(name, program, function, avals, specs):
        if not chosen('explicit'):
            return
        case = {'id': name, 'status': 'contract', 'mesh': mesh_json(mesh), 'program': program,
                'specs': [spec_json(NamedSharding(mesh, spec), 2) for spec in specs]}
        with jax.set_mesh(mesh):
            typed = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=NamedSharding(mesh, spec))
                     for aval, spec in zip(avals, specs)]
            try:
                outs = jax.tree_util.tree_leaves(jax.eval_shape(function, *typed))
                case['outputs'] = [{'shape': list(out.shape), 'spec': spec_json(out.sharding, len(out.shape))}
                                   for out in outs]
            except Exception as error:
                case['error'] = plain_error(error)
        if program not in programs:
            # The same without shardings, as it is lowered where the compiler chooses them.
            with jax.set_mesh(automatic):
                plain = [NamedSharding(automatic, P(None, None))] * len(avals)
                programs[program] = template(jax.jit(function, in_shardings=tuple(plain)).lower(*avals).as_text())[0]
        cases.append(case)

    for i, a in enumerate(LAYOUTS):
        for name, function in TYPES_OF_ONE.items():
            one(f'{name}/{i}', name, function, (array(32, 64),), (a,))
        for j, b in enumerate(LAYOUTS):
            for name, (function, shape) in TYPES_OF_TWO.items():
                one(f'{name}/{i}-{j}', name + '2', function, (array(32, 64), array(*shape)), (a, b))
    return programs, cases


# -- files ------------------------------------------------------------------------------------------------------------

def write(name, description, cases, **further):
    """One case a line; texts as lists of their lines."""
    head = {'description': description, 'jax': jax.__version__, 'flax': flax.__version__}
    with open(os.path.join(arguments.folder, name), 'w', encoding='utf-8') as file:
        file.write('{\n')
        for key, value in head.items():
            file.write(f'{json.dumps(key)}: {json.dumps(value)},\n')
        for key, value in further.items():
            entries = ',\n'.join(f'  {json.dumps(name)}: [\n    ' + ',\n    '.join(map(json.dumps, lines)) + '\n  ]'
                                 for name, lines in value.items())
            file.write(f'{json.dumps(key)}: {{\n{entries}\n}},\n')
        listed = []
        for case in cases:
            lines = case.pop('hlo', None)
            text = json.dumps(case, ensure_ascii=False)
            if lines is not None:
                text = text[:-1] + ', "hlo": [\n    ' + ',\n    '.join(map(json.dumps, lines)) + ']}'
            listed.append('  ' + text)
        file.write('"cases": [\n' + ',\n'.join(listed) + '\n]\n}\n')


os.makedirs(arguments.folder, exist_ok=True)
programs, cases = record_explicit()
write('explicit_types.json', 'Types of explicit mode: what a result is sharded as, or how JAX refuses.', cases,
      programs=programs)
record_operations()
record_notebook()
record_perceptrons()
record_blocks()
record_flax()
write('compiled_programs.json', 'How compiled programs shard arguments and results, and their collectives.', compiled,
      programs=texts)
for number, grid in enumerate(grids.values()):
    grid.update({'id': f'jax_visualize_sharding-compiled/{number}', 'status': 'contract'})
write('jax_visualize_sharding-compiled.json', 'Pictures of shardings that compiled programs give their results.',
      list(grids.values()))
