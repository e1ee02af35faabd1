package import AuthDomain
package import Contracts

/// The description of an audit event for administrators. The files have the title and the reason of
/// each event, in the order of `AuditEvent`.
package struct AuditEventText: TextKey, CustomStringConvertible {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    private init(_ event: AuditEvent, _ line: Int) {
        rawValue = (AuditEvent.allCases.firstIndex(of: event) ?? 0) * 2 + line
    }

    package static func title(_ event: AuditEvent) -> AuditEventText { .init(event, 0) }
    package static func why(_ event: AuditEvent) -> AuditEventText { .init(event, 1) }

    package var description: String {
        "\(AuditEvent.allCases[rawValue / 2])\(rawValue.isMultiple(of: 2) ? "Title" : "Why")"
    }

    package static var allCases: [AuditEventText] {
        AuditEvent.allCases.flatMap { [title($0), why($0)] }
    }

    private static let english = Texts<Self>(.english, PackageResources.events_en_txt)
    private static let german = Texts<Self>(.german, PackageResources.events_de_txt)

    package static func texts(in language: PageLanguage) -> Texts<Self> {
        language == .german ? german : english
    }
}
