internal import JSON
internal import Time

/// The claims of RFC 7519 section 4.1, each of the one kind it may have. A claim that is there
/// must be well-formed, whether anybody asks for it or not.
struct RegisteredClaims {
    let object: JSONObject
    let issuer: String?
    let subject: String?
    /// nil without the claim.
    let audiences: [String]?
    let expiresAt: Instant?
    let notBefore: Instant?
    let issuedAt: Instant?

    private static let limits = JSONLimits(bytesMax: 16 << 10, depthMax: 16, membersMax: 256)
    private static let audiencesMax = 64

    init(parsing payload: [UInt8]) throws(TokenFailure) {
        guard let object = (try? JSON.parse(payload, limits: Self.limits))?.objectValue else {
            throw .malformedClaims
        }
        self.object = object
        issuer = try Self.text(object["iss"])
        subject = try Self.text(object["sub"])
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

/// A time in a claim (RFC 7519 section 2), by our policy: whole seconds from 1970 to the end of
/// the year 9999, written as an integer or with a fraction of zeros.
///
/// RFC 7519 allows fractions and exponents. No issuer that we know writes them, and a reader that
/// rounds, or lets `1e99` become "never", is a known defect (libjwt#283).
enum NumericDate {
    private static let range: ClosedRange<Int64> = 0...253_402_300_799

    static func seconds(_ number: JSONNumber) -> Int64? {
        let halves = number.text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
        guard let whole = halves.first, let seconds = Int64(Substring(whole)),
            range.contains(seconds)
        else { return nil }
        guard halves.dropFirst().allSatisfy({ $0.allSatisfy { $0 == UInt8(ascii: "0") } }) else {
            return nil
        }
        return seconds
    }
}
