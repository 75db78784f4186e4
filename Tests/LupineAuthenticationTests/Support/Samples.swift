import HTTPTypes
import LupineAuthentication
import LupineCore
import LupineSession
import LupineMock
import Synchronization

/// The values of the examples in RFC 7616 section 3.9, and functions that parse challenges and answers.
enum Sample {
  static let url = "https://api.example.com/dir/index.html"
  static let mufasa = Credential(username: "Mufasa", password: "Circle of Life")
  static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
  static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
  static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

  static func challenge(_ text: String) throws -> AuthenticationChallenge {
    guard let challenge = AuthenticationChallenge.parse([text]).first else {
      throw LupineError(.other, "no challenge in \(text)")
    }
    return challenge
  }

  /// The parameters of an Authorization field's value, by name.
  static func parameters(_ value: String?) -> [String: String] {
    AuthenticationChallenge.parse([value ?? ""]).first?.parameters ?? [:]
  }

  static func context(
    _ url: String = url, method: HTTPRequest.Method = .get, body: RequestBody = .none,
    recipient: AuthenticationContext.Recipient = .origin
  ) throws -> AuthenticationContext {
    AuthenticationContext(
      request: try OutgoingRequest(url, method: method, body: body), recipient: recipient,
      random: { 0x0123_4567_89AB_CDEF })
  }

  static func session(_ mock: MockTransport) throws -> Session {
    try Session.Builder().transport(mock).clock(ImmediateClock()).install(.authentication)
      .random { 0x0123_4567_89AB_CDEF }.build()
  }
}
