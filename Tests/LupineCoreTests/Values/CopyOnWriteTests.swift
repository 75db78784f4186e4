import Testing

@testable import LupineCore
@testable import LupineSupport

@Suite struct CopyOnWriteTests {
  @Test func `a copy that is changed leaves the original as it was`() {
    let original = CopyOnWrite([1, 2])
    var copy = original
    copy.value.append(3)
    #expect(original.value == [1, 2])
    #expect(copy.value == [1, 2, 3])
    #expect(original != copy)
  }

  @Test func `copies that are changed in many tasks at once do not see each other`() async {
    let original = CopyOnWrite(["x": 0])
    let sums = await withTaskGroup(of: Int.self) { group in
      for number in 1...50 {
        group.addTask {
          var copy = original
          for _ in 0..<20 { copy.value["x", default: 0] += number }
          return copy.value["x"] ?? 0
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.sorted() == (1...50).map { $0 * 20 })
    #expect(original.value == ["x": 0])
  }
}
