internal import Bytes

/// A function name in a request: `name`, `name:qualifier`, `account:function:name`, the same with a
/// region in front, or a full ARN; each may end with a qualifier.
package struct FunctionReference: Sendable, Equatable {
    package let name: String
    package let qualifier: String?
    /// The region of an ARN; nil if not given.
    let region: String?
    let account: String?

    /// nil if the text has none of these forms.
    package init?(_ text: String) {
        guard text.utf8.count <= 200 else { return nil }
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)[...]
        var region: String?
        var account: String?
        if parts.count >= 7, parts.first == "arn" {
            let head = parts.prefix(6)
            guard head[1].hasPrefix("aws"), head[2] == "lambda", head[5] == "function" else {
                return nil
            }
            region = String(head[3])
            account = String(head[4])
            parts = parts.dropFirst(6)
        } else if parts.count >= 3, parts[1] == "function" {
            account = String(parts[0])
            parts = parts.dropFirst(2)
        } else if parts.count >= 4, parts[2] == "function" {
            region = String(parts[0])
            account = String(parts[1])
            parts = parts.dropFirst(3)
        }
        guard let name = parts.first, parts.count <= 2, FunctionService.isLegalName(name),
            account.map({ $0.utf8.count == 12 && $0.utf8.allSatisfy(\.isDigit) }) ?? true
        else { return nil }
        self.name = String(name)
        self.region = region
        self.account = account
        guard parts.count == 2 else {
            qualifier = nil
            return
        }
        let last = String(parts[parts.startIndex + 1])
        guard Self.isLegalQualifier(last) else { return nil }
        qualifier = last
    }

    /// `$LATEST`, a version number or an alias.
    static func isLegalQualifier(_ text: String) -> Bool {
        text == "$LATEST"
            || ((1...128).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F
                })
    }
}
