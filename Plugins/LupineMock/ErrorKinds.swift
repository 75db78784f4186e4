public import LupineCore

extension LupineError.Kind {
  /// No stub of a mock expects the request.
  public static let unmatchedRequest = LupineError.Kind.plugin("unmatchedRequest")
  /// A stub or a fixture contradicts itself.
  public static let invalidStub = LupineError.Kind.plugin("invalidStub")
  /// A stub of a mock was never used, or less often than it was to be.
  public static let unusedStub = LupineError.Kind.plugin("unusedStub")
  /// A simulation cannot proceed, and its body has not ended.
  public static let simulationStuck = LupineError.Kind.plugin("simulationStuck")
  /// A simulation was to begin inside another one, whose time would stand still meanwhile.
  public static let simulationNested = LupineError.Kind.plugin("simulationNested")
}
