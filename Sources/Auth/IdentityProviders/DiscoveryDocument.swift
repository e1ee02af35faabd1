internal import Bytes
internal import HTTP
internal import JSON

/// A provider's discovery document (OpenID Connect Discovery 1.0 section 3).
struct DiscoveryDocument: Sendable {
    private let members: JSONObject
    private let home: ProviderURL
    private let allowsPlainHTTP: Bool

    private static let limits = HTTPLimits(
        connectMillisecondsMax: 2000, totalMillisecondsMax: 4000,
        responseBytesMax: ProviderKeys.jwksBytesMax)

    /// OpenID Connect Discovery 1.0 section 4.3: the document's issuer must be the requested one,
    /// or one provider could impersonate another.
    init(
        from url: String, of provider: ProviderConfiguration, by transport: HTTPTransport
    ) throws(KeyFetchFailure) {
        let response = try Self.get(url, by: transport)
        guard let json = (try? JSON.parse(response.body, limits: .keySet))?.objectValue else {
            throw .malformedDiscovery
        }
        guard let issuer = json["issuer"]?.stringValue,
            issuer.isSame(as: provider.canonicalIssuer)
        else { throw .issuerMismatch }
        guard let home = ProviderURL(issuer, allowsPlainHTTP: provider.allowsPlainHTTP) else {
            throw .untrustedKeysURL
        }
        members = json
        self.home = home
        allowsPlainHTTP = provider.allowsPlainHTTP
    }

    /// The URL of an endpoint: no downgrade from https, and no remote document may point to this
    /// machine's ports.
    func url(_ name: String) throws(KeyFetchFailure) -> String {
        guard let text = members[name]?.stringValue,
            let url = ProviderURL(text, allowsPlainHTTP: allowsPlainHTTP),
            url.isSecure || !home.isSecure, !url.isLoopback || home.isLoopback
        else { throw .untrustedKeysURL }
        return text
    }

    /// Any status but 200 is a failure; `HTTPTransport` does not follow redirects.
    static func get(
        _ url: String, by transport: HTTPTransport
    ) throws(KeyFetchFailure) -> HTTPResponse {
        let request = HTTPRequest(
            .get, url, headers: [HTTPHeader("Accept", "application/json")], limits: limits)
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch {
            switch error {
            case .timedOut: throw .timedOut
            case .responseTooLarge: throw .responseTooLarge
            case .invalidURL, .connectFailed, .interrupted: throw .unreachable
            }
        }
        guard response.status == 200 else { throw KeyFetchFailure(status: response.status) }
        return response
    }
}
