/// Why a document was refused. Offsets are in bytes; nothing of the document itself is in here, so
/// that a failure may be logged.
package enum JSONFailure: Error, Sendable, Equatable {
    case tooLarge
    case tooDeep(offset: Int)
    case tooManyMembers(offset: Int)
    case notUTF8(offset: Int)
    /// A `\u` escape of half a surrogate pair: there is no such character.
    case loneSurrogate(offset: Int)
    case duplicateName(offset: Int)
    case syntax(offset: Int)
    case trailingBytes(offset: Int)
}
