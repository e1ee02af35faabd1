package import AuthComposition

// The commands of `latchkey` for operators. No other executable contains them.
extension OperatorCommand {
    package static let all: [OperatorCommand] = [
        configure, backup, restore, export, importing, importClients, importUsers, auditVerify,
        resourceMetadata, admin,
    ]
}
