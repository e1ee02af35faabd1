internal import Bytes
internal import EmulatorBase
internal import JSON

/// Reads an object of a hand-written file: unknown members are errors.
struct MemberReader {
    private let object: JSONObject

    init(_ json: JSON, at place: String, only names: [String]? = nil) throws(FixtureFailure) {
        guard let object = json.objectValue else {
            throw FixtureFailure("\(place) is not an object")
        }
        if let names,
            let unknown = object.members.first(where: { member in
                !names.contains { $0.isSame(as: member.name) }
            })
        {
            throw FixtureFailure("\(place).\(unknown.name) is unknown")
        }
        self.object = object
    }

    var members: [(name: String, value: JSON)] { object.members }
    subscript(name: String) -> JSON? { object[name] }

    static func text(_ json: JSON?, _ place: String) throws(FixtureFailure) -> String {
        guard let text = json?.stringValue else {
            throw FixtureFailure("\(place) is not a string")
        }
        return text
    }

    static func texts(_ json: JSON?, _ place: String) throws(FixtureFailure) -> [String] {
        guard let list = json?.arrayValue else {
            throw FixtureFailure("\(place) is not a list of strings")
        }
        var texts: [String] = []
        for element in list { texts.append(try text(element, place)) }
        return texts
    }

    static func file(_ bytes: [UInt8], _ name: String) throws(FixtureFailure) -> JSON {
        do throws(JSONFailure) {
            return try JSON.parse(bytes, limits: .event)
        } catch {
            let place = error.place(in: bytes).map { ":\($0)" } ?? ""
            throw FixtureFailure("\(name)\(place): not valid JSON: \(error.reason)")
        }
    }
}
