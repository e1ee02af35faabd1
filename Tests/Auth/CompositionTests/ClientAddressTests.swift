import BaseTestSupport

@Suite("ClientAddress") struct ClientAddressTests {
    struct Row: Sendable {
        let hops: Int
        var peer: String? = "10.0.0.1"
        let forwarded: String?
        let address: String?
        /// Whether a gateway forwards the peer; otherwise the peer is the other end of the
        /// connection.
        var forwardsPeer = true
    }

    static let rows: [Row] = [
        // No proxy is trusted: the header is untrusted input.
        Row(hops: 0, peer: "192.0.2.9", forwarded: nil, address: "192.0.2.9"),
        Row(hops: 0, peer: "192.0.2.9", forwarded: "1.1.1.1", address: "192.0.2.9"),
        Row(hops: 0, peer: "192.0.2.9", forwarded: "1.1.1.1, 192.0.2.9", address: "192.0.2.9"),
        Row(hops: 0, peer: nil, forwarded: "1.1.1.1", address: nil),
        // One of our proxies, which the gateway sees as its peer and appends.
        Row(hops: 1, forwarded: "198.51.100.7, 10.0.0.1", address: "198.51.100.7"),
        Row(hops: 1, forwarded: "198.51.100.7", address: "198.51.100.7"),
        // Entries that the client wrote itself are further left and are not used.
        Row(hops: 1, forwarded: "6.6.6.6, 198.51.100.7, 10.0.0.1", address: "198.51.100.7"),
        Row(hops: 1, forwarded: "6.6.6.6,7.7.7.7,,198.51.100.7,10.0.0.1", address: "198.51.100.7"),
        Row(hops: 1, forwarded: "10.0.0.1, 198.51.100.7", address: "198.51.100.7"),
        Row(
            hops: 2, forwarded: "6.6.6.6, 198.51.100.7, 10.0.0.2, 10.0.0.1",
            address: "198.51.100.7"),
        // A server's own connection: the proxy is at the peer, and its client at the same address.
        Row(hops: 1, forwarded: "6.6.6.6, 10.0.0.1", address: "10.0.0.1", forwardsPeer: false),
        Row(
            hops: 1, forwarded: "6.6.6.6, 198.51.100.7", address: "198.51.100.7",
            forwardsPeer: false),
        Row(
            hops: 2, forwarded: "6.6.6.6, 198.51.100.7, 10.0.0.1",
            address: "198.51.100.7", forwardsPeer: false),
        // Fewer entries than hops: the request did not come through our proxies.
        Row(hops: 3, forwarded: "6.6.6.6", address: "10.0.0.1"),
        Row(hops: 1, forwarded: "10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, forwarded: "", address: "10.0.0.1"),
        Row(hops: 1, forwarded: nil, address: "10.0.0.1"),
        // An invalid address is ignored, even if our proxy wrote it.
        Row(hops: 1, forwarded: "unknown, 10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, forwarded: "_hidden, 10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, forwarded: "<script>, 10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, forwarded: "badcafe, 10.0.0.1", address: "10.0.0.1"),
        Row(
            hops: 1, forwarded: String(repeating: "1", count: 5000) + ".1, 10.0.0.1",
            address: "10.0.0.1"),
        // The port is removed, because it differs for every connection.
        Row(hops: 1, forwarded: "198.51.100.7:51234, 10.0.0.1", address: "198.51.100.7"),
        Row(hops: 1, forwarded: "[2001:db8::1]:443, 10.0.0.1", address: "2001:db8::1"),
        Row(hops: 1, forwarded: "[2001:db8::1], 10.0.0.1", address: "2001:db8::1"),
        Row(hops: 1, forwarded: "2001:db8::1, 10.0.0.1", address: "2001:db8::1"),
        Row(hops: 1, forwarded: "[2001:db8::1, 10.0.0.1", address: "10.0.0.1"),
        // A watchdog has no peer address: the last entry is from the nearest proxy.
        Row(hops: 1, peer: nil, forwarded: "6.6.6.6, 198.51.100.7", address: "198.51.100.7"),
        Row(hops: 2, peer: nil, forwarded: "198.51.100.7", address: nil),
    ]

    @Test(arguments: rows) func `a forwarding header is trusted only from the configured proxies`(
        row: Row
    ) {
        let headers = row.forwarded.map { [HTTPHeader("x-forwarded-for", $0)] } ?? []
        let request = Request(
            headers: headers, sourceAddress: row.peer, forwardsSourceAddress: row.forwardsPeer,
            requestID: "1")
        expectEqual(ClientAddress(trustedHops: row.hops).of(request), row.address)
    }

    @Test func `other forwarding headers are ignored`() {
        for name in ["forwarded", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip"]
        {
            let request = Request(
                headers: [HTTPHeader(name, "6.6.6.6")], sourceAddress: "10.0.0.1", requestID: "1")
            expectEqual(ClientAddress(trustedHops: 1).of(request), "10.0.0.1")
        }
    }
}
