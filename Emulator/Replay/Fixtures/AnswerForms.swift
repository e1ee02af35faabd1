internal import Bytes
internal import EmulatorBase
package import JSON

/// The common parts of a contract's answers: `<contract>.answers.json` in a folder of events. With
/// this file, a fixture's member `answer` contains only what differs (Events/README.md, "Answers").
package struct AnswerForms: Sendable {
    /// The usual headers by the name of their type.
    private var types: [(name: String, headers: JSONObject)] = []
    /// The body of an error, with `<code>`, `<message>` and `<field>`.
    private var errorBody: JSON = .null
    /// The errors by `STATUS CODE`, or by `STATUS CODE WORD` where a code has several.
    private var errors: [(name: String, form: ErrorForm)] = []

    private struct ErrorForm {
        var message: String?
        var field: String?
        var headers = JSONObject()
        /// The body that replaces the usual one.
        var body: JSON?
    }

    package static let none = AnswerForms()

    private init() {}

    package init(_ json: JSON, at place: String) throws(FixtureFailure) {
        let reader = try MemberReader(json, at: place, only: ["types", "error", "errors"])
        if let json = reader["types"] {
            for (name, value) in try MemberReader(json, at: "\(place).types").members {
                types.append((name, try Self.object(value, "\(place).types.\(name)")))
            }
        }
        errorBody = reader["error"] ?? .null
        guard let json = reader["errors"] else { return }
        for (name, value) in try MemberReader(json, at: "\(place).errors").members {
            let here = "\(place).errors.\(name)"
            _ = try ErrorName(name, at: here)
            errors.append((name, try Self.form(value, here)))
        }
    }

    private static func form(_ json: JSON, _ place: String) throws(FixtureFailure) -> ErrorForm {
        if let message = json.stringValue { return ErrorForm(message: message) }
        let reader = try MemberReader(
            json, at: place, only: ["message", "field", "headers", "body"])
        var form = ErrorForm(body: reader["body"])
        if let json = reader["message"] {
            form.message = try MemberReader.text(json, "\(place).message")
        }
        if let json = reader["field"] {
            form.field = try MemberReader.text(json, "\(place).field")
        }
        if let json = reader["headers"] {
            form.headers = try object(json, "\(place).headers")
        }
        return form
    }

    private static func object(_ json: JSON, _ place: String) throws(FixtureFailure) -> JSONObject {
        guard let object = json.objectValue else {
            throw FixtureFailure("\(place) is not an object")
        }
        return object
    }
}

/// `401`, `401 UNAUTHORIZED` or `400 INVALID_REQUEST email`
private struct ErrorName {
    let status: Int64
    let code: String?
    let word: String?

    init(_ text: String, at place: String) throws(FixtureFailure) {
        let words = text.pieces(at: " ")
        guard (1...3).contains(words.count), let status = Int64(words[0]),
            (100...599).contains(status), words.allSatisfy({ !$0.isEmpty })
        else {
            throw FixtureFailure(
                "\(place): expected 'STATUS CODE FIELD: MESSAGE', the last three of them optional, "
                    + "found '\(text)'")
        }
        self.status = status
        code = words.count > 1 ? words[1] : nil
        word = words.count == 3 ? words[2] : nil
    }

    var withoutWord: String { AnswerForms.name(status, code) }
}

// Expands the short form to the whole answer.
extension AnswerForms {
    fileprivate static func name(_ status: Int64, _ code: String?) -> String {
        code.map { "\(status) \($0)" } ?? "\(status)"
    }

    static let memberNames = [
        "status", "error", "type", "headers", "cookies", "body", "isBase64Encoded",
    ]

    /// The complete response of a short answer, as a separate file would contain it.
    package func expanded(_ answer: JSON) throws(FixtureFailure) -> JSON {
        if answer.stringValue != nil { return try expanded(["error": answer]) }
        let reader = try MemberReader(answer, at: "answer", only: Self.memberNames)
        var whole: Whole
        if let json = reader["error"] {
            guard reader["status"] == nil, reader["body"] == nil else {
                throw FixtureFailure("answer.error says status and body")
            }
            whole = try error(try MemberReader.text(json, "answer.error"))
        } else {
            guard let status = reader["status"]?.int64Value else {
                throw FixtureFailure("answer.status is not a whole number")
            }
            whole = Whole(status: status, headers: JSONObject(), body: reader["body"])
            whole.headers = try headers(of: try type(reader["type"], whole.body))
        }
        if let json = reader["headers"] {
            for (name, value) in try MemberReader(json, at: "answer.headers").members {
                whole.headers[name] = value.isNull ? nil : value
            }
        }
        whole.cookies = reader["cookies"]
        // If a contract has no types, its answers may omit the members that they do not need.
        let isBase64 = reader["isBase64Encoded"] ?? (types.isEmpty ? .null : false)
        whole.isBase64 = isBase64.isNull ? nil : isBase64
        whole.hasHeaders = !types.isEmpty || reader["headers"] != nil
        return whole.json
    }

    private struct Whole {
        let status: Int64
        var headers: JSONObject
        var cookies: JSON?
        var body: JSON?
        var isBase64: JSON?
        var hasHeaders = true

        var json: JSON {
            var object: JSONObject = ["statusCode": .number(status)]
            if hasHeaders { object["headers"] = .object(headers) }
            object["cookies"] = cookies
            object["body"] = body
            object["isBase64Encoded"] = isBase64
            return .object(object)
        }
    }

    /// The content type: a name; if there is none, it is `empty` or `json`.
    private func type(_ json: JSON?, _ body: JSON?) throws(FixtureFailure) -> String {
        guard let json else { return Self.usualType(body) }
        let name = try MemberReader.text(json, "answer.type")
        guard types.contains(where: { $0.name.isSame(as: name) }) else {
            let known = types.map(\.name).joined(separator: ", ")
            throw FixtureFailure(
                "answer.type: '\(name)' is not in the contract's answers"
                    + (known.isEmpty ? "" : ", which have \(known)"))
        }
        return name
    }

    private static func usualType(_ body: JSON?) -> String {
        body == nil || body == "" ? "empty" : "json"
    }

    private func headers(of type: String) throws(FixtureFailure) -> JSONObject {
        types.first { $0.name.isSame(as: type) }?.headers ?? JSONObject()
    }

    /// `401 INVALID_CREDENTIALS`, `400 INVALID_REQUEST email: email is required.`
    private func error(_ text: String) throws(FixtureFailure) -> Whole {
        let (head, message) = Self.halves(text)
        let name = try ErrorName(head, at: "answer")
        let own = form(head)
        let form = own ?? form(name.withoutWord) ?? ErrorForm()
        let pattern = form.body ?? errorBody
        let usedMessage = message ?? form.message
        guard usedMessage != nil || !ErrorHoles.hasMessage(pattern) else {
            throw FixtureFailure(
                "answer: '\(text)' has no message: write '\(head): MESSAGE', or add it to the "
                    + "contract's answers")
        }
        // An error with its own message has another field, or none.
        let usualField = message == nil ? form.field : nil
        let holes = ErrorHoles(
            code: name.code, message: usedMessage,
            field: own == nil ? name.word ?? usualField : usualField)
        guard let body = holes.filled(pattern), !body.isNull else {
            throw FixtureFailure(
                "answer: the contract's answers have no 'error', which this answer needs")
        }
        var headers = try headers(of: Self.usualType(body))
        for (name, value) in form.headers.members { headers[name] = value }
        return Whole(status: name.status, headers: headers, body: body)
    }

    private func form(_ name: String) -> ErrorForm? {
        errors.first { $0.name.isSame(as: name) }?.form
    }

    private static func halves(_ text: String) -> (head: String, message: String?) {
        let (head, rest) = text.halves(at: ":")
        guard let rest, rest.has(prefix: " ") else { return (text, nil) }
        return (head, rest.dropping(prefix: " "))
    }
}

/// The values of `<code>`, `<message>` and `<field>` in the body of an error.
private struct ErrorHoles {
    var code: String?
    var message: String?
    var field: String?

    static func hasMessage(_ body: JSON) -> Bool {
        switch body {
        case .string("<message>"): true
        case .object(let object): object.members.contains { hasMessage($0.value) }
        case .array(let elements): elements.contains(where: hasMessage)
        case .null, .bool, .number, .string: false
        }
    }

    private func value(_ hole: String) -> String?? {
        switch hole {
        case "<code>": .some(code)
        case "<message>": .some(message)
        case "<field>": .some(field)
        default: nil
        }
    }

    /// The body without members whose placeholder has no value.
    func filled(_ body: JSON) -> JSON? {
        switch body {
        case .string(let text):
            guard let value = value(text) else { return body }
            return value.map { .string($0) }
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.compactMap { name, value in filled(value).map { (name, $0) } }))
        case .array(let elements): return .array(elements.compactMap(filled))
        case .null, .bool, .number: return body
        }
    }

    /// Reads the values at the places of the body's placeholders. The rest is not compared.
    mutating func read(_ body: JSON, _ found: JSON?) {
        switch body {
        case .string("<code>"): code = found?.stringValue
        case .string("<message>"): message = found?.stringValue
        case .string("<field>"): field = found?.stringValue
        case .object(let object):
            for (name, value) in object.members { read(value, found?[name]) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let list = found?.arrayValue ?? []
                read(element, list.indices.contains(index) ? list[index] : nil)
            }
        case .null, .bool, .number, .string: break
        }
    }
}

// Abbreviates the whole answer to the short form.
extension AnswerForms {
    /// The shortest form of an answer to a request; nil for any other answer.
    package func abbreviated(_ whole: JSON) -> JSON? {
        guard let object = whole.objectValue, object["statusCode"]?.int64Value != nil else {
            return nil
        }
        let forms =
            shortForms(object) + types.map { long(object, type: $0.name) }
            + [long(object, type: nil)]
        return forms.filter { (try? expanded($0)) == whole }
            .min { $0.text.utf8.count < $1.text.utf8.count }
    }

    private func long(_ object: JSONObject, type: String?) -> JSON {
        var answer = JSONObject()
        answer["status"] = object["statusCode"]
        answer["type"] = type.map { .string($0) }
        return completed(answer, object)
    }

    private func shortForms(_ object: JSONObject) -> [JSON] {
        let status = object["statusCode"]?.int64Value ?? 0
        guard status >= 400, let body = object["body"] else { return [] }
        let known = errors.filter { $0.name.halves(at: " ").first.isSame(as: "\(status)") }
        return (known.map { ($0.name, $0.form) } + [(nil, ErrorForm())]).compactMap { name, form in
            var holes = ErrorHoles()
            holes.read(form.body ?? errorBody, body)
            var text = name ?? Self.name(status, holes.code)
            let isUsual = holes.message == form.message && holes.field == form.field
            if !isUsual, let field = holes.field { text += " \(field)" }
            if !isUsual, let message = holes.message { text += ": \(message)" }
            return completed(["error": .string(text)], object)
        }
    }

    /// The answer with only the unusual headers and cookies; a text if that is enough.
    private func completed(_ answer: JSONObject, _ object: JSONObject) -> JSON {
        var answer = answer
        if answer["error"] == nil { answer["body"] = object["body"] }
        let whole = try? expanded(.object(answer))
        let usual = whole?["headers"]?.objectValue ?? JSONObject()
        let headers = object["headers"]?.objectValue ?? JSONObject()
        let removed = usual.members.filter { headers[$0.name] == nil }
        let changed = headers.members.filter { usual[$0.name] != $0.value }
        let own = removed.map { ($0.name, JSON.null) } + changed.map { ($0.name, $0.value) }
        if !own.isEmpty { answer["headers"] = .object(JSONObject(own)) }
        answer["cookies"] = object["cookies"]
        if object["isBase64Encoded"] != whole?["isBase64Encoded"] {
            answer["isBase64Encoded"] = object["isBase64Encoded"] ?? .null
        }
        if answer.count == 1, let text = answer["error"] { return text }
        // The body comes last.
        if let body = answer["body"] {
            answer["body"] = nil
            answer["body"] = body
        }
        return .object(answer)
    }
}
