internal import Bytes
internal import EmulatorBase
internal import JSON

/// The contents of a fixture's event file: an event in the short form, or the member `event`, with
/// `given` and the expected response as further members; or any other event without them.
struct EventFile {
    private static let eventName = "event"
    /// The names of the further members, `given` first.
    private static let otherNames = ["given", "answer", "response"]

    let event: JSON
    var given: JSON?
    /// The expected response in its short form.
    var answer: JSON?
    /// The complete expected response.
    var response: JSON?

    init(_ json: JSON) {
        let isWrapped = Self.isWrapped(json)
        guard isWrapped || ShortEvent.isShort(json), var object = json.objectValue else {
            event = json
            return
        }
        given = object["given"]
        answer = object["answer"]
        response = object["response"]
        for name in Self.otherNames { object[name] = nil }
        event = isWrapped ? object[Self.eventName] ?? .null : .object(object)
    }

    /// nil if it is not JSON.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes, limits: .event) else { return nil }
        self.init(json)
    }

    init(event: JSON, given: JSON? = nil, answer: JSON? = nil, response: JSON? = nil) {
        self.event = event
        self.given = given
        self.answer = answer
        self.response = response
    }

    /// An object with the member `event` by itself is an event.
    private static func isWrapped(_ json: JSON) -> Bool {
        guard let object = json.objectValue, object[eventName] != nil, object.count > 1 else {
            return false
        }
        return object.members.allSatisfy { name, _ in
            name.isSame(as: eventName) || otherNames.containsText(name)
        }
    }

    var hasOnlyTheEvent: Bool { given == nil && answer == nil && response == nil }

    /// A member that only a fixture has, in an event that would be sent with it: the file lacks
    /// `request` or `event`.
    var strayMember: String? {
        guard hasOnlyTheEvent, !ShortEvent.isShort(event) else { return nil }
        return ["given", "answer"].first { event[$0] != nil }
    }

    /// Replaces the expected response: by its short form if there is one.
    mutating func expect(_ whole: JSON, _ forms: AnswerForms) {
        answer = forms.abbreviated(whole)
        response = answer == nil ? whole : nil
    }

    /// `given` comes first, and the response last.
    var json: JSON {
        if hasOnlyTheEvent { return event }
        var object = JSONObject()
        object["given"] = given
        if ShortEvent.isShort(event) {
            for (name, value) in event.objectValue?.members ?? [] { object[name] = value }
        } else {
            object[Self.eventName] = event
        }
        object["answer"] = answer
        object["response"] = response
        return .object(object)
    }
}
