// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of the architectures whose keys are not Llama's: GPT-2, GPT-NeoX, MPT and T5.
#pragma once

#include "interchange/config_fields.h"
#include "networks/transformer_settings.h"

namespace shardscope {

[[nodiscard]] TransformerSettings readGpt2(ConfigFields& fields);
[[nodiscard]] TransformerSettings readGptNeoX(ConfigFields& fields);
[[nodiscard]] TransformerSettings readMpt(ConfigFields& fields);
[[nodiscard]] TransformerSettings readT5(ConfigFields& fields);

} // namespace shardscope
