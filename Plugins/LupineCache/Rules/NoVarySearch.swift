import HTTPTypes
import LupineSupport

/// The parameters of a query that do not change a response, as `No-Vary-Search` names them
/// (draft-ietf-httpbis-no-vary-search).
struct NoVarySearch: Sendable, Equatable {
  /// Whether the order of different parameters does not matter.
  private var ignoresOrder = false
  /// The names of parameters that do not matter.
  private var ignored: Set<String> = []
  /// The only names that matter; `nil` if all matter that are not ignored.
  private var kept: Set<String>?

  /// Reads the field of a response; `nil` if it is absent, invalid, or says that all of the query matters.
  init?(of fields: HTTPFields) {
    guard let text = fields[.noVarySearch] else { return nil }
    self.init(text)
  }

  /// Reads a structured dictionary (RFC 9651 section 3.2); `nil` as for the field.
  init?(_ text: String) {
    var cursor = FieldCursor(text)
    var (params, except): (Value, Value) = (.boolean(false), .list([]))
    while true {
      cursor.skipWhitespace()
      guard let name = cursor.token(), let value = Value(&cursor) else { return nil }
      switch name {
      case "key-order":
        guard case .boolean(let isIgnored) = value else { return nil }
        ignoresOrder = isIgnored
      case "params": params = value
      case "except": except = value
      default: break
      }
      cursor.skipWhitespace()
      if cursor.isAtEnd { break }
      guard cursor.take(UInt8(ascii: ",")) else { return nil }
    }
    guard case .list(let exceptions) = except else { return nil }
    switch params {
    case .boolean(true): kept = Set(exceptions)
    case .boolean(false): break
    case .list(let names): ignored = Set(names)
    }
    // Exceptions have a meaning only if all other parameters are ignored.
    if kept == nil, !exceptions.isEmpty { return nil }
    if !ignoresOrder, ignored.isEmpty, kept == nil { return nil }
  }

  /// Returns a text that is equal for the queries that select the same response.
  func canonical(_ query: String?) -> String {
    var pairs = (query ?? "").split(separator: "&").map { item -> (name: String, value: String) in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
    pairs.removeAll { pair in
      if let kept { !kept.contains(pair.name) } else { ignored.contains(pair.name) }
    }
    if ignoresOrder {
      // The order of parameters with one name matters.
      let sorted = pairs.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      pairs = sorted.map(\.element)
    }
    return pairs.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentCoding.decoded(text, plusIsSpace: true).bytes, as: UTF8.self)
  }

  /// A value of the dictionary: a boolean, or a list of strings.
  private enum Value {
    case boolean(Bool)
    case list([String])

    init?(_ cursor: inout FieldCursor) {
      guard cursor.take(UInt8(ascii: "=")) else {
        self = .boolean(true)
        return
      }
      if cursor.take(UInt8(ascii: "?")) {
        let isTrue = cursor.take(UInt8(ascii: "1"))
        guard isTrue || cursor.take(UInt8(ascii: "0")) else { return nil }
        self = .boolean(isTrue)
        return
      }
      guard cursor.take(UInt8(ascii: "(")) else { return nil }
      var names: [String] = []
      while true {
        cursor.skipWhitespace()
        if cursor.take(UInt8(ascii: ")")) { break }
        guard let name = cursor.quotedString() else { return nil }
        // Names are written in percent-encoded form.
        names.append(NoVarySearch.decoded(name[...]))
      }
      self = .list(names)
    }
  }
}

extension HTTPField.Name {
  /// `No-Vary-Search`.
  static let noVarySearch = HTTPField.Name(constant: "No-Vary-Search")
}
