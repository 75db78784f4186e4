/// A queue in which any element can be removed in constant time.
///
/// It is a doubly linked list in an array. The array has room for the greatest number of elements since the queue was
/// last empty.
public struct RemovableQueue<Element> {
  /// The place of an element; no other element of the queue ever has the same place.
  public struct Place: Hashable, Sendable {
    fileprivate let index: Int
    fileprivate let number: UInt64
  }

  fileprivate struct Slot {
    /// `nil` in a free slot.
    var element: Element?
    var number: UInt64
    var previous: Int
    /// The next slot of the queue, or the next free one.
    var next: Int
  }

  private static var none: Int { -1 }
  /// The number of slots that an empty queue keeps.
  private static var keptRoom: Int { 64 }

  private var slots: [Slot] = []
  private var firstIndex = Self.none
  private var lastIndex = Self.none
  private var freeIndex = Self.none
  private var lastNumber: UInt64 = 0
  /// The number of elements.
  public private(set) var count = 0

  /// Makes an empty queue.
  public init() {}

  /// Whether there is no element.
  public var isEmpty: Bool { count == 0 }
  /// The element that was appended first.
  public var first: Element? { element(at: firstIndex) }
  /// The element that was appended last.
  public var last: Element? { element(at: lastIndex) }

  private func element(at index: Int) -> Element? { index == Self.none ? nil : slots[index].element }

  /// Appends an element, and returns its place.
  @discardableResult
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
    count += 1
    return Place(index: index, number: lastNumber)
  }

  /// Removes and returns the element that was appended first.
  public mutating func popFirst() -> Element? { remove(at: firstIndex) }

  /// Removes and returns the element that was appended last.
  public mutating func popLast() -> Element? { remove(at: lastIndex) }

  /// Removes and returns the element of a place; `nil` if it has been removed.
  @discardableResult
  public mutating func remove(_ place: Place) -> Element? {
    guard slots.indices.contains(place.index), slots[place.index].number == place.number,
      slots[place.index].element != nil
    else { return nil }
    return remove(at: place.index)
  }

  /// Removes all elements.
  public mutating func removeAll() {
    slots = []
    (firstIndex, lastIndex, freeIndex) = (Self.none, Self.none, Self.none)
    count = 0
  }

  private mutating func remove(at index: Int) -> Element? {
    guard index != Self.none else { return nil }
    assert(StepCount.add())
    let slot = slots[index]
    if slot.previous == Self.none { firstIndex = slot.next } else { slots[slot.previous].next = slot.next }
    if slot.next == Self.none { lastIndex = slot.previous } else { slots[slot.next].previous = slot.previous }
    slots[index].element = nil
    slots[index].next = freeIndex
    freeIndex = index
    count -= 1
    if isEmpty, slots.count > Self.keptRoom { removeAll() }
    return slot.element
  }
}

extension RemovableQueue.Slot: Sendable where Element: Sendable {}
extension RemovableQueue: Sendable where Element: Sendable {}
