// SPDX-License-Identifier: GPL-3.0-or-later
// What the layers of a plain transformer (plain_transformer.h) are made of, a row of numbers at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "networks/transformer_settings.h"

namespace shardscope::test {

struct PlainParts {
    using Row = std::vector<double>;
    using Rows = std::vector<Row>;

    const TransformerSettings& s;
    std::map<std::string, Row> parameters; ///< by path, row-major

    [[nodiscard]] const Row& at(const std::string& path) const { return parameters.at(path); }

    /// x times a kernel whose first dimensions are those of x, plus its bias.
    [[nodiscard]] Row linear(const Row& x, const std::string& path) const
    {
        const Row& kernel = at(path + "/kernel");
        Row y(kernel.size() / x.size());
        for (std::size_t j = 0; j < y.size(); ++j)
            for (std::size_t i = 0; i < x.size(); ++i)
                y[j] += x[i] * kernel[i * y.size() + j];
        if (const auto bias = parameters.find(path + "/bias"); bias != parameters.end())
            for (std::size_t j = 0; j < y.size(); ++j)
                y[j] += bias->second[j];
        return y;
    }

    void rms(double* x, std::size_t n, const Row& scale) const
    {
        double square = 0;
        for (std::size_t i = 0; i < n; ++i)
            square += x[i] * x[i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            x[i] = x[i] / std::sqrt(square + s.normEpsilon) * (scale[i] + (s.normPlusOne ? 1 : 0));
    }

    [[nodiscard]] Row norm(Row x, const std::string& path) const
    {
        if (s.norm != NormKind::Rms) {
            double mean = 0;
            for (const double element : x)
                mean += element / static_cast<double>(x.size());
            for (double& element : x)
                element -= mean;
        }
        rms(x.data(), x.size(), at(path + "/scale"));
        if (s.norm == NormKind::Layer)
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] += at(path + "/bias")[i];
        return x;
    }
    [[nodiscard]] Rows norm(Rows x, const std::string& path) const
    {
        for (Row& row : x)
            row = norm(row, path);
        return x;
    }
    [[nodiscard]] Rows normAfter(Rows x, const std::string& path) const
    {
        return s.normPlacement == NormPlacement::BeforeAndAfter ? norm(std::move(x), path) : x;
    }

    [[nodiscard]] double activation(double x) const
    {
        switch (s.activation) {
        case ActivationKind::Relu:
            return std::max(x, 0.0);
        case ActivationKind::Gelu:
            return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * std::pow(x, 3))));
        case ActivationKind::Silu:
            break;
        }
        return x / (1 + std::exp(-x));
    }

    [[nodiscard]] Row hidden(Row gate, const Row& linear) const
    {
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] = activation(gate[i]) * (s.gatedMlp ? linear[i] : 1);
        return gate;
    }
};

} // namespace shardscope::test
