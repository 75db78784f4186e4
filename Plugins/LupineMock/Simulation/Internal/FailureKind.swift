import LupineCore

/// The properties that two failures of a body share if they have the same cause.
struct FailureKind: Hashable {
  private let type: ObjectIdentifier
  /// The name of an enumeration case, without its associated values, which may differ with the faults.
  private let name: String?
  private let kind: LupineError.Kind?
  /// The expectation that was not met, without its message, which may contain a number that differs with the faults.
  private let expectation: UnmetExpectation?

  init(_ error: any Error) {
    type = ObjectIdentifier(Swift.type(of: error))
    let mirror = Mirror(reflecting: error)
    name = mirror.displayStyle == .enum ? mirror.children.first?.label ?? "\(error)" : nil
    let own = error as? LupineError
    kind = own?.kind
    expectation = own?.underlying as? UnmetExpectation
  }
}
