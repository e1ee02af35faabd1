internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import HTTP
internal import IdentityProviders

/// A service with the range API of Have I Been Pwned, version 3. The request contains the first 20
/// bits of a password's SHA-1, and the response the rest of every known hash that begins with them:
/// the service learns neither the password nor whether it is in the list.
struct BreachedPasswordService: Sendable {
    private static let rangeCharacters = 5
    private static let hashCharacters = 40
    /// A range of Have I Been Pwned has about 40 KB. The user waits for the response, so there are
    /// no retries.
    private static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 2000, responseBytesMax: 512 << 10)

    private let url: ProviderURL
    private let transport: HTTPTransport

    init(_ url: ProviderURL, transport: HTTPTransport) {
        self.url = url
        self.transport = transport
    }

    func contains(_ password: String) throws(BreachLookupFailure) -> Bool {
        let hash = Array(Hex.encode(BrokenDigest.sha1(Array(password.utf8))).utf8)
        let range = hash.prefix(Self.rangeCharacters).map(\.uppercased)
        let request = HTTPRequest(
            .get, url.appending("/range/\(String(decoding: range, as: UTF8.self))"),
            headers: [
                // Padding is requested, so that the size of the response does not reveal the range.
                HTTPHeader("Add-Padding", "true"), HTTPHeader("User-Agent", "latchkey"),
            ], limits: Self.limits)
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch {
            throw error == .timedOut
                ? .timedOut : error == .responseTooLarge ? .unreadable : .unavailable
        }
        guard response.status == 200 else { throw .refused }
        return try Self.contains(hash.dropFirst(Self.rangeCharacters), response.body)
    }

    /// Each line has the rest of a hash and its count, which is zero in lines of padding.
    private static func contains(
        _ rest: ArraySlice<UInt8>, _ body: [UInt8]
    ) throws(BreachLookupFailure) -> Bool {
        var isFound = false
        for line in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let parts = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].count == hashCharacters - rangeCharacters,
                parts[0].allSatisfy(\.isHexDigit), (1...18).contains(parts[1].count),
                parts[1].allSatisfy(\.isDigit)
            else { throw .unreadable }
            let isSame = parts[0].elementsEqual(rest) { $0.uppercased == $1.uppercased }
            if isSame, parts[1].contains(where: { $0 != 0x30 }) { isFound = true }
        }
        return isFound
    }
}

/// `BREACHED_PASSWORDS_URL`: the URL without `/range/…`.
enum BreachedPasswordSettings {
    static func read(_ reader: inout SettingsReader) -> ProviderURL? {
        guard let text = reader.text("BREACHED_PASSWORDS_URL") else { return nil }
        guard let url = ProviderURL(text, allowsPlainHTTP: false), !url.hasQuery else {
            reader.refuse(
                "BREACHED_PASSWORDS_URL must be an https URL without a query (http only for this "
                    + "machine)")
            return nil
        }
        return url
    }
}
