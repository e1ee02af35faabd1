internal import Bytes

/// The attributes of an item, with ascending names, as the bytes of `ItemCodec`.
///
/// An attribute is decoded when it is read, because callers read only a few attributes of most rows
/// in a list. Items are stored and compared in encoded form. Names are ASCII, so strings and bytes
/// have the same order.
package struct Attributes: Hashable, Sendable {
    package typealias Element = (key: String, value: Attribute)

    private(set) var encoding: [UInt8]

    package init() { encoding = ItemCodec.start }

    /// - Parameter encoding: valid bytes of `ItemCodec`.
    init(encoding: [UInt8]) { self.encoding = encoding }

    package subscript(name: String) -> Attribute? {
        get { EncodedAttribute.find(name, in: encoding).found?.value(in: encoding) }
        set {
            let usual = ItemCodec.itemBytesUsual
            if encoding.capacity < usual { encoding.reserveCapacity(usual) }
            let place = EncodedAttribute.find(name, in: encoding).place
            encoding.replaceSubrange(place, with: newValue.map { ItemCodec.encode(name, $0) } ?? [])
        }
    }

    var encoded: EncodedAttributes { EncodedAttributes(encoding) }

    package var count: Int { encoded.reduce(0) { count, _ in count + 1 } }
    package var keys: [String] { map(\.key) }
    package var values: [Attribute] { map(\.value) }
}

extension Attributes: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate let encoding: [UInt8]
        fileprivate var encoded: EncodedAttributes

        package mutating func next() -> Element? {
            guard let next = encoded.next(),
                let name = String(checkingUTF8: encoding.span.extracting(next.name)),
                let value = next.value(in: encoding)
            else { return nil }
            return (name, value)
        }
    }

    package func makeIterator() -> Iterator {
        Iterator(encoding: encoding, encoded: encoded)
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, Attribute)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

/// The text for the failure of a test.
extension Attributes: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: map { ($0.key, $0.value) }) }
}
