internal import Bytes
package import EmulatorBase
package import JSON

/// The text of a template, as a value. Every part of it can be found again in the text.
package struct TemplateDocument: Sendable {
    package let object: JSONObject
    private let bytes: [UInt8]
    private let root: YAMLNode?
    /// What is doubtful in the text itself.
    let warnings: [TemplateWarning]

    private static let limits = JSONLimits(bytesMax: 8 << 20, depthMax: 64)

    /// A text that begins with `{` is JSON, and any other is YAML. YAML may begin so as well, if
    /// its file says that it is YAML.
    package init(_ bytes: [UInt8], isYAML: Bool = false) throws(TemplateFailure) {
        let first = bytes.first { !$0.isSpace }
        let value: JSON
        if first == UInt8(ascii: "{"), !isYAML {
            root = nil
            warnings = []
            value = try Self.json(bytes)
        } else {
            let document = try Self.yaml(bytes)
            root = document.root
            warnings = document.repeated.map(TemplateWarning.init)
            value = document.root.json
        }
        guard let object = value.objectValue else {
            throw TemplateFailure("", .wrongType(expected: "an object with Resources"))
        }
        self.object = object
        self.bytes = bytes
    }

    private static func json(_ bytes: [UInt8]) throws(TemplateFailure) -> JSON {
        do throws(JSONFailure) {
            return try JSON.parse(bytes, limits: limits)
        } catch {
            throw TemplateFailure("", .notJSON(error), place: error.place(in: bytes))
        }
    }

    private static func yaml(_ bytes: [UInt8]) throws(TemplateFailure) -> YAMLDocument {
        do throws(YAMLFailure) {
            return try YAMLDocument(parsing: bytes)
        } catch {
            throw TemplateFailure("", .notYAML(error.reason), place: error.place)
        }
    }
}

/// Where the parts of a template are in its text.
package struct TemplatePlaces {
    private let root: YAMLNode?

    fileprivate init(root: YAMLNode?) { self.root = root }

    /// The place of a path, or of the nearest part around it. What a resource has from `Globals` is
    /// there.
    package subscript(path: String) -> TextPlace? {
        guard let root else { return nil }
        let own = root.place(of: path)
        if let own, own.isWhole { return own.place }
        let parts = path.pieces(at: ".")
        if parts.count > 3, parts[0].isSame(as: "Resources"), parts[2].isSame(as: "Properties") {
            for section in ["Function", "HttpApi", "Api", "SimpleTable"] {
                let path = (["Globals", section] + parts[3...]).joined(separator: ".")
                if let global = root.place(of: path), global.isWhole { return global.place }
            }
        }
        return own?.place
    }
}

extension TemplateWarning {
    fileprivate init(_ key: YAMLDocument.RepeatedKey) {
        self.init(key.name, "this key is in line \(key.line) too; the last one counts")
        place = key.place
    }
}

extension TemplateDocument {
    /// Where a path such as `Resources.Api.Properties` is in the text, or the part around it.
    package func place(of path: String) -> TextPlace? { places[path] }

    /// JSON is YAML nearly always, and is read as such when places are asked for.
    package var places: TemplatePlaces {
        TemplatePlaces(root: root ?? (try? YAMLNode(parsing: bytes)))
    }
}
