import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Translates between stored responses and the values on the server, all of which are authenticated.
///
/// The responses of a key are one Redis hash, with a field for each variant. The value of a field is the identifier, the
/// code and the record in JSON. Each content is a string of its own, whose name ends with the identifier: the code and
/// the bytes. A code covers the names, so that a value in another place does not verify.
struct EntryCodec: Sendable {
  /// The length of an identifier in bytes.
  static let idLength = 32

  /// The content of a field's value after the identifier.
  private struct Envelope: Codable {
    var record: ResponseRecord
    var length: Int64
    var trailers: HTTPFields?
  }

  let authenticator: Authenticator
  /// The beginning of all names on the server.
  let prefix: String

  /// Returns a new identifier of 128 random bits.
  static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text((0..<idLength / 2).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The pattern of the names of all hashes, for `SCAN`.
  var hashPattern: String { "\(prefix):r:{*}" }

  /// Whether a name from the server is one of a hash.
  func isHashName(_ name: Data) -> Bool {
    let start = Data("\(prefix):r:{".utf8)
    return name.count == start.count + 2 * Authenticator.length + 1 && name.starts(with: start)
      && name.last == UInt8(ascii: "}")
  }

  /// The name of the hash with the responses of a key.
  func hashName(_ key: String) throws(LupineError) -> Data {
    // Braces keep the names of one key on one node of a cluster.
    Data("\(prefix):r:{\(try authenticator.name(.key, key))}".utf8)
  }

  /// The field of a variant in the hash.
  func fieldName(_ variant: String) throws(LupineError) -> Data {
    Data(try authenticator.name(.variant, variant).utf8)
  }

  /// The name of a response's content.
  func contentName(of response: StoredResponse) throws(LupineError) -> Data {
    try hashName(response.record.key) + Data(":\(response.id)".utf8)
  }

  func leaseName(_ key: String) throws(LupineError) -> Data {
    Data("\(prefix):l:{\(try authenticator.name(.lease, key))}".utf8)
  }

  /// Returns the value of a response's field.
  func encode(_ response: StoredResponse) throws(LupineError) -> Data {
    let envelope = Envelope(record: response.record, length: response.length, trailers: response.trailers)
    let id = Data(response.id.utf8)
    let json: Data
    do { json = try JSONEncoder().encode(envelope) } catch {
      throw LupineError(.redisRefused, "The record of a response cannot be encoded.", underlying: error)
    }
    let names = try [hashName(response.record.key), fieldName(response.record.variant)]
    return id + (try authenticator.code(.record, names + [id, json])) + json
  }

  /// Returns the response of a field's value; `nil` if the value is damaged, forged or of another place.
  func decode(_ value: Data, hash: Data, field: Data) throws(LupineError) -> StoredResponse? {
    let headLength = Self.idLength + Authenticator.length
    guard value.count > headLength else { return nil }
    let id = value.prefix(Self.idLength)
    let code = value.dropFirst(Self.idLength).prefix(Authenticator.length)
    let json = value.dropFirst(headLength)
    guard try authenticator.verifies(code, .record, [hash, field, id, json]),
      let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(json)), envelope.length >= 0
    else { return nil }
    return StoredResponse(
      id: String(decoding: id, as: UTF8.self), record: envelope.record, length: envelope.length,
      trailers: envelope.trailers)
  }

  /// Returns the value with a response's content.
  func encode(content: Data, of response: StoredResponse) throws(LupineError) -> Data {
    try authenticator.code(.content, contentParts(content, of: response)) + content
  }

  /// Returns the content of a value; `nil` if the value is damaged, forged or of another response.
  func decode(content value: Data, of response: StoredResponse) throws(LupineError) -> Data? {
    let content = value.dropFirst(Authenticator.length)
    guard value.count >= Authenticator.length, Int64(content.count) == response.length,
      try authenticator.verifies(
        value.prefix(Authenticator.length), .content, contentParts(content, of: response))
    else { return nil }
    return Data(content)
  }

  private func contentParts(_ content: Data, of response: StoredResponse) throws(LupineError) -> [Data] {
    try [hashName(response.record.key), fieldName(response.record.variant), Data(response.id.utf8), content]
  }
}
