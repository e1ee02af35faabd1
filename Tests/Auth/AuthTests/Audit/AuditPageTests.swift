import AuthDomain
import Foundation

@Suite("Page of the audit log") struct AuditPageTests {
    @Test func `docs/audit.md has every event`() throws {
        let page = RepositoryRoot.url.appending(path: "docs/audit.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let missing = AuditEvent.allCases.map(\.rawValue).filter { !text.contains("`\($0)`") }
        expectEqual(missing, [], "docs/audit.md lacks events")
    }
}
