package import AuthDomain
internal import Bytes
internal import HTTP
internal import Time

/// A rendered message in one language.
package struct RenderedMail: Equatable, Sendable {
    package let language: String
    package let subject: String
    package let text: String
    package let html: String

    package init(language: String, subject: String, text: String, html: String) {
        self.language = language
        self.subject = subject
        self.text = text
        self.html = html
    }
}

package enum RenderingFailure: Error, Equatable, Sendable {
    /// A required value is missing.
    case missingValue
    /// The link is not a URL.
    case invalidLink
    case unreadableTemplate
}

/// The templates of all kinds in all languages: the built-in ones, and the operator's, which
/// replace them or add languages.
///
/// A message is two files, `verifyEmail.en.txt` with the subject on its first line, and
/// `verifyEmail.en.html` with the content for `layout.html`.
package struct MailTemplates: Sendable {
    package static let standardLanguage = "en"
    package static let fileBytesMax = 64 << 10
    private static let layoutName = "layout.html"
    private static let neededLayoutValues: Set<String> = ["language", "subject", "content"]
    private static let layoutValues = neededLayoutValues.union(MailLook.names)
    private static let timeNames: Set<String> = [
        "time", "until", "chosenAt", "added", "removed", "replaced", "used", "linkRequested",
        "passwordRequested",
    ]

    /// The contents of the template files, by file name.
    private let files: [String: [UInt8]]
    /// The languages, in lower case.
    package let languages: Set<String>

    package static let builtIn = MailTemplates(files: [:], languages: BuiltInTemplates.languages)

    private init(files: [String: [UInt8]], languages: Set<String>) {
        self.files = files
        self.languages = languages
    }

    /// - Parameters:
    ///   - files: the files of the operator's folder, by name.
    ///   - problems: receives all defects of the templates.
    package init(overriding files: [String: [UInt8]], problems: inout [String]) {
        var languages = BuiltInTemplates.languages
        for name in files.keys.sorted() where name != Self.layoutName {
            guard let (_, language) = Self.parts(name) else {
                problems.append("\(Self.shown(name)) is not the name of a template")
                continue
            }
            languages.insert(language)
        }
        self.init(files: files, languages: languages)
        problems += check()
    }

    /// Returns all defects of all templates.
    package func check() -> [String] {
        var problems: [String] = []
        do throws(MailTemplate.Problem) {
            let layout = try self.layout()
            if !layout.names.isSuperset(of: Self.neededLayoutValues) {
                problems.append(
                    "\(Self.layoutName) must use {{language}}, {{subject}} and {{content}}")
            }
        } catch {
            problems.append("\(Self.layoutName) line \(error.line): \(error.reason)")
        }
        for language in languages.sorted() {
            for kind in Mail.Kind.allCases
            where hasFile(for: kind, in: language) || !kind.isOptionalInLanguage {
                check(kind, language, &problems)
            }
        }
        return problems
    }

    private func check(_ kind: Mail.Kind, _ language: String, _ problems: inout [String]) {
        let names = ["\(kind.rawValue).\(language).txt", "\(kind.rawValue).\(language).html"]
        var used: [Set<String>] = []
        for (name, isText) in zip(names, [true, false]) {
            guard let bytes = file(name) else {
                problems.append("\(name) is missing")
                continue
            }
            do throws(MailTemplate.Problem) {
                if isText {
                    used.append(try Self.text(bytes, kind).body.names)
                } else {
                    used.append(try Self.html(bytes, kind).names)
                }
            } catch {
                problems.append("\(name) line \(error.line): \(error.reason)")
            }
        }
        if used.count == 2, used[0] != used[1] {
            problems.append("\(names[0]) and \(names[1]) must use the same values")
        }
        if let text = used.first, !kind.needsOneOf.isSubset(of: text) {
            let missing = kind.needsOneOf.subtracting(text).sorted().joined(separator: ", ")
            problems.append("\(names[0]) does not use \(missing)")
        }
    }

    // MARK: Rendering

    package func render(_ mail: Mail, as look: MailLook) throws(RenderingFailure) -> RenderedMail {
        let language = LanguagePreference(header: mail.language).choose(
            among: languages.filter { hasFile(for: mail.kind, in: $0) },
            otherwise: Self.standardLanguage)
        let (plain, escaped) = try Self.values(of: mail, app: look.app, in: language)
        let name = "\(mail.kind.rawValue).\(language)"
        guard let textFile = file(name + ".txt"), let htmlFile = file(name + ".html"),
            let (subject, body) = try? Self.text(textFile, mail.kind),
            let content = try? Self.html(htmlFile, mail.kind), let layout = try? layout()
        else { throw .unreadableTemplate }
        let subjectLine = PlainText.line(subject.render(plain))
        guard !subjectLine.isEmpty else { throw .missingValue }
        return RenderedMail(
            language: language, subject: subjectLine, text: body.render(plain),
            html: layout.render(
                look.values(name: escaped["app"] ?? "").merging([
                    "language": language, "subject": MailValue.escapedForHTML(subjectLine),
                    "content": content.render(escaped),
                ]) { $1 }))
    }

    private static func values(
        of mail: Mail, app: String, in language: String
    ) throws(RenderingFailure) -> (plain: [String: String], escaped: [String: String]) {
        let needed = mail.kind.needsOneOf
        guard needed.isEmpty || needed.contains(where: { mail.values[$0] != nil }) else {
            throw .missingValue
        }
        var plain: [String: String] = [:]
        for name in mail.kind.values {
            guard var value = mail.values[name] ?? (name == "app" ? app : nil) else { continue }
            if Self.timeNames.contains(name), let time = Instant(iso8601: value) {
                value = MailValue.minute(time, in: language)
            }
            guard let line = MailValue.plain(value, named: name) else { throw .invalidLink }
            // An empty value counts as a missing one.
            if !line.isEmpty { plain[name] = line }
        }
        return (plain, plain.mapValues(MailValue.escapedForHTML))
    }

    // MARK: Files

    /// Whether the operator's folder has a file of the message.
    package func hasOwnFile(for kind: Mail.Kind, in language: String) -> Bool {
        ["txt", "html"].contains { files["\(kind.rawValue).\(language).\($0)"] != nil }
    }

    private func hasFile(for kind: Mail.Kind, in language: String) -> Bool {
        ["txt", "html"].contains { file("\(kind.rawValue).\(language).\($0)") != nil }
    }

    private func file(_ name: String) -> [UInt8]? { files[name] ?? BuiltInTemplates.file(name) }

    private func layout() throws(MailTemplate.Problem) -> MailTemplate {
        let bytes = file(Self.layoutName) ?? []
        return try MailTemplate(try Self.decoded(bytes), allowed: Self.layoutValues)
    }

    private static func text(
        _ bytes: [UInt8], _ kind: Mail.Kind
    ) throws(MailTemplate.Problem) -> (subject: MailTemplate, body: MailTemplate) {
        let text = try decoded(bytes)
        let end = text.utf8.firstIndex(of: 0x0A) ?? text.endIndex
        let subject = try MailTemplate(String(text[..<end]), allowed: kind.values)
        guard !subject.paragraphs.isEmpty else {
            throw MailTemplate.Problem(line: 1, reason: "the first line is the subject")
        }
        let rest = text[end...].dropFirst()
        guard rest.isEmpty || rest.utf8.first == 0x0A || rest.hasPrefix("\r\n") else {
            throw MailTemplate.Problem(line: 2, reason: "an empty line follows the subject")
        }
        let body = try MailTemplate(String(rest), firstLine: 2, allowed: kind.values)
        guard !body.paragraphs.isEmpty else {
            throw MailTemplate.Problem(line: 2, reason: "the message is empty")
        }
        return (subject, body)
    }

    private static func html(
        _ bytes: [UInt8], _ kind: Mail.Kind
    ) throws(MailTemplate.Problem) -> MailTemplate {
        try MailTemplate(try decoded(bytes), allowed: kind.values)
    }

    private static func decoded(_ bytes: [UInt8]) throws(MailTemplate.Problem) -> String {
        guard bytes.count <= fileBytesMax else {
            throw MailTemplate.Problem(line: 1, reason: "larger than \(fileBytesMax) bytes")
        }
        guard let text = String(checkingUTF8: bytes.span) else {
            throw MailTemplate.Problem(line: 1, reason: "not UTF-8")
        }
        return text
    }

    /// `verifyEmail.pt-br.txt` → the kind and the language.
    private static func parts(_ name: String) -> (kind: Mail.Kind, language: String)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = Mail.Kind(rawValue: String(parts[0])),
            parts[2] == "txt" || parts[2] == "html", (2...35).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({
                $0.isLowercase || $0.isDigit || $0 == 0x2D
            })
        else { return nil }
        return (kind, String(parts[1]))
    }

    private static func shown(_ name: String) -> String {
        name.utf8.count <= 64 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            ? name : "a file"
    }
}
