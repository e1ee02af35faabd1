internal import JSON

/// The contents of a fixture's event file: the event, and for an event in the short form also
/// `given`. In any other event a member `given` is part of the event.
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

    /// nil if it is not JSON.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes, limits: .event) else { return nil }
        self.init(json)
    }

    /// `given` comes first.
    init(event: JSON, given: JSON?) {
        self.event = event
        self.given = given
    }

    /// nil if `given` needs its own file.
    var json: JSON? {
        guard let given else { return event }
        guard ShortEvent.isShort(event), let object = event.objectValue else { return nil }
        return .object(JSONObject([("given", given)] + object.members))
    }
}
