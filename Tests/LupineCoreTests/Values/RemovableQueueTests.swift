import LupineSupport
import Testing

@Suite struct RemovableQueueTests {
  @Test func `elements leave in the order in which they came, also after removals in the middle`() {
    var queue = RemovableQueue<Int>()
    let places = (0..<10).map { queue.append($0) }
    for index in [3, 0, 9, 4] { #expect(queue.remove(places[index]) == index) }
    #expect(queue.count == 6)
    #expect(queue.first == 1)
    #expect(queue.last == 8)
    var order: [Int] = []
    while let next = queue.popFirst() { order.append(next) }
    #expect(order == [1, 2, 5, 6, 7, 8])
    #expect(queue.isEmpty)
    #expect(queue.first == nil)
    #expect(queue.popLast() == nil)
  }

  @Test func `a place is not valid for the element that follows in its room`() {
    var queue = RemovableQueue<String>()
    let place = queue.append("a")
    #expect(queue.remove(place) == "a")
    _ = queue.append("b")
    #expect(queue.remove(place) == nil)
    #expect(queue.popLast() == "b")
    queue.removeAll()
    #expect(queue.remove(place) == nil)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `random operations give the same order as an array`(seed: UInt64) {
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var queue = RemovableQueue<Int>()
    var model: [(value: Int, place: RemovableQueue<Int>.Place)] = []
    for number in 0..<2_000 {
      switch random(5) {
      case 0, 1: model.append((number, queue.append(number)))
      case 2: #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst().value))
      case 3: #expect(queue.popLast() == model.popLast()?.value)
      default:
        guard !model.isEmpty else { continue }
        let removed = model.remove(at: random(model.count))
        #expect(queue.remove(removed.place) == removed.value)
        #expect(queue.remove(removed.place) == nil)
      }
      #expect(queue.count == model.count)
      #expect(queue.first == model.first?.value)
      #expect(queue.last == model.last?.value)
    }
  }
}
