public import LupineCore

extension LupineError.Kind {
  /// No stub of a mock matches the request.
  public static let unmatchedRequest = LupineError.Kind.plugin("unmatchedRequest")
  /// A stub or a fixture is invalid.
  public static let invalidStub = LupineError.Kind.plugin("invalidStub")
  /// A stub of a mock was used less often than its minimum.
  public static let unusedStub = LupineError.Kind.plugin("unusedStub")
  /// A simulation has nothing left to run, but its body has not ended.
  public static let simulationStuck = LupineError.Kind.plugin("simulationStuck")
  /// A simulation was started inside another one, whose time would not advance meanwhile.
  public static let simulationNested = LupineError.Kind.plugin("simulationNested")
}
