internal import Bytes
internal import JSON

/// A fixture with the placeholder names of its session, before it gets shorter names.
struct FixtureDraft {
    let event: JSON
    /// The names of the values in its event.
    let consumed: Set<String>
    /// The indexes of the entries that it needs as steps.
    let before: [Int]
    /// All names that the event and the steps refer to.
    let names: Set<String>
    let contract: String?

    struct Parts {
        var event: JSON
        var response: JSON
        var given: JSON?
        /// The texts that it has instead of marks.
        var shown = ShownAliases()
    }

    func fixture(response: JSON, _ state: RecorderState) -> Parts {
        // Unused values are not allowed in `given`.
        var used = consumed.union(Placeholder.names(in: response))
        for index in before { used.formUnion(state.entries[index].consumed) }
        used.formUnion(state.nonces(of: used))
        let values = state.values.filter { used.contains($0.name) && names.contains($0.name) }
        let parts = Parts(
            event: event, response: response, given: given(values, state, response))
        return shortened(renamed(parts, values, state))
    }

    private func shortened(_ parts: Parts) -> Parts {
        var parts = parts
        parts.event = ShortEvent.abbreviated(parts.event) ?? parts.event
        if var given = parts.given?.objectValue, let steps = given["steps"]?.arrayValue {
            given["steps"] = .array(steps.map(Self.shortened(step:)))
            parts.given = .object(given)
        }
        return parts
    }

    static func step(_ entry: SessionEntry, _ shown: ShownAliases) -> JSON {
        let event = EventRewriting.map(entry.event, shown.applied)
        return shortened(step: ["function": .string(entry.function), "event": event])
    }

    /// Replaces the step's event by the members of its short form.
    private static func shortened(step: JSON) -> JSON {
        guard let members = step.objectValue?.members,
            let short = step["event"].flatMap({ ShortEvent.abbreviated($0) })?.objectValue
        else { return step }
        let flat = members.flatMap { member in
            member.name.isSame(as: "event") ? short.members : [member]
        }
        return .object(JSONObject(flat.map { ($0.name, $0.value) }))
    }

    private func given(_ values: [KnownValue], _ state: RecorderState, _ response: JSON) -> JSON? {
        var given = JSONObject()
        given["contract"] = contract.map { .string($0) }
        var tokens = JSONObject()
        var made = JSONObject()
        for value in values {
            switch value.origin {
            case .idToken(let recipe): tokens[value.name] = recipe
            case .made(let text): made[value.name] = .string(text)
            case .answer: break
            }
        }
        if !tokens.isEmpty { given["idTokens"] = .object(tokens) }
        if !made.isEmpty { given["values"] = .object(made) }
        if !before.isEmpty { given["steps"] = .array(before.map { step($0, values, state) }) }
        let isGranted = before.contains { state.entries[$0].givesCredentials }
        if isGranted || AnswerSecrets.givesCredentials(response) {
            given["sts"] = ["answer": "granted"]
            // During recording all services had the same endpoint, and responses may contain it.
            given["environment"] = ["AWS_ENDPOINT_URL": "<sts>"]
        }
        return given.isEmpty ? nil : .object(given)
    }

    private func step(_ index: Int, _ values: [KnownValue], _ state: RecorderState) -> JSON {
        let entry = state.entries[index]
        var step: JSONObject = ["function": .string(entry.function), "event": entry.event]
        var saved = JSONObject()
        for value in values {
            if case .answer(index, let path) = value.origin { saved[value.name] = .string(path) }
        }
        if !saved.isEmpty { step["save"] = .object(saved) }
        if !(200..<300).contains(entry.status) { step["status"] = .number(entry.status) }
        return .object(step)
    }

    /// Gives placeholders readable names: `refreshToken` for the first of its kind.
    private func renamed(
        _ parts: Parts, _ values: [KnownValue], _ state: RecorderState
    ) -> Parts {
        // The names are in the order of first use, so that equal events get equal names.
        let order = FirstUse(parts)
        var names: [(old: String, new: String)] = []
        for value in values.sorted(by: { order.isEarlier($0.name, $1.name) }) {
            var name = value.stem
            var number = 1
            while names.contains(where: { $0.new.isSame(as: name) })
                || PlaceholderShapes.builtIn.contains(name)
                || name.isSame(as: "idp") || name.isSame(as: "sts")
            {
                number += 1
                name = "\(value.stem)\(number)"
            }
            names.append((value.name, name))
        }
        var shown = ShownAliases()
        shown.add(order.marks, of: state)
        var substitutions = Substitutions()
        for (old, new) in names { substitutions.add("<\(old)>", mark: "<\(new)>") }
        func rename(_ json: JSON) -> JSON {
            Self.renamed(json) { text in
                shown.applied(to: substitutions.apply(to: text).text)
            } member: { member in
                names.first { $0.old.isSame(as: member) }?.new ?? member
            }
        }
        return Parts(
            event: rename(parts.event), response: rename(parts.response),
            given: parts.given.map(rename), shown: shown)
    }

    private static func renamed(
        _ json: JSON, _ change: (String) -> String, member: (String) -> String
    ) -> JSON {
        switch json {
        case .object(let object):
            let renamed = JSONObject(
                object.members.map {
                    (member($0.name), self.renamed($0.value, change, member: member))
                })
            // Texts are renamed in a base64 body too.
            let isBase64 = object["isBase64Encoded"] == true
            return isBase64 ? EventRewriting.map(.object(renamed), change) : .object(renamed)
        case .array(let elements):
            return .array(elements.map { self.renamed($0, change, member: member) })
        case .string(let text): return .string(change(text))
        case .null, .bool, .number: return json
        }
    }
}

/// The order in which placeholders and marks first occur in a fixture.
private struct FirstUse {
    private var placeholders: [String: Int] = [:]
    private(set) var marks: [Int] = []

    init(_ parts: FixtureDraft.Parts) {
        for json in [parts.event, parts.response, parts.given ?? .null] { look(json) }
    }

    func isEarlier(_ left: String, _ right: String) -> Bool {
        (placeholders[left] ?? .max, left) < (placeholders[right] ?? .max, right)
    }

    private mutating func look(_ json: JSON) {
        switch json {
        case .string(let text):
            for case .placeholder(let name) in Placeholder.pieces(of: text)
            where placeholders[name] == nil {
                placeholders[name] = placeholders.count
            }
            for number in Alias.numbers(in: text) where !marks.contains(number) {
                marks.append(number)
            }
        case .array(let elements): for element in elements { look(element) }
        case .object(let object):
            // Placeholders in a base64 body also occur in the recipes or steps.
            for member in object.members { look(member.value) }
        case .null, .bool, .number: break
        }
    }
}
