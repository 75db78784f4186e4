/// One field line exactly as sent: the case of the name is kept, and nothing is validated.
public struct RawField: Sendable, Hashable, CustomStringConvertible {
  /// The name, in the case in which it was sent.
  public var name: String
  /// The value, without the white space around it.
  public var value: String

  /// Creates a field line from a name and a value, which are not validated.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The line without its line ending, such as `Accept: */*`.
  public var description: String { "\(name): \(value)" }

  func isNamed(_ other: String) -> Bool {
    name.lowercased() == other.lowercased()
  }
}
