internal import Bytes
internal import EmulatorBase
internal import JSON

/// Why a template cannot be rendered with its data, with SES's messages where known.
enum RenderingFailure: Error, Equatable {
    case missingAttribute(String)
    case unfinishedTag
    /// Blocks, helpers and partials of Handlebars, which are not supported.
    case unsupportedTag(String)

    var message: String {
        switch self {
        case .missingAttribute(let name):
            "Attribute '\(name)' is not present in the rendering data."
        case .unfinishedTag: "A tag of the template is not closed."
        case .unsupportedTag(let tag): "The emulator does not render {{\(tag)}}."
        }
    }
}

struct SESTemplateContent: Equatable {
    var subject: String?
    var text: String?
    var html: String?

    /// A part that cannot be rendered is left as it is.
    func rendered(_ data: JSONObject) -> (SESTemplateContent, RenderingFailure?) {
        do throws(RenderingFailure) {
            var rendered = self
            if let subject { rendered.subject = try SESTemplateRenderer.render(subject, data) }
            if let text { rendered.text = try SESTemplateRenderer.render(text, data) }
            if let html { rendered.html = try SESTemplateRenderer.render(html, data) }
            return (rendered, nil)
        } catch {
            return (self, error)
        }
    }
}

/// Renders `{{name}}` and `{{name.of.member}}`. As in SES, nothing is escaped for HTML.
enum SESTemplateRenderer {
    static func render(_ template: String, _ data: JSONObject) throws(RenderingFailure) -> String {
        let bytes = Array(template.utf8)
        var output: [UInt8] = []
        var at = 0
        while let open = bytes.firstRange(of: Array("{{".utf8), from: at) {
            output += bytes[at..<open.lowerBound]
            let isTriple = bytes[open.upperBound...].first == UInt8(ascii: "{")
            let start = open.upperBound + (isTriple ? 1 : 0)
            let end = Array((isTriple ? "}}}" : "}}").utf8)
            guard let close = bytes.firstRange(of: end, from: start) else { throw .unfinishedTag }
            let tag = String(decoding: bytes[start..<close.lowerBound].trimmed, as: UTF8.self)
            if tag.utf8.first != UInt8(ascii: "!") { output += try value(of: tag, data).utf8 }
            at = close.upperBound
        }
        output += bytes[at...]
        return String(decoding: output, as: UTF8.self)
    }

    private static func value(
        of tag: String, _ data: JSONObject
    ) throws(RenderingFailure) -> String {
        let isPath = tag.utf8.allSatisfy {
            $0.isLetter || $0.isDigit || [0x5F, 0x2D, 0x2E].contains($0) || $0 >= 0x80
        }
        guard !tag.isEmpty, isPath else { throw .unsupportedTag(tag) }
        var value = JSON.object(data)
        for name in tag.split(separator: ".") {
            if let member = value[String(name)] {
                value = member
            } else if let list = value.arrayValue, let index = Int(name),
                list.indices.contains(index)
            {
                value = list[index]
            } else {
                throw .missingAttribute(tag)
            }
        }
        switch value {
        case .string(let text): return text
        case .null: return ""
        case .bool, .number, .array, .object: return value.text
        }
    }
}
