// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <boost/asio/ip/tcp.hpp>

#include <stop_token>
#include <vector>

namespace unavez::providers {

// The addresses of a host, within `limit`. The system's resolver cannot be interrupted: past the limit it is left to
// end on its own thread, its answer unread.
contract::Result<std::vector<boost::asio::ip::tcp::endpoint>> addressesOf(
    const std::string& host, std::uint16_t port, contract::Millis limit, std::stop_token cancelled);

} // namespace unavez::providers
