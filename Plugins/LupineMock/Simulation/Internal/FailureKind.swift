import LupineCore

/// What two failures of a body have in common if they come from the same bug.
struct FailureKind: Hashable {
  private let type: ObjectIdentifier
  /// An enumeration's case, without what it carries, which may differ with the faults.
  private let name: String?
  private let kind: LupineError.Kind?
  /// The expectation that was not met; its message is left out, which may tell a number that differs with the faults.
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
