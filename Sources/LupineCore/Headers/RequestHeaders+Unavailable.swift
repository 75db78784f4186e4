// Methods of Alamofire's HTTPHeaders. The compiler's message names the replacement.
extension RequestHeaders {
  /// Unavailable: a field is added with `append(_:)`, and set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value to set the field, or append(_:) to repeat its name.")
  public mutating func add(_ header: RequestHeader) {}

  /// Unavailable: a field is added with `append(_:)`, and set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value to set the field, or append(_:) to repeat its name.")
  public mutating func add(name: String, value: String) {}

  /// Unavailable: a field is set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value.")
  public mutating func update(_ header: RequestHeader) {}

  /// Unavailable: a field is set by subscript.
  @available(*, unavailable, message: "Use headers[name] = value.")
  public mutating func update(name: String, value: String) {}

  /// Unavailable: a field is removed with `remove(_:)`.
  @available(*, unavailable, renamed: "remove(_:)")
  public mutating func remove(name: String) {}

  /// Unavailable: a field is read by subscript.
  @available(*, unavailable, message: "Use headers[name].")
  public func value(for name: String) -> String? { nil }
}
