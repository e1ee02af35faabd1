/// One entry point for untrusted bytes, and the properties that must hold for any input.
package struct FuzzTarget: Sendable {
    /// The name of the target and of its folder in `Tests/Fuzz/Corpus`.
    package let name: String
    package let inputBytesMax: Int
    /// Fixtures that serve as first inputs in addition to the corpus.
    package let seeds: Seeds
    private let body: @Sendable ([UInt8]) throws(BrokenProperty) -> Void

    /// The files of `Events/` that are copied into the corpus when fuzzing begins.
    package enum Seeds: String, Sendable {
        case none
        case events
    }

    init(
        _ name: String, inputBytesMax: Int = 4096, seeds: Seeds = .none,
        _ body: @escaping @Sendable ([UInt8]) throws(BrokenProperty) -> Void
    ) {
        self.name = name
        self.inputBytesMax = inputBytesMax
        self.seeds = seeds
        self.body = body
    }

    package func run(_ input: [UInt8]) throws(BrokenProperty) { try body(input) }

    package static let all: [FuzzTarget] = [
        .json, .tokens, .keySets, .events, .forms, .requests, .gateway, .expressions, .policies,
        .messages, .addresses, .smtp, .cbor, .webAuthn,
    ]

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that an input broke.
package struct BrokenProperty: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
    guard holds else { throw BrokenProperty(property()) }
}
