/// Why a document was refused. Offsets are in bytes. A failure contains nothing of the document, so
/// it may be logged.
package enum JSONFailure: Error, Sendable, Equatable {
    case tooLarge
    case tooDeep(offset: Int)
    case tooManyMembers(offset: Int)
    case notUTF8(offset: Int)
    /// A `\u` escape of half a surrogate pair, which is not a character.
    case loneSurrogate(offset: Int)
    case duplicateName(offset: Int)
    case syntax(offset: Int)
    case trailingBytes(offset: Int)
}
