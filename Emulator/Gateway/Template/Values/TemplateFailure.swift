internal import Bytes
package import EmulatorBase
package import JSON

/// Why a template cannot be deployed, and the path of the error in it.
package struct TemplateFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Problem: Sendable, Equatable {
        case notJSON(JSONFailure)
        /// The file is not valid YAML. The text describes the error.
        case notYAML(String)
        case missing
        case wrongType(expected: String)
        case unknownReference(String)
        case unknownCondition(String)
        case unknownAttribute(String)
        /// A circular reference, or too many levels of nesting.
        case tooDeep
        /// A parameter without a default or a value.
        case noValue
        case valueNotAllowed(String)
        case malformedIntrinsic(String)
        case invalid(String)
    }

    /// `Resources.Api.Properties.StageName`
    package let path: String
    package let problem: Problem
    /// The position of the failure in the text.
    package var place: TextPlace?

    package init(_ path: String, _ problem: Problem, place: TextPlace? = nil) {
        self.path = path
        self.problem = problem
        self.place = place
    }

    /// Compares without positions.
    package static func == (left: Self, right: Self) -> Bool {
        left.path.isSame(as: right.path) && left.problem == right.problem
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    private var reason: String {
        switch problem {
        case .notJSON(let failure): "not valid JSON: \(failure.reason)"
        case .notYAML(let why): "not valid YAML: \(why)"
        case .missing: "is missing"
        case .wrongType(let expected): "should be \(expected)"
        case .unknownReference(let name): "refers to \(name), which the template does not have"
        case .unknownCondition(let name): "names the condition \(name), which does not exist"
        case .unknownAttribute(let name): "refers to the attribute \(name), which does not exist"
        case .tooDeep: "is nested too deeply, or refers to itself"
        case .noValue: "has no default and was given no value"
        case .valueNotAllowed(let why): "has a value that is not allowed: \(why)"
        case .malformedIntrinsic(let name): "is not a well-formed \(name)"
        case .invalid(let why): why
        }
    }
}

/// A feature in a template that the emulator does not support. The template is deployed without it.
package struct TemplateWarning: Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String
    /// The position of the feature in the text.
    package var place: TextPlace?
    /// Whether AWS refuses the template for it.
    package let isRefused: Bool

    package init(_ path: String, _ reason: String, isRefused: Bool = false) {
        self.path = path
        self.reason = reason
        self.isRefused = isRefused
    }

    /// Compares without positions.
    package static func == (left: Self, right: Self) -> Bool {
        left.path.isSame(as: right.path) && left.reason.isSame(as: right.reason)
    }

    package var description: String { "\(path): \(reason)" }
}
