// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/table_help/table_help.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPushButton>

#include "interchange/table_code.h"
#include "views/panel/panel.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"

namespace shardscope {
TableHelp::TableHelp(QWidget* parent)
    : QDialog(parent)
    , m_library(new QComboBox(this))
    , m_code(new QPlainTextEdit(this))
{
    setWindowTitle(tr("A table of your model's arrays"));
    auto* what = new RoleLabel(
        tr("A table has one row per array: path, shape, element type and logical names. Run these lines where your "
           "model is, then open the file here: its arrays are laid out by the rules and on the mesh of the window."),
        RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, this);
    m_library->addItem(tr("Flax Linen"), static_cast<int>(ModelLibrary::Linen));
    m_library->addItem(tr("Flax NNX"), static_cast<int>(ModelLibrary::Nnx));
    m_library->addItem(tr("T5X"), static_cast<int>(ModelLibrary::T5x));
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
    auto* head = hbox({}, styleSpacing, { m_library, boxStretch(), copyButton });
    auto* foot = hbox({}, styleSpacing, { open, boxStretch(), close });
    vbox(this, { 12, 12, 12, 12 }, 8, { what, head, { m_code, 1 }, foot });

    connect(m_library, &QComboBox::currentIndexChanged, this, &TableHelp::showCode);
    connect(copyButton, &QPushButton::clicked, this, &TableHelp::copy);
    connect(open, &QPushButton::clicked, this, &TableHelp::openRequested);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    showCode();
    resize(Metrics::scaled(720), Metrics::scaled(520));
}

void TableHelp::copy()
{
    QApplication::clipboard()->setText(code());
}

void TableHelp::showCode()
{
    m_code->setPlainText(
        QString::fromStdString(tableCode(static_cast<ModelLibrary>(m_library->currentData().toInt()))));
}

} // namespace shardscope
