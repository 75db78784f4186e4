import HTTPTypes
import LupineCoding
import LupineCore
import LupineSupport

/// The canonical form of a request, over which the signature is computed.
struct CanonicalRequest {
  /// The fields outside the signature, because the session or an intermediary may still change them.
  private static let unsigned: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "user-agent", "expect", "connection", "accept-encoding",
    "x-amzn-trace-id",
  ]

  let text: String
  /// The names of the signed fields, joined by semicolons.
  let signedFields: String

  /// - Parameters:
  ///   - encodesPathTwice: true for every service except S3.
  ///   - payloadHash: the body's hash in hexadecimal, or `UNSIGNED-PAYLOAD`.
  init(_ request: OutgoingRequest, encodesPathTwice: Bool, payloadHash: String) {
    var fields: [String: String] = [:]
    for field in request.headers where !Self.unsigned.contains(field.name.canonicalName) {
      let value = Self.collapsed(field.value)
      fields[field.name.canonicalName] = fields[field.name.canonicalName].map { "\($0),\(value)" } ?? value
    }
    fields["host"] = fields["host"] ?? request.url.authority
    let names = fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    signedFields = names.joined(separator: ";")
    let path = request.url.path
    text = [
      request.method.rawValue,
      encodesPathTwice
        ? Self.encoded(Array(path.utf8), keepingSlashes: true) : Self.reencoded(path[...], keepingSlashes: true),
      Self.query(request.url.query ?? ""),
      names.map { "\($0):\(fields[$0] ?? "")\n" }.joined(),
      signedFields,
      payloadHash,
    ].joined(separator: "\n")
  }

  /// Returns the query with its items sorted by their encoded names and values.
  private static func query(_ query: String) -> String {
    let items = query.split(separator: "&").map { item in
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: reencoded(halves[0]), value: halves.count > 1 ? reencoded(halves[1]) : "")
    }
    let sorted = items.sorted { left, right in
      left.name == right.name
        ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
        : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
    return sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Returns the value without blanks at its ends, and with single spaces inside.
  private static func collapsed(_ value: String) -> String {
    value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }

  /// Decodes percent-encoded text and encodes it as signatures require.
  private static func reencoded(_ text: Substring, keepingSlashes: Bool = false) -> String {
    encoded(PercentCoding.decoded(text).bytes, keepingSlashes: keepingSlashes)
  }

  private static func encoded(_ bytes: [UInt8], keepingSlashes: Bool) -> String {
    let unreserved = URLEncodedFormEncoder.AllowedCharacters.unreserved
    return (keepingSlashes ? unreserved.inserting("/") : unreserved).encoding(bytes)
  }
}
