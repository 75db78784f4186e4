import LupineCore

/// What two failures of a body have in common if they come from the same bug.
struct FailureKind: Hashable {
  private let type: ObjectIdentifier
  /// An enumeration's case, without what it carries, which may differ with the faults.
  private let name: String?
  private let kind: LupineError.Kind?
  /// The line of the expectation that was not met.
  private let place: String?

  init(_ error: any Error, in world: Simulation) {
    type = ObjectIdentifier(Swift.type(of: error))
    let mirror = Mirror(reflecting: error)
    name = mirror.displayStyle == .enum ? mirror.children.first?.label ?? "\(error)" : nil
    let own = error as? LupineError
    kind = own?.kind
    place = own.flatMap { world.place(of: $0) }
  }
}
