import Foundation
import Testing

/// Checks the documents: every relative link, every anchor, and every path of this repository in
/// backticks must exist.
@Suite("Document links") struct DocumentLinkTests {
    static let documents: [String] = {
        let files = FileManager.default
        let root = Repository.root.path
        // Hidden folders belong to the build or to the machine.
        let names = (try? files.contentsOfDirectory(atPath: root)) ?? []
        let paths = names.filter { !$0.hasPrefix(".") }.flatMap { name in
            let inside = (try? files.subpathsOfDirectory(atPath: "\(root)/\(name)")) ?? []
            return [name] + inside.map { "\(name)/\($0)" }
        }
        // A symbolic link leads to a document of another folder, and `.venv` is not part of the
        // repository.
        return paths.filter { path in
            path.hasSuffix(".md") && !path.contains("/.")
                && (try? files.destinationOfSymbolicLink(atPath: "\(root)/\(path)")) == nil
        }.sorted()
    }()

    @Test func `there are documents to check`() {
        for document in ["README.md", "docs/web-client.md", "Web/README.md"] {
            #expect(Self.documents.contains(document))
        }
    }

    @Test(arguments: documents)
    func `every relative link has a target, and every anchor a heading`(document: String) throws {
        for link in Markdown(try Repository.text(document)).links where !Self.isRemote(link) {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].isEmpty ? document : Self.resolved(String(parts[0]), in: document)
            #expect(Self.exists(path), "\(link)")
            guard parts.count == 2, Self.exists(path), path.hasSuffix(".md") else { continue }
            let anchors = Markdown(try Repository.text(path)).anchors
            #expect(anchors.contains(String(parts[1])), "\(link)")
        }
    }

    @Test(arguments: documents)
    func `no link leads to a name that is reserved for examples (RFC 2606)`(
        document: String
    ) throws {
        let reserved = /https?:\/\/([^\/]+\.)?(example(\.(com|net|org))?|invalid|test)([:\/].*)?/
        for link in Markdown(try Repository.text(document)).links {
            #expect(try reserved.wholeMatch(in: link) == nil, "\(link)")
        }
    }

    @Test(arguments: documents)
    func `every path of the repository in backticks exists`(document: String) throws {
        for path in Markdown(try Repository.text(document)).paths {
            #expect(Self.exists(path), "\(path)")
        }
    }

    @Test func `the scan finds links, anchors and paths`() {
        let markdown = Markdown(
            """
            # The title, `with code` & more
            See [one](docs/one.md), [two](two.md#part), [web](https://example.com) and \
            `Sources/Auth`.
            Not `.build/release/me`, `Events/<function>`, `a/b`, `Functions/NewOne/main.swift …`.
            ```sh
            ls Sources/Nowhere   # [no](link.md)
            ```
            ## Second part
            """)
        #expect(markdown.links == ["docs/one.md", "two.md#part", "https://example.com"])
        #expect(markdown.anchors == ["the-title-with-code--more", "second-part"])
        #expect(markdown.paths == ["Sources/Auth"])
    }

    private static func isRemote(_ link: String) -> Bool {
        link.hasPrefix("https://") || link.hasPrefix("http://") || link.hasPrefix("mailto:")
    }

    /// Links are relative to the directory of their document.
    private static func resolved(_ link: String, in document: String) -> String {
        var folders = document.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = folders.popLast()
            default: folders.append(String(part))
            }
        }
        return folders.joined(separator: "/")
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path)
    }
}

/// A Markdown document, without its code blocks.
struct Markdown {
    private let lines: [String]

    init(_ text: String) {
        var lines: [String] = []
        var isCode = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
            } else if !isCode {
                lines.append(String(line))
            }
        }
        self.lines = lines
    }

    /// The targets of `[text](target)`.
    var links: [String] {
        lines.flatMap { line in
            line.matches(of: /\]\(([^()\s]+)\)/).map { String($0.1) }
        }
    }

    /// The anchors of headings: lower case, without punctuation, hyphens for spaces.
    var anchors: [String] {
        lines.compactMap { line in
            guard let heading = line.wholeMatch(of: /#+ (.+)/)?.1 else { return nil }
            let kept = heading.lowercased().filter { character in
                character.isLetter || character.isNumber || character == " " || character == "-"
                    || character == "_"
            }
            return kept.replacingOccurrences(of: " ", with: "-")
        }
    }

    /// Texts in backticks that begin with a directory of this repository. Placeholders (`<…>`,
    /// `{…}`, `*`) and commands (with a space) are skipped.
    var paths: [String] {
        let roots = [
            "Sources", "Functions", "Emulator", "Events", "Tests", "Tools", "Benchmarks", "scripts",
            "docs", ".ci", "Deployments",
        ]
        return lines.flatMap { line in
            line.matches(of: /`([^`]+)`/).map { String($0.1) }
        }.filter { text in
            guard let slash = text.firstIndex(of: "/") else { return false }
            return roots.contains(String(text[..<slash]))
                && text.wholeMatch(of: /[A-Za-z0-9_.+\/-]+/) != nil
        }
    }
}
