// SPDX-License-Identifier: GPL-3.0-or-later
// A widget as a picture: PNG as it stands on screen, SVG and PDF as its painting, sharp at any size.
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>

#include "base/diagnostics.h"

class QWidget;

namespace shardscope {

enum class PictureForm : std::uint8_t { Png, Svg, Pdf };
/// By the end of the file's name, "grid.svg", in upper or lower case; a name without an ending is a PNG. None for
/// another ending.
[[nodiscard]] std::optional<PictureForm> pictureForm(const QString& fileName);

/// The widget has its size and has been laid out; it need not be visible. Error: Unwritable {file: "", reason} where Qt
/// cannot make the picture.
[[nodiscard]] Result<QByteArray> pictureOf(QWidget& widget, PictureForm form);
/// Why there is no picture of a name with another ending: WrongType.
[[nodiscard]] Diagnostic wrongPictureName(const QString& fileName);
/// The same to a file, all or nothing. Errors: wrongPictureName(), Unwritable.
[[nodiscard]] Result<void> writePicture(QWidget& widget, const QString& fileName);

} // namespace shardscope
