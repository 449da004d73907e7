// SPDX-License-Identifier: GPL-3.0-or-later
// What can be taken along as text, by name: what the command export and the window's menu Export offer.
//
//     exportedText(*snapshot, "tensors", "csv")
#pragma once

#include <QString>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

struct ExportedView {
    std::string id; ///< "tensors"
    QString title; ///< "Tensors"
    std::vector<std::string> forms; ///< endings of files: "csv", "md", "txt", "py", "yml", "sh"; the usual one first
};

/// The report, the tables of report/report_table.h, the JAX code, and the configuration of MaxText.
[[nodiscard]] const std::vector<ExportedView>& exportedViews();
/// Null if there is none of that id.
[[nodiscard]] const ExportedView* findExportedView(std::string_view id);
/// `form` is one of the view's.
[[nodiscard]] std::string exportedText(const Snapshot& snapshot, const ExportedView& view, std::string_view form);

} // namespace shardscope
