/// A queue in which any element can be removed in constant time.
///
/// It is a doubly linked list in an array. The array has room for the greatest number of elements since the queue was
/// last empty. It is inlined into other modules, whose elements it is then compiled for; `Benchmarks/README.md` has the
/// saving.
@frozen
public struct RemovableQueue<Element> {
  /// The place of an element; no other element of the queue ever has the same place.
  @frozen
  public struct Place: Hashable, Sendable {
    @usableFromInline let index: Int
    @usableFromInline let number: UInt64

    @inlinable
    init(index: Int, number: UInt64) {
      self.index = index
      self.number = number
    }
  }

  @frozen @usableFromInline
  struct Slot {
    /// `nil` in a free slot.
    @usableFromInline var element: Element?
    @usableFromInline var number: UInt64
    @usableFromInline var previous: Int
    /// The next slot of the queue, or the next free one.
    @usableFromInline var next: Int

    @inlinable
    init(element: Element?, number: UInt64, previous: Int, next: Int) {
      self.element = element
      self.number = number
      self.previous = previous
      self.next = next
    }
  }

  @inlinable static var none: Int { -1 }
  /// The number of slots that an empty queue keeps.
  @inlinable static var keptRoom: Int { 64 }

  @usableFromInline var slots: [Slot] = []
  @usableFromInline var firstIndex = -1
  @usableFromInline var lastIndex = -1
  @usableFromInline var freeIndex = -1
  @usableFromInline var lastNumber: UInt64 = 0
  /// The number of elements.
  @inlinable public var count: Int { elementCount }
  @usableFromInline var elementCount = 0

  /// Makes an empty queue.
  @inlinable
  public init() {}

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { count == 0 }
  /// The element that was appended first.
  @inlinable public var first: Element? { element(at: firstIndex) }
  /// The element that was appended last.
  @inlinable public var last: Element? { element(at: lastIndex) }

  @inlinable
  func element(at index: Int) -> Element? { index == Self.none ? nil : slots[index].element }

  /// Appends an element, and returns its place.
  @inlinable @discardableResult
  public mutating func append(_ element: Element) -> Place {
    assert(StepCount.add())
    lastNumber += 1
    let slot = Slot(element: element, number: lastNumber, previous: lastIndex, next: Self.none)
    let index: Int
    if freeIndex == Self.none {
      index = slots.count
      slots.append(slot)
    } else {
      index = freeIndex
      freeIndex = slots[index].next
      slots[index] = slot
    }
    if lastIndex == Self.none { firstIndex = index } else { slots[lastIndex].next = index }
    lastIndex = index
    elementCount += 1
    return Place(index: index, number: lastNumber)
  }

  /// Removes and returns the element that was appended first.
  @inlinable
  public mutating func popFirst() -> Element? { remove(at: firstIndex) }

  /// Removes and returns the element that was appended last.
  @inlinable
  public mutating func popLast() -> Element? { remove(at: lastIndex) }

  /// Removes and returns the element of a place; `nil` if it has been removed.
  @inlinable @discardableResult
  public mutating func remove(_ place: Place) -> Element? {
    guard slots.indices.contains(place.index), slots[place.index].number == place.number,
      slots[place.index].element != nil
    else { return nil }
    return remove(at: place.index)
  }

  /// Removes all elements.
  @inlinable
  public mutating func removeAll() {
    slots = []
    (firstIndex, lastIndex, freeIndex) = (Self.none, Self.none, Self.none)
    elementCount = 0
  }

  @inlinable
  mutating func remove(at index: Int) -> Element? {
    guard index != Self.none else { return nil }
    assert(StepCount.add())
    let slot = slots[index]
    if slot.previous == Self.none { firstIndex = slot.next } else { slots[slot.previous].next = slot.next }
    if slot.next == Self.none { lastIndex = slot.previous } else { slots[slot.next].previous = slot.previous }
    slots[index].element = nil
    slots[index].next = freeIndex
    freeIndex = index
    elementCount -= 1
    if isEmpty, slots.count > Self.keptRoom { removeAll() }
    return slot.element
  }
}

extension RemovableQueue.Slot: Sendable where Element: Sendable {}
extension RemovableQueue: Sendable where Element: Sendable {}
