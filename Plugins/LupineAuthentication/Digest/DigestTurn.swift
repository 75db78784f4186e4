import LupineCoding
import LupineCore
import LupineSupport

/// One answer to a challenge, before it is computed: which nonce, used for which time.
struct DigestTurn: Sendable {
  let challenge: DigestChallenge
  /// The server's nonce, which may have replaced the challenge's.
  let nonce: String
  /// Our own nonce.
  let clientNonce: String
  /// Which use of the nonce this is, from 1.
  let count: UInt32
}

extension DigestTurn {
  /// The field's value; `nil` where OpenSSL has no such hash function.
  ///
  /// - Parameter bodyHash: the hash of the body, where the answer protects that as well.
  func value(_ credential: Credential, method: String, target: String, bodyHash: String?) -> String? {
    let function = challenge.algorithm.function
    guard let secret = secret(credential),
      let subject = function.hexadecimal(([method, target] + (bodyHash.map { [$0] } ?? [])).joined(separator: ":")),
      let username = usernameParameter(credential.username)
    else { return nil }
    let number = Hexadecimal.text(count, digits: 8)
    var parameters = [username, "realm=\(challenge.realm.quotedString)", "uri=\(target.quotedString)"]
    if let name = challenge.algorithm.name { parameters.append("algorithm=\(name)") }
    parameters.append("nonce=\(nonce.quotedString)")
    var ingredients = [secret, nonce]
    if let protection = challenge.protection {
      parameters += ["nc=\(number)", "cnonce=\(clientNonce.quotedString)", "qop=\(protection.rawValue)"]
      ingredients += [number, clientNonce, protection.rawValue]
    }
    guard let response = function.hexadecimal((ingredients + [subject]).joined(separator: ":")) else { return nil }
    parameters.append("response=\(response.quotedString)")
    if let opaque = challenge.opaque { parameters.append("opaque=\(opaque.quotedString)") }
    if challenge.hashesUsername { parameters.append("userhash=true") }
    return "Digest " + parameters.joined(separator: ", ")
  }

  /// What a server that knows the password says to the answer (RFC 7616 section 3.5); with `auth-int`, in a response that
  /// has no body.
  func proof(_ credential: Credential, target: String) -> String? {
    let function = challenge.algorithm.function
    guard let protection = challenge.protection, let secret = secret(credential),
      let nothing = function.hexadecimal(""),
      let subject = function.hexadecimal(":\(target)" + (protection == .request ? "" : ":\(nothing)"))
    else { return nil }
    let number = Hexadecimal.text(count, digits: 8)
    return function.hexadecimal(
      [secret, nonce, number, clientNonce, protection.rawValue, subject].joined(separator: ":"))
  }

  /// What stands for the password: `H(A1)` of RFC 7616 section 3.4.2.
  ///
  /// A session's is made of the challenge's own nonce and the first nonce of ours, whatever nonces come after them.
  private func secret(_ credential: Credential) -> String? {
    let function = challenge.algorithm.function
    let plain = function.hexadecimal("\(credential.username):\(challenge.realm):\(credential.password)")
    guard challenge.algorithm.isSession, let plain else { return plain }
    return function.hexadecimal("\(plain):\(challenge.nonce):\(clientNonce)")
  }

  private func usernameParameter(_ username: String) -> String? {
    if challenge.hashesUsername {
      let hash = challenge.algorithm.function.hexadecimal("\(username):\(challenge.realm)")
      return hash.map { "username=\($0.quotedString)" }
    }
    guard username.utf8.allSatisfy({ $0 < 0x80 }) else { return "username*=\(Self.extended(username))" }
    return "username=\(username.quotedString)"
  }

  /// The extended notation of RFC 8187, for what a quoted string cannot hold.
  private static func extended(_ text: String) -> String {
    "UTF-8''" + PercentCoding.encoded(Array(text.utf8), allowing: .unreserved.inserting("!#$&+^`|"))
  }
}
