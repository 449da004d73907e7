// SPDX-License-Identifier: GPL-3.0-or-later
// A number that is stepped through the sizes that something can have.
#pragma once

#include <QSpinBox>
#include <vector>

namespace shardscope {

/// Takes the next possible size at each step; any number may be typed.
class SizeSpinBox : public QSpinBox {
    Q_OBJECT
public:
    explicit SizeSpinBox(QWidget* parent = nullptr);
    void setSizes(std::vector<std::int64_t> sizes) { m_sizes = std::move(sizes); }
    void stepBy(int steps) override;

private:
    std::vector<std::int64_t> m_sizes; ///< ascending
};

} // namespace shardscope
