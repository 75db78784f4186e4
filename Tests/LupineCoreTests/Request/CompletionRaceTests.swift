import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct CompletionRaceTests {
  enum Act: CaseIterable, Sendable { case cancel, suspend, resume, handle, await, again }

  @Test func `whatever races, a request ends exactly once and each handler is called once`() async throws {
    var random = SystemRandomNumberGenerator()
    let bench = TestBed()
    let session = try bench.session()
    for _ in 0..<1_000 {
      let calls = Notes<Int>()
      let request = session.request(TestBed.url)
      request.response { _ in calls.add(0) }
      await withTaskGroup(of: Void.self) { group in
        for number in 1...4 {
          let acts = (0..<4).map { _ in Act.allCases.randomElement(using: &random) ?? .resume }
          group.addTask { await Self.perform(acts, on: request, number, calls) }
        }
        // A final resumption, so that no task waits forever for a suspended request.
        group.addTask { request.resume() }
        await group.waitForAll()
      }
      request.resume()
      _ = await request.serializingData().response
      await session.finishRequests()
      let numbers = calls.all
      #expect(Set(numbers).count == numbers.count)
      #expect(numbers.first == 0)
    }
    #expect(bench.log.finishedCount == 1_000)
    #expect(session.registry.running.isEmpty)
  }

  private static func perform(_ acts: [Act], on request: DataRequest, _ number: Int, _ calls: Notes<Int>) async {
    for (index, act) in acts.enumerated() {
      switch act {
      case .cancel: request.cancel()
      case .suspend: request.suspend()
      case .resume: request.resume()
      case .handle: request.responseString { _ in calls.add(number * 10 + index) }
      case .await:
        request.resume()
        let waiting = Task { await request.serializingData().response }
        if number % 2 == 0 { waiting.cancel() }
      case .again: await Task.yield()
      }
    }
  }

  @Test func `followers all get the one outcome`() async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url)
    let values = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<50 { group.addTask { await request.serializingString().response.value } }
      return await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(values.allSatisfy { $0 == "hello" })
    #expect(bench.mock.requests.count == 1)
  }
}
