// SPDX-License-Identifier: GPL-3.0-or-later
// What a view shows as rows, to be taken along: as CSV, whose cells are plain numbers and the names that files have,
// and as a table in Markdown or plain text, whose cells read as on screen.
//
//     const ReportTable table = reportTable(*snapshot, ReportSubject::Tensors);
//     toCsv(table)       // path,role,dtype,shape,dimensions,names,spec,bytes_per_device,bytes,copies
//     toMarkdown(table)  // | Tensor | Kind | ... | Per device |
#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

enum class ReportSubject : std::uint8_t { Mesh, Rules, Tensors, Collectives, Memory, Problems };
/// "mesh", "rules", ...: all of them, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& reportSubjectNames();

struct ReportColumn {
    std::string key; ///< head of the CSV: "bytes_per_device"
    QString title; ///< head of the table: "Per device"; none: the column stands in the CSV alone
    bool isNumber = false; ///< stands to the right
};

struct ReportCell {
    std::string value; ///< for CSV: "1048576"
    QString shown; ///< "1 MiB"
};

struct ReportTable {
    QString title;
    std::vector<ReportColumn> columns;
    std::vector<std::vector<ReportCell>> rows; ///< one cell per column
};

/// Without rows where the analysis did not get so far.
[[nodiscard]] ReportTable reportTable(const Snapshot& snapshot, ReportSubject subject);
/// ReportSubject::Tensors, or the parameters among them. `dimensions` are the names that dimensions have in the
/// program, `names` the logical ones, as the rules see them and tables of parameters have them
/// (interchange/parameter_table.h).
[[nodiscard]] ReportTable tensorsTable(const Snapshot& snapshot, bool parametersAlone = false);
/// ReportSubject::Collectives, after them what goes between memories, as rows of the kind "transfer". With `groups` the
/// devices that exchange with each other stand in the CSV. What has not been worked out yet is: that takes a while.
[[nodiscard]] ReportTable collectivesTable(const Snapshot& snapshot, bool groups = false);

/// With a line of keys first; fields are quoted where they have to be (interchange/csv_text.h).
[[nodiscard]] std::string toCsv(const ReportTable& table);
/// A head, a line of dashes and the rows; no head for a table without rows: "none".
[[nodiscard]] QString toMarkdown(const ReportTable& table);
/// The same with columns of spaces, for where the font is fixed.
[[nodiscard]] QString toText(const ReportTable& table);

} // namespace shardscope
