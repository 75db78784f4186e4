/// A value stored indirectly, for large values that are copied often: a copy costs one retain, whatever the value
/// holds.
///
/// Changing a shared value copies it first. Inlinable, because other modules would otherwise call unspecialized code:
/// `Benchmarks/README.md` has the figures.
@frozen
public struct CopyOnWrite<Value: Sendable>: Sendable {
  /// `Sendable` without a compiler check: `value` is written only while a single `CopyOnWrite` holds the box.
  ///
  /// Exclusive access to that `CopyOnWrite` ensures that no other thread reads the value.
  @usableFromInline
  final class Box: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Stores a value.
  @inlinable
  public init(_ value: Value) { box = Box(value) }

  /// The value; a change copies it if it is shared.
  @inlinable
  public var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Optional {
  /// Changes the value; if there is none yet, changes the initial one.
  @inlinable
  public mutating func change<Value: Sendable>(
    from first: @autoclosure () -> Value, _ change: (inout Value) -> Void
  ) where Wrapped == CopyOnWrite<Value> {
    // Taken out during the change, so that the box has a single owner.
    var changed = take() ?? CopyOnWrite(first())
    change(&changed.value)
    self = changed
  }
}

extension CopyOnWrite: Equatable where Value: Equatable {
  /// Compares the values.
  public static func == (left: CopyOnWrite, right: CopyOnWrite) -> Bool {
    left.box === right.box || left.value == right.value
  }
}

extension CopyOnWrite: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
