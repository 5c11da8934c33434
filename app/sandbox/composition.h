// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/storeaccess.h"

namespace unavez::sandbox {

StoreAccess sqlStoreAccess();

} // namespace unavez::sandbox
