internal import Bytes
internal import JSON

/// The answer of `beforeSignUp` and `beforeSignIn`:
/// `{"decision": "allow" | "refuse" | "secondFactor", "reason": "…"}`.
///
/// Anything else is a failure of the hook: a misspelt member must not allow a sign-in.
enum HookAnswer: Equatable {
    case allow
    /// - Parameter reason: the application's own code for the reason, for its app.
    case refuse(reason: String?)
    case requireSecondFactor

    static let bytesMax = 16 << 10
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 4, membersMax: 16)
    private static let reasonBytesMax = 64

    init(parsing bytes: [UInt8], of hook: DecidingHook) throws(HookFailure) {
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        guard let members = (try? JSON.parse(bytes, limits: Self.limits))?.objectValue?.members
        else { throw .malformed }
        var decision: String?
        var reason: String?
        for member in members {
            guard let text = member.value.stringValue else { throw .malformed }
            if member.name.isSame(as: "decision") {
                decision = text
            } else if member.name.isSame(as: "reason"), Self.isReason(text) {
                reason = text
            } else {
                throw .malformed
            }
        }
        switch (decision, reason) {
        case ("allow", nil): self = .allow
        case ("refuse", _): self = .refuse(reason: reason)
        case ("secondFactor", nil) where hook == .beforeSignIn: self = .requireSecondFactor
        default: throw .malformed
        }
    }

    /// The reason is sent to the app, so its form is limited.
    private static func isReason(_ text: String) -> Bool {
        (1...reasonBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || byte == 0x2D || byte == 0x2E || byte == 0x5F
            }
    }
}
