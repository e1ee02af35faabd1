import BaseTestSupport
import FunctionRuntime

/// Under which names a server shows pages.
@Suite("Names of pages") struct PageHostTests {
    private let hosts = PageHosts([
        "https://Auth.example.com:8443/base", "http://pages.example.org?x", "myapp://auth",
        "no URL",
    ])

    @Test(arguments: [
        "auth.example.com", "AUTH.example.com.", "auth.example.com:8000", "pages.example.org",
        "localhost", "localhost:8000", "app.localhost", "127.0.0.1:8000", "10.0.0.1", "[::1]:8000",
        "latchkey", "latchkey:8000", "auth.default.svc.cluster.local", "auth.corp.internal",
        "nas.home.arpa", "[fe80::1]", nil,
    ])
    func `the server's own names, addresses, and names that no site can have are accepted`(
        _ host: String?
    ) {
        #expect(hosts.accept(host))
    }

    @Test(arguments: [
        "evil.example", "example.com", "xauth.example.com", "x.auth.example.com",
        "auth.example.com.evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
        "evil.example:8443", "evil.example.", "evil.example..", "notlocal.xlocal",
        "evil.example%2elocal", "", ":8000", "[::1].evil", "[::1].evil:80", "[::1", "[]", "[evil]",
        "[::1]:x.evil", "auth.example.com@evil.example",
    ])
    func `every other name is refused`(_ host: String) {
        #expect(!hosts.accept(host))
    }
}
