import HTTPTypes
import LupineSupport

/// The fields of a request that select a response, as `Vary` names them (RFC 9111 section 4.1).
struct Variation: Sendable, Equatable {
  /// The names in lower case, sorted and without duplicates.
  let names: [String]

  /// Reads the `Vary` fields of a response; `nil` if a member is `*`, which no request matches, or is no name of a
  /// field.
  ///
  /// A response with a content coding varies with `Accept-Encoding` even if it does not say so: not every request can
  /// use the coding.
  init?(of fields: HTTPFields) {
    let members = ListField.members(fields[values: .vary])
    guard members.allSatisfy({ $0 != "*" && $0.isToken }) else { return nil }
    let isCoded = ListField.members(fields[values: .contentEncoding]).contains { $0.lowercased() != "identity" }
    names = Set(members.map { $0.lowercased() } + (isCoded ? ["accept-encoding"] : [])).sorted()
  }

  init(names: [String]) { self.names = names }

  /// Returns the keyed hash of the selecting fields of a request.
  ///
  /// Values that differ only in white space around commas, or in their division into lines, are the same.
  func selector(of fields: HTTPFields, _ hash: KeyedHash) -> String {
    guard !names.isEmpty else { return KeyedHash.none }
    return hash.text(
      of: names.flatMap { name -> [String] in
        guard let name = HTTPField.Name(name) else { return [name] }
        let values = fields[values: name]
        return [name.canonicalName, values.isEmpty ? "absent" : "present", Self.normalized(values, name)]
      })
  }

  private static func normalized(_ values: [String], _ name: HTTPField.Name) -> String {
    let text = ListField.members(values).joined(separator: ",")
    return isCaseInsensitive(name) ? text.lowercased() : text
  }

  /// Whether the case of the field's values does not matter (RFC 9110 section 12.5).
  private static func isCaseInsensitive(_ name: HTTPField.Name) -> Bool {
    name == .acceptLanguage || name == .acceptEncoding
  }
}
