internal import Bytes

/// A fault that requests select by its name.
protocol NamedFault: CaseIterable, RawRepresentable where RawValue == String {
    /// A description for the list of faults.
    var sentence: String { get }
}

extension NamedFault {
    /// Finds a fault by its exact name, compared as bytes.
    init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else {
            return nil
        }
        self = known
    }
}
