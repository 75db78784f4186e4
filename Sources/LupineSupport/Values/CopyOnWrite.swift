/// A value behind one pointer, for large ones that are handed on often: that costs one retain, whatever the value holds.
///
/// Whoever changes a value that somebody else holds as well gets a copy of his own.
public struct CopyOnWrite<Value: Sendable>: Sendable {
  /// Sendable although the compiler cannot see it: `value` is written only while one `CopyOnWrite` alone holds the box,
  /// which exclusive access to that one protects, so no other thread can be reading it.
  private final class Box: @unchecked Sendable {
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  /// Stores a value.
  public init(_ value: Value) { box = Box(value) }

  /// The value; a change copies it if it is shared.
  public var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Optional {
  /// Changes the value, or the one that it is to begin with where there is none yet.
  public mutating func change<Value: Sendable>(
    from first: @autoclosure () -> Value, _ change: (inout Value) -> Void
  ) where Wrapped == CopyOnWrite<Value> {
    // Taken out meanwhile, so that nobody else holds what is changed.
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
