import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import Glibc
import HTTPClient
import JOSE

/// The providers on a real port, used by a real HTTP client.
@Suite struct IdentityServerTests {
    private final class RunningServer: Sendable {
        let environment = IdentityServiceHarness.HarnessEnvironment()
        let service: IdentityService
        let server: Server
        let client = CurlTransport(trust: CertificateTrust(variable: { _ in nil }))

        init() throws {
            let service = try IdentityService(
                IdentityConfiguration(issuers: [IdentityServiceHarness.acme]), baseURL: "",
                directory: nil,
                ports: environment.ports)
            server = try Server { request, slot in service.handle(request, slot) }
            service.setBaseURL("http://127.0.0.1:\(server.port)")
            self.service = service
        }

        func send(
            _ method: HTTPRequest.Method, _ path: String, body: String = ""
        ) throws -> HTTPResponse {
            try client.send(
                HTTPRequest(
                    method, "http://127.0.0.1:\(server.port)/_idp/acme\(path)",
                    headers: [HTTPHeader("Content-Type", "application/json")],
                    body: Array(body.utf8)))
        }
    }

    @Test func `a client finds the keys by discovery and verifies a token`() throws {
        let served = try RunningServer()
        let document = try JSON.parse(
            served.send(.get, "/.well-known/openid-configuration").body, limits: .keySet)
        let url = try #require(document["jwks_uri"]?.stringValue)
        let set = try served.client.send(HTTPRequest(.get, url))
        let keys = try KeySet(jwks: JSON.parse(set.body, limits: .keySet))
        let minted = try JSON.parse(served.send(.post, "/mint").body, limits: .request)
        let verified = try JWT.verify(
            try #require(minted["idToken"]?.stringValue), keys: keys,
            expecting: TokenExpectations(
                issuers: [document["issuer"]?.stringValue], audiences: ["acme-client"],
                types: [nil], now: noon, leeway: .zero))
        expectEqual(verified.claims["email"], "ada@example.com")
    }

    @Test func `a delayed response is sent`() throws {
        let served = try RunningServer()
        _ = try served.send(.put, "/faults", body: #"{"name":"jwks-slow","count":1}"#)
        let status = Mutex(0)
        let done = Mutex(false)
        DetachedThread.run {
            let answer = try? served.send(.get, "/keys")
            status.withLock { $0 = answer?.status ?? -1 }
            done.withLock { $0 = true }
        }
        while served.environment.waiting == 0, !done.withLock({ $0 }) { usleep(1000) }
        served.environment.advance(.seconds(10))
        while !done.withLock({ $0 }) { usleep(1000) }
        expectEqual(status.withLock { $0 }, 200)
    }
}
