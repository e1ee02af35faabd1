/// Why a document was refused.
package enum XMLFailure: Error, Sendable, Equatable {
    case tooLarge, tooDeep, tooManyElements, malformed
    /// A document type, a processing instruction, a comment or CDATA. The supported protocols use
    /// none of them, and document types allow entity expansion attacks.
    case unsupported
}

/// Limits for a document from outside.
package struct XMLLimits: Sendable, Equatable {
    package var bytesMax: Int
    package var depthMax: Int
    package var elementsMax: Int

    package init(bytesMax: Int, depthMax: Int, elementsMax: Int) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.elementsMax = elementsMax
    }

    /// A response of the AWS query protocol.
    package static let response = XMLLimits(bytesMax: 64 << 10, depthMax: 16, elementsMax: 1000)
}

/// One element of a document. Attributes and namespaces are not kept.
package struct XMLElement: Sendable, Equatable {
    package let name: String
    /// The text; empty if there are children.
    package var text = ""
    package var children: [XMLElement] = []

    init(name: String) { self.name = name }

    /// The only child of that name; nil if there are several.
    package subscript(name: String) -> XMLElement? {
        let found = children.filter { $0.name.utf8.elementsEqual(name.utf8) }
        return found.count == 1 ? found[0] : nil
    }

    package static func parse(
        _ bytes: [UInt8], limits: XMLLimits = .response
    ) throws(XMLFailure) -> XMLElement {
        guard bytes.count <= limits.bytesMax else { throw .tooLarge }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
        var reader = XMLReader(bytes, limits: limits)
        return try reader.document()
    }
}
