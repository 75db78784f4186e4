import FoundationEssentials

/// The Basic scheme (RFC 7617), in UTF-8.
public struct BasicScheme: AuthenticationScheme {
  /// `Basic`.
  public let name = "Basic"

  /// The scheme has nothing to set.
  public init() {}

  /// The weakest of all: the password itself is sent.
  public func strength(of challenge: AuthenticationChallenge) -> Int { 0 }

  /// The name and the password in Base64.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` for a colon in the name or a control byte in either.
  public func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    try Self.value(for: credential)
  }

  static func value(for credential: Credential) throws(LupineError) -> String {
    let text = "\(credential.username):\(credential.password)"
    guard !credential.username.contains(":"), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw LupineError(
        .invalidRequest, "A name for Basic authentication has no colon, and neither name nor password a control byte.")
    }
    return "Basic " + Data(text.utf8).base64EncodedString()
  }
}

extension AuthenticationScheme where Self == BasicScheme {
  /// The Basic scheme (RFC 7617).
  public static var basic: BasicScheme { BasicScheme() }
}
