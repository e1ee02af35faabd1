internal import JSON
internal import Time

/// The registered claims (RFC 7519 section 4.1). A claim that is present must be well-formed, even
/// if it is not checked.
struct RegisteredClaims {
    let object: JSONObject
    let issuer: String?
    let subject: String?
    /// nil if the claim is absent.
    let audiences: [String]?
    let expiresAt: Instant?
    let notBefore: Instant?
    let issuedAt: Instant?

    private static let limits = JSONLimits(bytesMax: 16 << 10, depthMax: 16, membersMax: 256)
    private static let audiencesMax = 64

    init(
        parsing payload: [UInt8], allowsIntegerSubject: Bool = false
    ) throws(TokenFailure) {
        guard let object = (try? JSON.parse(payload, limits: Self.limits))?.objectValue else {
            throw .malformedClaims
        }
        self.object = object
        issuer = try Self.text(object["iss"])
        let isInteger = object["sub"]?.int64Value != nil
        subject = allowsIntegerSubject && isInteger ? nil : try Self.text(object["sub"])
        audiences = try Self.texts(object["aud"])
        expiresAt = try Self.instant(object["exp"])
        notBefore = try Self.instant(object["nbf"])
        issuedAt = try Self.instant(object["iat"])
    }

    private static func text(_ value: JSON?) throws(TokenFailure) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue else { throw .malformedClaims }
        return text
    }

    /// A string or an array of strings (RFC 7519 section 4.1.3).
    private static func texts(_ value: JSON?) throws(TokenFailure) -> [String]? {
        guard let value else { return nil }
        if let text = value.stringValue { return [text] }
        guard let values = value.arrayValue, values.count <= audiencesMax else {
            throw .malformedClaims
        }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw .malformedClaims }
        return texts
    }

    private static func instant(_ value: JSON?) throws(TokenFailure) -> Instant? {
        guard let value else { return nil }
        guard let seconds = value.numberValue.flatMap(NumericDate.seconds) else {
            throw .malformedClaims
        }
        return Instant(seconds: seconds)
    }
}
