import LupineCoding
import LupineCore
import LupineSupport

/// The inputs of one answer to a challenge: the nonces and the nonce count.
struct DigestAnswer: Sendable {
  let challenge: DigestChallenge
  /// The server's nonce, which may be newer than the challenge's.
  let nonce: String
  /// The client nonce (`cnonce`).
  let clientNonce: String
  /// The nonce count (`nc`), from 1.
  let count: UInt32
}

extension DigestAnswer {
  /// Returns the field's value; `nil` if OpenSSL lacks the hash function.
  ///
  /// - Parameter bodyHash: the hash of the body, for `auth-int`.
  func value(_ credential: Credential, method: String, target: String, bodyHash: String?) -> String? {
    let function = challenge.algorithm.function
    guard let secret = secret(credential),
      let requestHash = function.hexadecimal(
        ([method, target] + (bodyHash.map { [$0] } ?? [])).joined(separator: ":")),
      let username = usernameParameter(credential.username)
    else { return nil }
    let nonceCount = Hexadecimal.text(count, digits: 8)
    var parameters = [username, "realm=\(challenge.realm.quotedString)", "uri=\(target.quotedString)"]
    if let name = challenge.algorithm.name { parameters.append("algorithm=\(name)") }
    parameters.append("nonce=\(nonce.quotedString)")
    var hashInputs = [secret, nonce]
    if let protection = challenge.protection {
      parameters += ["nc=\(nonceCount)", "cnonce=\(clientNonce.quotedString)", "qop=\(protection.rawValue)"]
      hashInputs += [nonceCount, clientNonce, protection.rawValue]
    }
    guard let response = function.hexadecimal((hashInputs + [requestHash]).joined(separator: ":")) else { return nil }
    parameters.append("response=\(response.quotedString)")
    if let opaque = challenge.opaque { parameters.append("opaque=\(opaque.quotedString)") }
    if challenge.hashesUsername { parameters.append("userhash=true") }
    return "Digest " + parameters.joined(separator: ", ")
  }

  /// Returns the proof that a server with the password sends (RFC 7616 section 3.5).
  ///
  /// With `auth-int`, the proof is for a response without a body.
  func proof(_ credential: Credential, target: String) -> String? {
    let function = challenge.algorithm.function
    guard let protection = challenge.protection, let secret = secret(credential),
      let nothing = function.hexadecimal(""),
      let requestHash = function.hexadecimal(":\(target)" + (protection == .request ? "" : ":\(nothing)"))
    else { return nil }
    let nonceCount = Hexadecimal.text(count, digits: 8)
    return function.hexadecimal(
      [secret, nonce, nonceCount, clientNonce, protection.rawValue, requestHash].joined(separator: ":"))
  }

  /// The hash that contains the password: `H(A1)` of RFC 7616 section 3.4.2.
  ///
  /// With a `-sess` algorithm it includes the challenge's nonce and the client nonce, also after the server's nonce has
  /// changed.
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

  /// Returns the extended notation of RFC 8187, for text that is not ASCII.
  private static func extended(_ text: String) -> String {
    "UTF-8''" + URLEncodedFormEncoder.AllowedCharacters.unreserved.inserting("!#$&+^`|").encoding(text.utf8)
  }
}

/// The result of checking `rspauth`, the server's proof that it has the password (RFC 7616 section 3.5).
enum DigestProof: Equatable {
  /// No proof, or none that can be checked before the body arrives.
  case missing
  case valid
  case invalid

  /// Checks the proof in a response to an accepted answer.
  ///
  /// - Parameters:
  ///   - information: the parameters of `Authentication-Info` or `Proxy-Authentication-Info`.
  ///   - sent: the parameters of the answer.
  ///   - challenge: the challenge of the answer.
  ///   - hasBody: whether the response may have a body. A proof with `auth-int` covers the body, which has not arrived
  ///     yet.
  init(
    _ information: [String: String], to sent: [String: String], _ challenge: DigestChallenge?, _ credential: Credential,
    hasBody: Bool
  ) {
    guard let proof = information["rspauth"], let challenge, let protection = challenge.protection,
      information["qop"].map({ $0.lowercased() == protection.rawValue }) ?? true,
      protection == .request || !hasBody, let nonce = sent["nonce"],
      let clientNonce = sent["cnonce"], let count = sent["nc"].flatMap({ UInt32($0, radix: 16) }),
      let target = sent["uri"]
    else {
      self = .missing
      return
    }
    let answer = DigestAnswer(challenge: challenge, nonce: nonce, clientNonce: clientNonce, count: count)
    let echoesParameters = ["nc", "cnonce"].allSatisfy { information[$0] == nil || information[$0] == sent[$0] }
    self = echoesParameters && answer.proof(credential, target: target) == proof.lowercased() ? .valid : .invalid
  }
}
