import HTTPTypes
import LupineSupport

/// The directives of `Cache-Control`, of a request or of a response (RFC 9111 section 5.2), or of a targeted field.
///
/// Names are case-insensitive, and arguments may be tokens or quoted strings. Of a repeated directive the first
/// occurrence counts (RFC 9111 section 4.2.1).
struct CacheDirectives: Sendable, Equatable {
  typealias Argument = CacheDirective.Argument

  /// The directives that a cache acts on; others are read and dropped, so that a search is short.
  private static let known: Set<String> = [
    "immutable", "max-age", "max-stale", "min-fresh", "must-revalidate", "must-understand", "no-cache", "no-store",
    "only-if-cached", "private", "proxy-revalidate", "public", "s-maxage", "stale-if-error", "stale-while-revalidate",
  ]

  /// The directives whose argument is a list of fields.
  private static let takesNames: Set<String> = ["no-cache", "private"]

  /// The directives that permit more to a cache, and take no argument.
  private static let permissive: Set<String> = ["immutable", "must-understand", "public"]

  private var directives: [CacheDirective] = []
  /// Whether there is no directive, not even an unknown one.
  private(set) var isEmpty = true
  /// Whether a quoted string has no end, so that directives after it cannot be told from its text.
  private(set) var isMalformed = false

  /// No directives.
  init() {}

  private subscript(name: String) -> Argument? { directives.first { $0.name == name }?.argument }

  /// Reads the directives of all fields with a name.
  init(_ fields: HTTPFields, _ name: HTTPField.Name = .cacheControl) {
    guard fields.contains(name) else { return }
    // Each field alone: the open quote of one field does not hide the directives of the next.
    for value in fields[values: name] { read(value) }
  }

  /// Reads a field for some caches alone, which is a structured dictionary (RFC 9213 section 2.1).
  ///
  /// A field that violates the grammar has no directives. An argument of another kind is invalid, and a directive that
  /// permits something then does not count.
  init(targeted fields: HTTPFields, _ name: HTTPField.Name) {
    guard let text = fields[name], let dictionary = StructuredDictionary(text) else { return }
    isEmpty = dictionary.members.isEmpty
    for (name, value) in dictionary.members where Self.known.contains(name) {
      if Self.permissive.contains(name), value != .boolean(true) { continue }
      let argument: Argument =
        switch value {
        case .boolean(true): .none
        case .integer(let number) where number >= 0: .text(String(number))
        case .string(let text): Self.takesNames.contains(name) ? .text(text) : .invalid
        default: .invalid
        }
      directives.append(CacheDirective(name: name, argument: argument))
    }
  }

  private mutating func read(_ value: String) {
    var cursor = FieldCursor(value)
    while let directive = cursor.cacheDirective() {
      isEmpty = false
      if directive.isUnclosed { isMalformed = true }
      if Self.known.contains(directive.name), self[directive.name] == nil { directives.append(directive) }
    }
  }

  /// Whether the directive is present, with any argument.
  func contains(_ name: String) -> Bool { self[name] != nil }

  /// Whether the directive is present and has an argument.
  func hasArgument(_ name: String) -> Bool { self[name].map { $0 != .none } ?? false }

  /// The seconds of a directive: `nil` if it is absent, 0 if its argument is invalid.
  ///
  /// Invalid freshness information thus makes a response stale (RFC 9111 section 4.2.1).
  func seconds(_ name: String) -> Double? {
    switch self[name] {
    case nil: nil
    case .text(let text): DeltaSeconds.parse(text) ?? 0
    case .some(.none), .invalid: 0
    }
  }

  /// The names of the fields in the argument of a directive such as `no-cache="a, b"`.
  ///
  /// `nil` if the directive is absent or has no argument, and then concerns the whole response.
  func fieldNames(_ name: String) -> [String]? {
    guard case .text(let text) = self[name] else { return nil }
    let names = text.split(separator: ",").map { String($0.trimmingBlanks()) }.filter { !$0.isEmpty }
    // A list with an invalid name counts as a directive without an argument, which is stricter.
    return names.isEmpty || !names.allSatisfy(\.isToken) ? nil : names
  }

  /// Whether the directive is present and concerns the whole response.
  func concernsAll(_ name: String) -> Bool { contains(name) && fieldNames(name) == nil }
}

/// Reads a number of seconds (RFC 9111 section 1.2.2).
enum DeltaSeconds {
  /// The greatest number of seconds, 2^31, which stands for every greater one.
  static let maximum: Double = 2_147_483_648

  /// Returns the seconds; `nil` if the text has other bytes than digits.
  static func parse(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
    guard let number = Int64(text) else { return maximum }
    return min(Double(number), maximum)
  }
}
