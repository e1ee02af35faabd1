internal import Bytes
internal import HTTP
internal import JOSE
internal import JSON
internal import Time

/// Fetches a provider's keys, using its discovery document if it has one.
struct KeySetFetch {
    let transport: HTTPTransport

    /// - Parameter asked: the URL of the last request.
    func callAsFunction(
        _ provider: ProviderConfiguration, now: Instant, asking asked: inout String
    ) throws(KeyFetchFailure) -> KeySetRecord {
        let url: String
        switch provider.keySource {
        case .keys(let known): url = known
        case .discovery(let document):
            asked = document
            url = try DiscoveryDocument(from: document, of: provider, by: transport)
                .url("jwks_uri")
        case .pinned: throw .noUsableKey
        }
        asked = url
        let response = try DiscoveryDocument.get(url, by: transport)
        let keys = try ProviderKeys.parse(response.body, algorithms: provider.algorithms)
        return KeySetRecord(
            jwks: response.body, keys: keys, fetchedAt: now, freshness: Self.freshness(response))
    }

    /// RFC 9111 sections 4.2 and 5.2.2: the rest of `max-age`; `no-store` and `no-cache` give the
    /// minimum.
    static func freshness(_ response: HTTPResponse) -> Span {
        let directives = (response.header("cache-control") ?? "").utf8
            .map(\.lowercased)
            .split(separator: UInt8(ascii: ","))
            .map { $0.drop(while: \.isBlank) }
        var age: Span?
        for directive in directives {
            if directive.starts(with: "no-store".utf8) || directive.starts(with: "no-cache".utf8) {
                return .zero
            }
            if age == nil, directive.starts(with: "max-age=".utf8) {
                age = seconds(directive.dropFirst(8))
            }
        }
        guard let age else { return KeySetRecord.freshnessMax }
        let spent = seconds(Array((response.header("age") ?? "").utf8)[...]) ?? .zero
        return .milliseconds(age.milliseconds - spent.milliseconds)
    }

    private static func seconds(_ text: ArraySlice<UInt8>) -> Span? {
        let digits = text.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !digits.isEmpty else { return nil }
        let value = digits.prefix(9).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        return .seconds(digits.count > 9 ? 999_999_999 : value)
    }
}
