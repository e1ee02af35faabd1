internal import Bytes
package import JSON

/// The names of placeholders in responses: the built-in shapes and the project's own.
package struct PlaceholderShapes: Sendable {
    /// A shape that a project describes.
    package enum Custom: Sendable {
        /// A text with placeholders of built-in shapes.
        case pattern(String)
        /// A signed token with this header, these claims and this lifetime.
        case token(header: JSON?, claims: JSON?, lifetimeSeconds: Int64?)
    }

    package let custom: [(name: String, shape: Custom)]

    package static let builtIn = PlaceholderShapes([])

    package init(_ custom: [(name: String, shape: Custom)]) { self.custom = custom }

    /// `{"refreshToken": "lkr_<nonce>", "accessToken": {"jwt": {"header", "claims", …}}}`
    package init(_ json: JSON, at place: String) throws(FixtureFailure) {
        var custom: [(name: String, shape: Custom)] = []
        for (name, value) in try MemberReader(json, at: place).members {
            let here = "\(place).\(name)"
            guard PlaceholderShape(rawValue: name) == nil,
                Placeholder.pieces(of: "<\(name)>") == [.placeholder(name)]
            else {
                throw FixtureFailure(
                    "\(here) is not a valid placeholder name, or is already in use")
            }
            custom.append((name, try Self.shape(value, at: here)))
        }
        self.custom = custom
    }

    private static func shape(_ json: JSON, at place: String) throws(FixtureFailure) -> Custom {
        if let pattern = json.stringValue { return .pattern(pattern) }
        let jwt = try MemberReader(json, at: place, only: ["jwt"])["jwt"] ?? .null
        let reader = try MemberReader(
            jwt, at: "\(place).jwt", only: ["header", "claims", "lifetimeSeconds"])
        return .token(
            header: reader["header"], claims: reader["claims"],
            lifetimeSeconds: reader["lifetimeSeconds"]?.int64Value)
    }

    func contains(_ name: String) -> Bool {
        PlaceholderShape(rawValue: name) != nil || custom.contains { $0.name.isSame(as: name) }
    }

    func isNumeric(_ name: String) -> Bool { PlaceholderShape(rawValue: name)?.isNumeric ?? false }

    package func fits(_ text: String, _ name: String) -> Bool {
        if let shape = PlaceholderShape(rawValue: name) { return shape.fits(text) }
        return custom.contains { $0.name.isSame(as: name) && Self.fits(text, $0.shape) }
    }

    /// The name of the narrowest shape that matches the text.
    func name(for text: String) -> String? {
        let forms: [PlaceholderShape] = [.uuid, .instant, .instantSeconds]
        if let form = forms.first(where: { $0.fits(text) }) { return form.rawValue }
        if let own = custom.first(where: { Self.fits(text, $0.shape) }) { return own.name }
        let secrets: [PlaceholderShape] = [.jwt, .nonce]
        return secrets.first { $0.fits(text) }?.rawValue
    }

    private static func fits(_ text: String, _ shape: Custom) -> Bool {
        switch shape {
        case .pattern(let pattern):
            return Expectation(.string(pattern)).differences(from: .string(text)).isEmpty
        case .token(let header, let claims, let lifetimeSeconds):
            guard let token = TokenParts(text), !token.signature.isEmpty else { return false }
            let isLike = [(header, token.header), (claims, token.claims)].allSatisfy {
                pattern, object in
                pattern.map {
                    Expectation($0).differences(from: .object(object)).isEmpty
                } ?? true
            }
            guard isLike, let lifetimeSeconds else { return isLike }
            guard let iat = token.claims["iat"]?.int64Value,
                let exp = token.claims["exp"]?.int64Value
            else { return false }
            return exp.subtractingReportingOverflow(iat) == (lifetimeSeconds, false)
        }
    }
}

/// A signed token, decoded but not verified.
struct TokenParts {
    let header: JSONObject
    let claims: JSONObject
    let signature: Substring

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, Base64URL.decode(parts[2]) != nil,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1])
        else { return nil }
        self.header = header
        self.claims = claims
        signature = parts[2]
    }

    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = Base64URL.decode(part),
            let json = try? JSON.parse(bytes, limits: .request)
        else { return nil }
        return json.objectValue
    }
}
