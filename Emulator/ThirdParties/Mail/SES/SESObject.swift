internal import Bytes
internal import JSON

/// An object of a request with its path, so that errors can name the invalid member.
struct SESObject {
    private let object: JSONObject
    private let path: String

    init(_ object: JSONObject, _ path: String) {
        self.object = object
        self.path = path
    }

    private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The member; nil if absent or null.
    private func value(_ name: String) -> JSON? { object[name].flatMap { $0.isNull ? nil : $0 } }

    func text(_ name: String, bytesMax: Int? = nil) throws(SESFailure) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else {
            throw SESFailure(400, "SerializationException", "\(place(name)) is not a string")
        }
        if let bytesMax, text.utf8.count > bytesMax {
            throw .badRequest("\(place(name)) is longer than \(bytesMax) bytes")
        }
        return text
    }

    func requiredText(_ name: String, bytesMax: Int? = nil) throws(SESFailure) -> String {
        guard let text = try text(name, bytesMax: bytesMax) else {
            throw .badRequest("\(place(name)) is required")
        }
        return text
    }

    func object(_ name: String) throws(SESFailure) -> SESObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else {
            throw SESFailure(400, "SerializationException", "\(place(name)) is not an object")
        }
        return SESObject(object, place(name))
    }

    func texts(_ name: String) throws(SESFailure) -> [String] {
        var texts: [String] = []
        for value in try list(name) {
            guard let text = value.stringValue else {
                throw SESFailure(
                    400, "SerializationException", "\(place(name)) is not a list of strings")
            }
            texts.append(text)
        }
        return texts
    }

    func objects(_ name: String, countMax: Int) throws(SESFailure) -> [SESObject] {
        let list = try list(name)
        guard list.count <= countMax else {
            throw .badRequest("\(place(name)) has more than \(countMax) members")
        }
        var objects: [SESObject] = []
        for (index, value) in list.enumerated() {
            guard let object = value.objectValue else {
                throw SESFailure(
                    400, "SerializationException", "\(place(name)) is not a list of objects")
            }
            objects.append(SESObject(object, "\(place(name))[\(index)]"))
        }
        return objects
    }

    private func list(_ name: String) throws(SESFailure) -> [JSON] {
        guard let value = value(name) else { return [] }
        guard let list = value.arrayValue else {
            throw SESFailure(400, "SerializationException", "\(place(name)) is not a list")
        }
        return list
    }

    /// Bytes in base64.
    func requiredBlob(_ name: String) throws(SESFailure) -> [UInt8] {
        guard let bytes = Base64.decode(try requiredText(name)) else {
            throw SESFailure(400, "SerializationException", "\(place(name)) is not base64")
        }
        return bytes
    }
}
