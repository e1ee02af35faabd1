package import AuthComposition

// The commands of `latchkey` beside serving. No other executable contains them.
extension OperatorCommand {
    package static let all: [OperatorCommand] = [auditVerify, export, importing]
}
