// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/addresses.h"

#include <netdb.h>

#include <chrono>
#include <cstring>
#include <future>
#include <thread>

namespace unavez::providers {

using boost::asio::ip::tcp;
using contract::Error;
using contract::fail;

namespace {

using Endpoints = std::vector<tcp::endpoint>;

struct Resolved
{
    Endpoints endpoints;
    int code = 0; // of getaddrinfo
};

Resolved resolved(const std::string& host, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo* list = nullptr;
    Resolved found;
    found.code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
    if (found.code == EAI_NONAME || found.code == EAI_ADDRFAMILY) { // a host with nothing but a loopback device
        hints.ai_flags = 0;
        found.code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
    }
    if (found.code != 0)
        return found;
    for (const auto* entry = list; entry != nullptr; entry = entry->ai_next) {
        tcp::endpoint endpoint;
        if (entry->ai_addrlen > endpoint.capacity())
            continue;
        endpoint.resize(entry->ai_addrlen);
        std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
        endpoint.port(port);
        found.endpoints.push_back(endpoint);
    }
    freeaddrinfo(list);
    return found;
}

} // namespace

contract::Result<Endpoints> addressesOf(
    const std::string& host, std::uint16_t port, contract::Millis limit, std::stop_token cancelled)
{
    boost::system::error_code literal;
    if (const auto address = boost::asio::ip::make_address(host, literal); !literal)
        return Endpoints{{address, port}};

    std::packaged_task<Resolved()> task([host, port] { return resolved(host, port); });
    auto answer = task.get_future();
    std::thread(std::move(task)).detach();

    constexpr std::chrono::milliseconds step{20}; // how soon a cancel is seen
    const auto end = std::chrono::steady_clock::now() + limit;
    while (answer.wait_for(step) != std::future_status::ready) {
        if (cancelled.stop_requested())
            return fail(Error::Kind::Cancelled);
        if (std::chrono::steady_clock::now() >= end)
            return fail(Error::Kind::Timeout, QStringLiteral("resolve: no answer in time"));
    }
    const auto found = answer.get();
    if (found.endpoints.empty())
        return fail(Error::Kind::Offline,
            QStringLiteral("resolve: ") + QString::fromLocal8Bit(gai_strerror(found.code)), found.code);
    return found.endpoints;
}

} // namespace unavez::providers
