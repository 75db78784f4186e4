import LupineCore
import LupineSupport
import Testing

@testable import LupineSession

@Suite struct RequestDeadlinesTests {
  @Test func `a request is due when its deadline has passed, or once after it has got one`() {
    var deadlines = RequestDeadlines()
    for id: UInt64 in [2, 1] { deadlines.recordChange(of: RequestID(id), running: 2) { _ in true } }
    #expect(deadlines.takeDue(.zero) == [RequestID(1), RequestID(2)])
    deadlines.set(.seconds(5), of: RequestID(1))
    deadlines.set(.seconds(3), of: RequestID(2))
    #expect(deadlines.earliest == .seconds(3))
    #expect(deadlines.takeDue(.seconds(2)).isEmpty)
    #expect(deadlines.takeDue(.seconds(3)) == [RequestID(2)])
    #expect(deadlines.earliest == .seconds(5))
    deadlines.recordChange(of: RequestID(1), running: 1) { _ in true }
    #expect(deadlines.takeDue(.seconds(3)) == [RequestID(1)])
    deadlines.set(.seconds(4), of: RequestID(1))
    #expect(deadlines.earliest == .seconds(4))
    deadlines.remove(RequestID(1))
    #expect(deadlines.earliest == nil)
    #expect(deadlines.takeDue(.seconds(9)).isEmpty)
  }

  @Test(arguments: [false, true])
  func `a request takes logarithmic work, whether it times out or ends before`(ends: Bool) async {
    func steps(_ count: Int) async -> Int {
      await StepCount.count {
        var deadlines = RequestDeadlines()
        var found = 0
        for number in 1...count {
          deadlines.recordChange(of: RequestID(UInt64(number)), running: ends ? 1 : number) { _ in !ends }
          if ends { deadlines.remove(RequestID(UInt64(number))) }
        }
        // One time after the other, so that each check finds one request.
        for number in 1...count {
          for id in deadlines.takeDue(.seconds(number)) {
            if Duration.seconds(Int64(id.rawValue)) > .seconds(number) {
              deadlines.set(.seconds(Int64(id.rawValue)), of: id)
            } else {
              found += 1
            }
          }
          _ = deadlines.earliest
        }
        #expect(ends || found == count)
      }
    }
    let (small, large) = (await steps(1_000), await steps(10_000))
    #expect(small >= 500)
    #expect(large <= 15 * small)
  }
}
