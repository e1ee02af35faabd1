internal import Bytes
package import EmulatorBase
package import JSON

/// The parsed text of a template. The position of every part can be looked up.
package struct TemplateDocument: Sendable {
    package let object: JSONObject
    private let bytes: [UInt8]
    private let root: YAMLNode?
    /// Warnings about the text itself.
    let warnings: [TemplateWarning]

    private static let limits = JSONLimits(bytesMax: 8 << 20, depthMax: 64)

    /// A text that begins with `{` is JSON, any other text is YAML. With `isYAML`, every text is
    /// YAML.
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

/// The positions of the parts of a template in its text.
package struct TemplatePlaces {
    private let root: YAMLNode?

    fileprivate init(root: YAMLNode?) { self.root = root }

    /// The position of a path, or of the nearest enclosing part. Properties from `Globals` have
    /// their position there.
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
    /// The position of a path such as `Resources.Api.Properties`, or of the nearest enclosing part.
    package func place(of path: String) -> TextPlace? { places[path] }

    /// Nearly all JSON is YAML, so it is parsed as such when positions are needed.
    package var places: TemplatePlaces {
        TemplatePlaces(root: root ?? (try? YAMLNode(parsing: bytes)))
    }
}
