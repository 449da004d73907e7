// SPDX-License-Identifier: GPL-3.0-or-later
// The program with a window, and pictures of it.
#pragma once

#include <QSize>
#include <QString>
#include <optional>

#include "base/diagnostics.h"

namespace shardscope {

/// Opens the window on a file, on a built-in example by its id, or on what standard input says ("-"); "" is the first
/// example. Runs until the window is closed; returns the exit code: 2 at once where there is no display. Input that
/// cannot be read is reported in the window.
int runWindow(int argc, char** argv, const QString& file);

struct ScreenshotOptions {
    bool dark = false;
    QSize size{ 1600, 1000 }; ///< of the window, in logical pixels
    QString tensor; ///< path of the tensor to select; "" = the first parameter
    QString dock; ///< id of a view or of a part of one, to show in front; "" = as the window is by default
    QString perspective = {}; ///< "learn", "plan", ...; "" = that with which the experiment opens
    bool viewAlone = false; ///< of the window, that view or part alone
    bool sideBySide = false; ///< Collectives with examples side by side
    QString axis; ///< mesh axis to select
    double scale = 1; ///< device pixels per logical pixel
    /// Steps run before, so that there are timings to see. Absent: up to 8 of them, none that would begin after
    /// `patience` seconds; what cannot run is then shown without any.
    std::optional<int> steps;
    std::optional<int> operations; ///< of the last of them, after which Values shows what devices hold
    double patience = 30;
};

struct ScreenshotReport {
    int wanted = 0; ///< steps
    int done = 0;
    std::optional<Diagnostic> failure; ///< why none could be run
    QSize size; ///< of the window in the picture: larger where its views need more room than was asked for
};

/// Writes a picture of the window, PNG, SVG or PDF by the name's ending, with an experiment file ("" = the built-in
/// experiment). Works without a display, and must come before any other application object. The picture is taken when
/// nothing is at work any more: all steps have run, all that is worked out beside the window is there. Errors: those of
/// reading the file, UnknownTensor, those of Run::create when steps are asked for, Unwritable (all or nothing is
/// written).
[[nodiscard]] Result<ScreenshotReport> writeScreenshot(
    const QString& file, const QString& png, const ScreenshotOptions& options = {});

} // namespace shardscope
