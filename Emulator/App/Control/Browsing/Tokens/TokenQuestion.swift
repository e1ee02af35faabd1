internal import Bytes
internal import EmulatorBase
internal import JSON

/// The body of `POST /_emulator/tokens/explain`: a token and the expected values.
struct TokenQuestion: Sendable {
    /// The maximum size of a token, the same as in Latchkey's functions.
    static let tokenBytesMax = 16 << 10
    private static let limits = JSONLimits(bytesMax: 128 << 10, depthMax: 4, membersMax: 8)
    private static let members = ["token", "audience", "issuer", "nonce"]

    let token: String
    /// The expected audiences; empty to use the known audiences.
    let audiences: [String]
    /// An issuer, or the name of an emulated provider.
    let issuer: String?
    let nonce: String?

    init(_ body: [UInt8]) throws(BrowsingFailure) {
        guard body.count <= Self.limits.bytesMax else {
            throw BrowsingFailure(413, "Request too large: at most \(Self.limits.bytesMax) bytes.")
        }
        guard let object = (try? JSON.parse(body, limits: Self.limits))?.objectValue,
            object.members.allSatisfy({ Self.members.containsText($0.name) }),
            let token = object["token"]?.stringValue
        else {
            throw BrowsingFailure(
                400,
                #"Invalid body: expected {"token": "…"}, "#
                    + "optionally with audience, issuer and nonce.")
        }
        self.token = token.trimmed
        switch object["audience"] {
        case nil: audiences = []
        case .string(let one): audiences = [one]
        case .array(let many) where many.allSatisfy({ $0.stringValue != nil }):
            audiences = many.compactMap(\.stringValue)
        default: throw BrowsingFailure(400, "Invalid audience: expected a text, or a list of them.")
        }
        issuer = try Self.text("issuer", object)
        nonce = try Self.text("nonce", object)
    }

    private static func text(
        _ name: String, _ object: JSONObject
    ) throws(BrowsingFailure) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else {
            throw BrowsingFailure(400, "Invalid \(name): expected a text.")
        }
        return text
    }
}
