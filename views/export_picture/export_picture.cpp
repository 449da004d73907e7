// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export_picture/export_picture.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QWidget>

#include "base/codes.h"
#include "document/atomic_file.h"

namespace shardscope {

namespace {

bool drawSvg(QWidget& widget, QBuffer& output)
{
    QSvgGenerator svg;
    svg.setOutputDevice(&output);
    svg.setSize(widget.size());
    svg.setViewBox(QRect(QPoint(), widget.size()));
    svg.setTitle(widget.windowTitle().isEmpty() ? widget.accessibleName() : widget.windowTitle());
    QPainter painter(&svg);
    widget.render(&painter);
    return painter.end();
}

bool drawPdf(QWidget& widget, QBuffer& output)
{
    constexpr int dotsPerInch = 96; // one point of the screen is one of the page
    QPdfWriter pdf(&output);
    pdf.setResolution(dotsPerInch);
    pdf.setPageMargins({});
    pdf.setPageSize(QPageSize(QSizeF(widget.size()) / dotsPerInch, QPageSize::Inch));
    QPainter painter(&pdf);
    widget.render(&painter);
    return painter.end();
}

} // namespace

std::optional<PictureForm> pictureForm(const QString& fileName)
{
    const QString ending = QFileInfo(fileName).suffix().toLower();
    if (ending.isEmpty() || ending == QLatin1String("png"))
        return PictureForm::Png;
    if (ending == QLatin1String("svg"))
        return PictureForm::Svg;
    if (ending == QLatin1String("pdf"))
        return PictureForm::Pdf;
    return std::nullopt;
}

Result<QByteArray> pictureOf(QWidget& widget, PictureForm form)
{
    QBuffer output;
    bool done = output.open(QIODevice::WriteOnly);
    switch (form) {
    case PictureForm::Png:
        done = done && widget.grab().save(&output, "PNG");
        break;
    case PictureForm::Svg:
        done = done && drawSvg(widget, output);
        break;
    case PictureForm::Pdf:
        done = done && drawPdf(widget, output);
        break;
    }
    if (!done)
        return fail(Code::Unwritable, { { "file", "" }, { "reason", "the picture cannot be made" } });
    return output.data();
}

Diagnostic wrongPictureName(const QString& fileName)
{
    return { Code::WrongType,
        { { "key", QFileInfo(fileName).fileName().toStdString() }, { "found", "no name of a picture" },
            { "expected", "a name that ends in .png, .svg or .pdf" } },
        {} };
}

Result<void> writePicture(QWidget& widget, const QString& fileName)
{
    const std::optional<PictureForm> form = pictureForm(fileName);
    if (!form)
        return tl::unexpected(wrongPictureName(fileName));
    Result<QByteArray> bytes = pictureOf(widget, *form);
    if (!bytes)
        return fail(
            Code::Unwritable, { { "file", fileName.toStdString() }, { "reason", bytes.error().text("reason") } });
    return writeAtomically(fileName, { bytes->constData(), static_cast<std::size_t>(bytes->size()) });
}

} // namespace shardscope
