internal import JSON

/// The contents of a fixture's event file: the event, and for an event in the short form also
/// `given` and `answer`. In any other event such members are part of the event.
struct EventFile {
    let event: JSON
    var given: JSON?
    /// The expected response in its short form.
    var answer: JSON?

    init(_ json: JSON) {
        guard ShortEvent.isShort(json), var object = json.objectValue else {
            event = json
            return
        }
        given = object["given"]
        answer = object["answer"]
        object["given"] = nil
        object["answer"] = nil
        event = .object(object)
    }

    /// nil if it is not JSON.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes, limits: .event) else { return nil }
        self.init(json)
    }

    init(event: JSON, given: JSON?, answer: JSON? = nil) {
        self.event = event
        self.given = given
        self.answer = answer
    }

    /// `given` comes first and `answer` last. nil if they need separate files.
    var json: JSON? {
        if given == nil, answer == nil { return event }
        guard ShortEvent.isShort(event), let object = event.objectValue else { return nil }
        return .object(
            JSONObject(
                (given.map { [("given", $0)] } ?? []) + object.members
                    + (answer.map { [("answer", $0)] } ?? [])))
    }
}
