// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace unavez::tests {

// A configuration with every setting in it. DIR stands for a folder with the secrets k1, token and key.
QString wholeConfig();

} // namespace unavez::tests
