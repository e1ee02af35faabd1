internal import JSON

/// What the file of a fixture's event holds: the event, and with one in the short form also what is
/// given. In any other event a member `given` would be the sender's.
struct EventFile {
    let event: JSON
    let given: JSON?

    init(_ json: JSON) {
        guard ShortEvent.isShort(json), var object = json.objectValue else {
            event = json
            given = nil
            return
        }
        given = object["given"]
        object["given"] = nil
        event = .object(object)
    }

    /// nil if it is no JSON.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes, limits: .event) else { return nil }
        self.init(json)
    }

    /// What is given comes first: given, when, then.
    init(event: JSON, given: JSON?) {
        self.event = event
        self.given = given
    }

    /// nil if what is given needs a file of its own.
    var json: JSON? {
        guard let given else { return event }
        guard ShortEvent.isShort(event), let object = event.objectValue else { return nil }
        return .object(JSONObject([("given", given)] + object.members))
    }
}
