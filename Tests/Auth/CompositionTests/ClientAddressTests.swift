import AuthComposition
import FunctionRuntime
import HTTP
import Testing

@Suite("ClientAddress") struct ClientAddressTests {
    struct Row: Sendable {
        let hops: Int
        let peer: String?
        let forwarded: String?
        let address: String?
    }

    static let rows: [Row] = [
        // Nobody is trusted: the header is a stranger's word.
        Row(hops: 0, peer: "192.0.2.9", forwarded: nil, address: "192.0.2.9"),
        Row(hops: 0, peer: "192.0.2.9", forwarded: "1.1.1.1", address: "192.0.2.9"),
        Row(hops: 0, peer: "192.0.2.9", forwarded: "1.1.1.1, 192.0.2.9", address: "192.0.2.9"),
        Row(hops: 0, peer: nil, forwarded: "1.1.1.1", address: nil),
        // One proxy of ours, which the gateway sees as its peer and appends.
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "198.51.100.7, 10.0.0.1", address: "198.51.100.7"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "198.51.100.7", address: "198.51.100.7"),
        // What the client wrote itself stands to the left and is not reached.
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "6.6.6.6, 198.51.100.7, 10.0.0.1",
            address: "198.51.100.7"),
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "6.6.6.6,7.7.7.7,,198.51.100.7,10.0.0.1",
            address: "198.51.100.7"),
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "10.0.0.1, 198.51.100.7", address: "198.51.100.7"),
        Row(
            hops: 2, peer: "10.0.0.1", forwarded: "6.6.6.6, 198.51.100.7, 10.0.0.2, 10.0.0.1",
            address: "198.51.100.7"),
        // Fewer entries than hops: somebody reached us past our proxies.
        Row(hops: 3, peer: "10.0.0.1", forwarded: "6.6.6.6", address: "10.0.0.1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "", address: "10.0.0.1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: nil, address: "10.0.0.1"),
        // What is no address is not believed, though a hop of ours wrote it.
        Row(hops: 1, peer: "10.0.0.1", forwarded: "unknown, 10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "_hidden, 10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "<script>, 10.0.0.1", address: "10.0.0.1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "badcafe, 10.0.0.1", address: "10.0.0.1"),
        Row(
            hops: 1, peer: "10.0.0.1",
            forwarded: String(repeating: "1", count: 5000) + ".1, 10.0.0.1", address: "10.0.0.1"),
        // A port would make every connection another caller.
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "198.51.100.7:51234, 10.0.0.1",
            address: "198.51.100.7"),
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "[2001:db8::1]:443, 10.0.0.1",
            address: "2001:db8::1"),
        Row(
            hops: 1, peer: "10.0.0.1", forwarded: "[2001:db8::1], 10.0.0.1", address: "2001:db8::1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "2001:db8::1, 10.0.0.1", address: "2001:db8::1"),
        Row(hops: 1, peer: "10.0.0.1", forwarded: "[2001:db8::1, 10.0.0.1", address: "10.0.0.1"),
        // A watchdog knows no peer: its nearest proxy's word is the last entry.
        Row(hops: 1, peer: nil, forwarded: "6.6.6.6, 198.51.100.7", address: "198.51.100.7"),
        Row(hops: 2, peer: nil, forwarded: "198.51.100.7", address: nil),
    ]

    @Test(arguments: rows) func `a forwarding header is believed as far as our own proxies`(
        row: Row
    ) {
        let headers = row.forwarded.map { [HTTPHeader("x-forwarded-for", $0)] } ?? []
        let request = Request(headers: headers, sourceAddress: row.peer, requestID: "1")
        #expect(ClientAddress(trustedHops: row.hops).of(request) == row.address)
    }

    @Test func `other forwarding headers are nobody's word`() {
        for name in ["forwarded", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip"]
        {
            let request = Request(
                headers: [HTTPHeader(name, "6.6.6.6")], sourceAddress: "10.0.0.1", requestID: "1")
            #expect(ClientAddress(trustedHops: 1).of(request) == "10.0.0.1")
        }
    }
}
