extension TransferContext: HidesSecrets {
  /// The request and the attempt; what the proxy alone may see is left out.
  public var description: String { "the context of \(id), attempt \(attempt)" }
}
