extension TransferContext: CustomStringConvertible, CustomReflectable {
  /// The request and the attempt.
  public var description: String { "the context of \(id), attempt \(attempt)" }

  /// The request and the attempt; what the proxy alone may see is left out.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "attempt": attempt]) }
}
