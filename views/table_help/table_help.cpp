// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/table_help/table_help.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/panel/panel.h"
#include "views/theme/style.h"

namespace shardscope {

namespace {

constexpr const char* writeRows = R"(import csv

def write_table(file, rows):
    with open(file, "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["path", "shape", "dtype", "names"])
        for path, value, names in rows:
            shape = "x".join(str(size) for size in value.shape)
            names = ",".join(str(name) for name in names)
            table.writerow([path, shape, str(value.dtype), names])

)";

constexpr const char* linen = R"(import jax
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

constexpr const char* nnx = R"(from flax import nnx

def rows_of(state):
    for path, variable in nnx.to_flat_state(state):
        about = variable.get_metadata()
        names = about.get("out_sharding") or about.get("sharding_names") or about.get("sharding") or ()
        yield "/".join(map(str, path)), variable, names

# Shapes alone: nothing is allocated.
model = nnx.eval_shape(lambda: Model(rngs=nnx.Rngs(0)))
write_table("model.csv", rows_of(nnx.state(model, nnx.Param)))
)";

constexpr const char* t5x = R"(from flax import traverse_util

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

QString tableCode(const QString& library)
{
    const char* rows = library == QLatin1String("nnx") ? nnx : library == QLatin1String("t5x") ? t5x : linen;
    return QString::fromLatin1(writeRows) + QString::fromLatin1(rows);
}

TableHelp::TableHelp(QWidget* parent)
    : QDialog(parent)
    , m_library(new QComboBox(this))
    , m_code(new QPlainTextEdit(this))
{
    setWindowTitle(tr("A table of your model's arrays"));
    auto* what = new RoleLabel(
        tr("A table has one row per array: path, shape, element type and logical names. Run these lines where your "
           "model is, then open the file here: its arrays are laid out by the rules and on the mesh of the window."),
        RoleLabel::Size::Normal, &Theme::text, this);
    what->setWordWrap(true);
    m_library->addItem(tr("Flax Linen"), QStringLiteral("linen"));
    m_library->addItem(tr("Flax NNX"), QStringLiteral("nnx"));
    m_library->addItem(tr("T5X"), QStringLiteral("t5x"));
    m_library->setAccessibleName(tr("Library of the model"));
    m_code->setReadOnly(true);
    m_code->setFont(Metrics::fixed());
    m_code->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_code->setTabChangesFocus(true);
    m_code->setAccessibleName(tr("Python that writes the table"));

    auto* copyButton = new QPushButton(tr("&Copy"), this);
    copyButton->setObjectName(QStringLiteral("copyTableCode"));
    copyButton->setAccessibleName(tr("Copy the lines of Python"));
    auto* open = new QPushButton(tr("&Open a table…"), this);
    open->setObjectName(QStringLiteral("openTable"));
    auto* close = new QPushButton(tr("Close"), this);
    setPrimary(copyButton);
    auto* head = new QHBoxLayout;
    head->addWidget(m_library);
    head->addStretch();
    head->addWidget(copyButton);
    auto* foot = new QHBoxLayout;
    foot->addWidget(open);
    foot->addStretch();
    foot->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 12);
    column->setSpacing(8);
    column->addWidget(what);
    column->addLayout(head);
    column->addWidget(m_code, 1);
    column->addLayout(foot);

    connect(m_library, &QComboBox::currentIndexChanged, this, &TableHelp::showCode);
    connect(copyButton, &QPushButton::clicked, this, &TableHelp::copy);
    connect(open, &QPushButton::clicked, this, &TableHelp::openRequested);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    showCode();
    resize(Metrics::scaled(720), Metrics::scaled(520));
}

QString TableHelp::code() const
{
    return m_code->toPlainText();
}

void TableHelp::copy()
{
    QApplication::clipboard()->setText(code());
}

void TableHelp::showCode()
{
    m_code->setPlainText(tableCode(m_library->currentData().toString()));
}

} // namespace shardscope
