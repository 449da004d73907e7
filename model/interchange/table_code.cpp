// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/table_code.h"

namespace shardscope {

namespace {

constexpr std::string_view writeRows = R"(import csv

def write_table(file, rows):
    with open(file, "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["path", "shape", "dtype", "names"])
        for path, value, names in rows:
            shape = "x".join(str(size) for size in value.shape)
            names = ",".join(str(name) for name in names)
            table.writerow([path, shape, str(value.dtype), names])

)";

constexpr std::string_view linen = R"(import jax
from flax.core import meta

def name_of(key):
    return str(getattr(key, "key", getattr(key, "name", getattr(key, "idx", key))))

def rows_of(variables):
    is_box = lambda leaf: isinstance(leaf, meta.AxisMetadata)
    for keys, leaf in jax.tree_util.tree_flatten_with_path(variables, is_leaf=is_box)[0]:
        value = leaf.value if is_box(leaf) else leaf
        yield "/".join(map(name_of, keys)), value, leaf.names if is_box(leaf) else ()

# Shapes alone: nothing is allocated. `x` is an input, or its jax.ShapeDtypeStruct.
variables = jax.eval_shape(model.init, jax.random.key(0), x)
write_table("model.csv", rows_of(variables))
)";

constexpr std::string_view nnx = R"(from flax import nnx

def rows_of(state):
    for path, variable in nnx.to_flat_state(state):
        about = variable.get_metadata()
        names = about.get("out_sharding") or about.get("sharding_names") or about.get("sharding") or ()
        yield "/".join(map(str, path)), variable, names

# Shapes alone: nothing is allocated.
model = nnx.eval_shape(lambda: Model(rngs=nnx.Rngs(0)))
write_table("model.csv", rows_of(nnx.state(model, nnx.Param)))
)";

constexpr std::string_view t5x = R"(from flax import traverse_util

def rows_of(train_state, axes):
    values = traverse_util.flatten_dict(train_state.state_dict()["target"], sep="/")
    names = traverse_util.flatten_dict(axes.state_dict()["target"], sep="/")
    for path, value in values.items():
        yield path, value, names.get(path) or ()

# `initializer` is t5x.utils.TrainStateInitializer: shapes alone, nothing is allocated.
train_state = initializer.global_train_state_shape
write_table("model.csv", rows_of(train_state, train_state.as_logical_axes()))
)";

} // namespace

std::string_view tableWriter()
{
    return writeRows;
}

std::string_view tableRows(ModelLibrary library)
{
    switch (library) {
    case ModelLibrary::Nnx:
        return nnx;
    case ModelLibrary::T5x:
        return t5x;
    case ModelLibrary::Linen:
        break;
    }
    return linen;
}

std::string tableCode(ModelLibrary library)
{
    return std::string(tableWriter()).append(tableRows(library));
}

} // namespace shardscope
