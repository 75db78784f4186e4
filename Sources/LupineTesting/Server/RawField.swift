/// One field line as it stands on the wire: the name's case is kept and nothing is checked.
public struct RawField: Sendable, Hashable, CustomStringConvertible {
  /// The name, in the case in which it was sent.
  public var name: String
  /// The value, without the white space around it.
  public var value: String

  /// Makes a field line out of a name and a value, neither of which is checked.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The line without its end, as in `Accept: */*`.
  public var description: String { "\(name): \(value)" }

  func isNamed(_ other: String) -> Bool {
    name.lowercased() == other.lowercased()
  }
}
