/// Why a document was not read.
package enum XMLFailure: Error, Sendable, Equatable {
    case tooLarge, tooDeep, tooManyElements, malformed
    /// A document type, a processing instruction, a comment or CDATA: the query protocol has none
    /// of them, and the first is how entities blow up.
    case unsupported
}

/// One element of a small document: data, no mark-up. Attributes and namespaces are not kept.
package struct XMLElement: Sendable, Equatable {
    static let bytesMax = 64 << 10
    static let depthMax = 16
    static let elementsMax = 1000

    package let name: String
    /// Empty when there are children.
    package var text = ""
    package var children: [XMLElement] = []

    /// The only child of that name.
    package subscript(name: String) -> XMLElement? {
        let found = children.filter { $0.name.utf8.elementsEqual(name.utf8) }
        return found.count == 1 ? found[0] : nil
    }

    package static func parse(_ bytes: [UInt8]) throws(XMLFailure) -> XMLElement {
        guard bytes.count <= bytesMax else { throw .tooLarge }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
        var reader = XMLReader(bytes)
        return try reader.document()
    }
}
