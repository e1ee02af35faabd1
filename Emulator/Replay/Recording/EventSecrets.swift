internal import Bytes
internal import JSON
internal import Time

/// Finds the secrets of an event and gives them names.
struct EventSecrets {
    let shapes: PlaceholderShapes
    let now: Instant
    /// The status of the response to the event.
    let status: Int64

    private static let headers = [
        "authorization", "proxy-authorization", "cookie", "x-api-key", "x-amz-security-token",
    ]
    private static let members = [
        "password", "secret", "clientsecret", "client_secret", "authorizationcode", "code",
        "codeverifier", "code_verifier", "refreshtoken", "refresh_token", "accesstoken",
        "access_token", "privatekey", "apikey", "api_key", "secretaccesskey", "sessiontoken",
    ]

    /// Why a value can neither be written nor created again; nil if the event has no such value.
    func note(_ live: LiveEvent, _ state: inout RecorderState) -> String? {
        if live.isBinary { return "its body is not text" }
        if let content = live.content {
            if let problem = note(content, "", &state) { return problem }
        } else if let body = live.body, body.contains("=") {
            return "its body is a form, which may contain a secret"
        }
        for (name, value) in Self.headers(of: live.json) {
            // An unknown value was not issued in this session.
            let isKnown = !state.concealed(value).names.isEmpty
            guard Self.headers.contains(where: { $0.isSame(as: name) }), !isKnown else { continue }
            return "its header \(name) has a value that was not issued in this session"
        }
        return envelope(live.json, &state)
    }

    private static func headers(of event: JSON) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for part in ["headers", "multiValueHeaders"] {
            for (name, value) in event[part]?.objectValue?.members ?? [] {
                for text in (value.arrayValue ?? [value]).compactMap(\.stringValue) {
                    headers.append((name.lowercased(), text))
                }
            }
        }
        for text in (event["cookies"]?.arrayValue ?? []).compactMap(\.stringValue) {
            headers.append(("cookie", text))
        }
        if let token = event["authorizationToken"]?.stringValue {
            headers.append(("authorization", token))
        }
        return headers
    }

    /// Addresses and tokens outside the body: in the path and the query.
    private func envelope(_ event: JSON, _ state: inout RecorderState) -> String? {
        guard var object = event.objectValue, object["requestContext"] != nil else { return nil }
        object["body"] = nil
        var problem: String?
        _ = EventRewriting.map(.object(object)) { text in
            for word in Self.words(text) {
                if Self.isAddress(word) { state.alias(.address, word) }
                if TokenParts(word) != nil, state.concealed(word).names.isEmpty {
                    problem = "it contains a token that was not issued in this session"
                }
            }
            if text.contains("%40") { problem = "its query may contain an address" }
            return text
        }
        return problem
    }

    private func note(_ json: JSON, _ member: String, _ state: inout RecorderState) -> String? {
        switch json {
        case .object(let object):
            // Nonces first, because a token beside a nonce may contain it.
            let nonceFirst = object.members.sorted { left, right in
                left.name.isSame(as: "nonce") && !right.name.isSame(as: "nonce")
            }
            for (name, value) in nonceFirst {
                if let problem = note(value, name, &state) { return problem }
            }
        case .array(let elements):
            for element in elements {
                if let problem = note(element, member, &state) { return problem }
            }
        case .string(let text): return note(text, member, &state)
        case .null, .bool, .number: break
        }
        return nil
    }

    private func note(_ text: String, _ member: String, _ state: inout RecorderState) -> String? {
        guard !text.isEmpty, !state.values.contains(where: { $0.text.isSame(as: text) }) else {
            return nil
        }
        if let token = TokenParts(text) { return note(token, text, member, &state) }
        for word in Self.words(text) where Self.isAddress(word) { state.alias(.address, word) }
        let lower = member.lowercased()
        if lower.isSame(as: "nonce") {
            state.add(text, from: .made("recorded-nonce-\(state.values.count)"), called: "nonce")
            return nil
        }
        let isSecret = Self.members.contains { $0.isSame(as: lower) }
        let isToken = shapes.custom.contains { shapes.fits(text, $0.name) }
        guard isSecret || isToken else { return nil }
        return "\(member) has a value that was not issued in this session"
    }

    private func note(
        _ token: TokenParts, _ text: String, _ member: String, _ state: inout RecorderState
    ) -> String? {
        guard TokenRecording.isIDToken(token) else {
            return "\(member) is a token that was not issued in this session"
        }
        // A token that was accepted was valid then, even if it has expired since.
        let isAccepted = (200..<300).contains(status)
        let isExpired = !isAccepted && TokenRecording.isExpired(token, at: now)
        guard isExpired || isAccepted else {
            return "\(member) was refused, and its claims do not say why"
        }
        var recipe = TokenRecording.recipe(token, &state)
        if isExpired, var object = recipe.objectValue {
            object["fault"] = "expired"
            recipe = .object(object)
        }
        state.add(text, from: .idToken(recipe: recipe), called: Self.placeholderName(member))
        return nil
    }

    /// The parts of a text that could be an address or a token.
    static func words(_ text: String) -> [String] {
        text.utf8.split { byte in
            !(byte >= 0x80 || byte.isLetterOrDigit
                || [0x2D, 0x2E, 0x5F, 0x40, 0x2B, 0x7E].contains(byte))
        }.map { String(Substring($0)) }
    }

    static func isAddress(_ word: String) -> Bool {
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
    }

    /// A name for a placeholder: letters and digits, beginning with a letter, and not the name of a
    /// shape.
    static func placeholderName(_ text: String) -> String {
        let name = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard name.first?.isLetter == true else { return "value\(name)" }
        return name
    }
}
