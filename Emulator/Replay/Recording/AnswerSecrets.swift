internal import Bytes
internal import JSON
internal import Time

/// Secrets in responses: remembers them, and replaces them in recorded responses.
struct AnswerSecrets {
    let shapes: PlaceholderShapes

    private static let textBytesMin = 20
    private static let textBytesMax = 8192

    /// Remembers the values that a later event may contain.
    static func remember(_ body: JSON, entry: Int, _ state: inout RecorderState) {
        remember(body, [], entry, &state)
    }

    private static func remember(
        _ json: JSON, _ path: [String], _ entry: Int, _ state: inout RecorderState
    ) {
        switch json {
        case .object(let object):
            for (name, value) in object.members where !name.contains(".") {
                remember(value, path + [name], entry, &state)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                remember(element, path + [String(index)], entry, &state)
            }
        case .string(let text):
            guard !path.isEmpty, isReferable(text) else { return }
            state.add(
                text, from: .answer(entry: entry, path: path.joined(separator: ".")),
                called: EventSecrets.placeholderName(name(of: path)))
        case .null, .bool, .number: break
        }
    }

    private static func isReferable(_ text: String) -> Bool {
        if PlaceholderShape.uuid.fits(text) { return true }
        return (textBytesMin...textBytesMax).contains(text.utf8.count) && !text.contains(" ")
            && !text.hasPrefix("http") && !EventSecrets.isAddress(text)
            && Instant(iso8601: text) == nil
    }

    /// `user.id` is `userId`, `sessions.0.id` is `sessionsId`, `tokens.refresh` is `refresh`.
    private static func name(of path: [String]) -> String {
        let words = path.filter { Int($0) == nil }
        guard let last = words.last else { return "value" }
        guard last.isSame(as: "id"), words.count > 1 else { return last }
        return words[words.count - 2] + "Id"
    }

    /// The response with its variable and secret values replaced by placeholders.
    func pattern(_ answer: JSON, _ state: RecorderState, _ names: Set<String>) -> JSON {
        let known = state.values.filter { names.contains($0.name) }
            .map { (value: $0.text, name: $0.name) }
        let recorded = Expectation.recorded(answer, shapes: shapes, names: known)
        let marked = EventRewriting.map(recorded) { text in
            state.aliases.first { $0.text.isSame(as: text) }?.mark
                ?? state.withStandardUserAgent(text)
        }
        guard let object = marked.objectValue, object["statusCode"] != nil else {
            return hidden(marked, "", Self.givesCredentials(marked))
        }
        return .object(
            JSONObject(
                object.members.map { name, value in
                    let isBody = name.isSame(as: "body")
                    return (name, hidden(value, name, isBody && Self.givesCredentials(value)))
                }))
    }

    /// A secret value without a shape becomes `<text>`.
    private func hidden(_ json: JSON, _ member: String, _ isAll: Bool) -> JSON {
        switch json {
        case .object(let object):
            return .object(
                JSONObject(object.members.map { ($0.name, hidden($0.value, $0.name, isAll)) }))
        case .array(let elements): return .array(elements.map { hidden($0, member, isAll) })
        case .string(let text):
            let lower = member.lowercased()
            // A text of 43 letters may match `nonce` by chance, and the next one may not.
            if text.isSame(as: "<nonce>"), !lower.contains("nonce") { return "<text>" }
            guard !text.isEmpty, Placeholder.names(in: text).isEmpty, !text.contains("\u{2}") else {
                return json
            }
            if Self.looksRandom(text) { return "<text>" }
            let words = ["token", "secret", "password", "nonce", "accesskey", "cookie"]
            let isSecret = words.contains { lower.contains($0) } && !lower.contains("type")
            let hasAddress = EventSecrets.words(text).contains(where: EventSecrets.isAddress)
            return isAll || isSecret || hasAddress ? "<text>" : json
        case .null, .bool, .number: return json
        }
    }

    /// Whether the text looks random: long, with many digits. The next response will have another
    /// value.
    private static func looksRandom(_ text: String) -> Bool {
        text.utf8.count >= textBytesMin && text.utf8.count { $0.isDigit } >= 5
            && text.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F
            }
    }

    /// Whether the response contains AWS credentials.
    static func givesCredentials(_ body: JSON) -> Bool {
        body.text.lowercased().contains("secretaccesskey")
    }
}
