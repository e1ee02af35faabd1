package import LatchkeyClient

// Names for apps with their own types of the same names. The module name `LatchkeyClient` cannot
// qualify a type, because the module's main type has the same name.
package typealias ClientError = AuthError
package typealias ClientSession = Session
package typealias ClientRequest = HTTPRequest
package typealias ClientResponse = HTTPResponse
