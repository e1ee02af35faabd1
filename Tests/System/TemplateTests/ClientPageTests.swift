import Foundation
import TestSupport

/// `docs/client.md` and the public interface of `Client`.
@Suite("The client's page") struct ClientPageTests {
    /// A type that is missing in the page is found by nobody.
    @Test func `every public type is documented on the page`() throws {
        let page = try Repository.text("docs/client.md")
        let words = Set(page.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        var types: Set<String> = []
        for file in try Repository.swiftFiles("Client") {
            for line in try Repository.text(file).split(separator: "\n") {
                let declaration =
                    #/ *public (?:final )?(?:actor|class|enum|protocol|struct) ([A-Za-z0-9]+).*/#
                if let match = line.wholeMatch(of: declaration) { types.insert(String(match.1)) }
            }
        }
        #expect(types.count > 70 && types.contains("LatchkeyClient"))
        expectEqual(types.subtracting(words).sorted(), [])
    }

    /// Why anyone comes.
    @Test func `the page begins with Sign in with Apple`() throws {
        let headings = try Repository.text("docs/client.md").split(separator: "\n").filter {
            $0.hasPrefix("## ")
        }
        #expect(headings.first == "## Sign in with Apple")
    }

    /// A reader who copies one ends in a backtrace at the first wrong password.
    @Test func `each sample with a password handles errors`() throws {
        let page = try Repository.text("docs/client.md")
        for part in page.components(separatedBy: "```swift\n").dropFirst() {
            let snippet = part.prefix { $0 != "`" }
            // The model keeps the error.
            guard snippet.contains("logIn(") else { continue }
            #expect(snippet.contains(/catch|model\.signIn \{/), "\(snippet)")
        }
    }
}
