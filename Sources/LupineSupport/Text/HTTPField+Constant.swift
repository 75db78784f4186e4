public import HTTPTypes

extension HTTPField.Name {
  /// Creates a name from a constant.
  ///
  /// A constant that is not a token (RFC 9110 section 5.6.2) is a programming error.
  public init(constant: StaticString) {
    guard let name = HTTPField.Name("\(constant)") else { preconditionFailure("\(constant) is no name of a field.") }
    self = name
  }
}
