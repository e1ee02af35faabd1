internal import JSON
internal import Time

/// The time claims, checked against the system clock, which functions also use.
struct TimeChecks {
    let claims: JSONObject
    let now: Instant
    /// The longest age of a token; nil if only `exp` limits it.
    let ageMax: Span?

    /// The tolerance for an issuer's clock that is ahead. It is the same as in Latchkey's
    /// functions. There is no tolerance for the expiry.
    private static let leeway = Span.seconds(60)
    private static let lastSecond: Int64 = 253_402_300_799

    var all: [TokenCheck] { [expiry, start, issue, authentication] }

    private var expiry: TokenCheck {
        let expected = "later than \(now.seconds)"
        guard let value = claims["exp"] else {
            return TokenCheck(.exp, .failed, expected: expected, "The token would never expire.")
        }
        guard let end = Self.instant(value) else {
            return TokenCheck(.exp, .failed, value: value, expected: expected, Self.noNumber)
        }
        guard now < end else {
            return TokenCheck(
                .exp, .failed, value: value, expected: expected,
                "The token expired \(Self.words(now - end)) ago, at \(end.iso8601Seconds).")
        }
        return TokenCheck(
            .exp, .passed, value: value, expected: expected,
            "The token is valid for another \(Self.words(end - now)).")
    }

    private var start: TokenCheck { notAhead(.nbf, "becomes valid", "is valid since") }

    private var authentication: TokenCheck {
        notAhead(.authTime, "claims a sign-in", "is from a sign-in at")
    }

    private func notAhead(
        _ name: TokenCheck.Name, _ later: String, _ since: String
    ) -> TokenCheck {
        let expected = "not later than \((now + Self.leeway).seconds)"
        guard let value = claims[name.rawValue] else {
            return TokenCheck(name, .skipped, "Optional, and not in the token.")
        }
        guard let time = Self.instant(value) else {
            return TokenCheck(name, .failed, value: value, expected: expected, Self.noNumber)
        }
        guard time <= now + Self.leeway else {
            return TokenCheck(
                name, .failed, value: value, expected: expected,
                "The token \(later) in \(Self.words(time - now)).")
        }
        return TokenCheck(
            name, .passed, value: value, expected: expected,
            "The token \(since) \(time.iso8601Seconds).")
    }

    private var issue: TokenCheck {
        guard let value = claims["iat"] else {
            return TokenCheck(
                .iat, ageMax == nil ? .skipped : .failed, expected: "a time",
                "The token does not say when it was issued.")
        }
        let earliest = ageMax.map { (now - $0).seconds }
        let expected =
            "not later than \((now + Self.leeway).seconds)"
            + (earliest.map { ", later than \($0)" } ?? "")
        guard let time = Self.instant(value) else {
            return TokenCheck(.iat, .failed, value: value, expected: expected, Self.noNumber)
        }
        guard time <= now + Self.leeway else {
            return TokenCheck(
                .iat, .failed, value: value, expected: expected,
                "The token's issue time is \(Self.words(time - now)) in the future.")
        }
        if let ageMax, now >= time + ageMax {
            return TokenCheck(
                .iat, .failed, value: value, expected: expected,
                "The token is older than the lifetime of this provider's tokens.")
        }
        let advice =
            ageMax != nil && now >= time + .minutes(10)
            ? " Latchkey's functions accept it for ten minutes." : ""
        return TokenCheck(
            .iat, .passed, value: value, expected: expected,
            "The token was issued \(Self.words(max(.zero, now - time))) ago.\(advice)")
    }

    private static let noNumber =
        "A time is a number: seconds since 1970 (RFC 7519 section 2)."

    /// The time in whole seconds; nil after the year 9999.
    private static func instant(_ value: JSON) -> Instant? {
        guard let text = value.numberValue?.text, let number = Double(text),
            number >= 0, number <= Double(lastSecond)
        else { return nil }
        return Instant(seconds: Int64(number))
    }

    private static func words(_ span: Span) -> String {
        switch span.seconds {
        case ..<120: "\(span.seconds) seconds"
        case ..<7200: "\(span.seconds / 60) minutes"
        case ..<172_800: "\(span.seconds / 3600) hours"
        default: "\(span.seconds / 86_400) days"
        }
    }
}
