import Dispatch
import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore
@testable import LupineCoding

@Suite struct HandlerTests {
  @Test func `handlers of all kinds are called in order, each with its own value`() async throws {
    let session = try TestBed(.json(["a": 1])).session()
    let notes = Notes<String>()
    session.request(TestBed.url)
      .response { notes.add("response \($0.value??.count ?? -1)") }
      .responseData { notes.add("data \($0.value?.count ?? -1)") }
      .responseString { notes.add("string \($0.value ?? "")") }
      .responseJSON { notes.add("json \($0.value?["a"]?.description ?? "")") }
      .responseDecodable(of: [String: Int].self) { notes.add("decodable \($0.value?["a"] ?? -1)") }
      .response(responseSerializer: ClosureResponseSerializer { $0.head.status.code }) {
        notes.add("custom \($0.value ?? 0)")
      }
    await session.finishRequests()
    #expect(
      notes.all == [
        "response 7", "data 7", "string {\"a\":1}", "json 1", "decodable 1", "custom 200",
      ])
  }

  @Test func `an error reaches handlers of all kinds`() async throws {
    let session = try TestBed(.fault(.connectionRefused)).session()
    let notes = Notes<LupineError.Kind?>()
    session.request(TestBed.url)
      .response { notes.add($0.error?.kind) }
      .responseData { notes.add($0.error?.kind) }
      .responseString { notes.add($0.error?.kind) }
      .responseJSON { notes.add($0.error?.kind) }
      .responsePropertyList { notes.add($0.error?.kind) }
      .responseDecodable(of: Int.self) { notes.add($0.error?.kind) }
    await session.finishRequests()
    #expect(notes.all == Array(repeating: .connectionRefused, count: 6))
  }

  @Test func `a handler whose value cannot be made does not keep the others from theirs`() async throws {
    let session = try TestBed(.text("no json")).session()
    let notes = Notes<String>()
    session.request(TestBed.url)
      .responseJSON { notes.add("\($0.error?.kind == .serializationFailed)") }
      .responseString { notes.add($0.value ?? "") }
    await session.finishRequests()
    #expect(notes.all == ["true", "no json"])
  }

  @Test func `a queue that is named is the one a handler runs on, in its turn`() async throws {
    let queue = DispatchQueue(label: "handlers")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 7)
    let session = try TestBed().session { $0.startsImmediately(false) }
    let notes = Notes<Int>()
    session.request(TestBed.url)
      .responseData { _ in notes.add(1) }
      .responseData(queue: queue) { _ in notes.add(DispatchQueue.getSpecific(key: key) ?? 0) }
      .responseData { _ in notes.add(3) }
      .resume()
    await session.finishRequests()
    #expect(notes.all == [1, 7, 3])
  }

  @Test func `a handler attached after the end is called`() async throws {
    let session = try TestBed().session()
    let request = session.request(TestBed.url)
    _ = try await request.serializingData().value
    let called = Flag()
    let notes = Notes<String>()
    request.responseString {
      notes.add($0.value ?? "")
      called.raise()
    }
    await called.raised()
    #expect(notes.all == ["hello"])
  }

  @Test func `a handler attached by a handler is called after those before it`() async throws {
    let session = try TestBed().session { $0.startsImmediately(false) }
    let notes = Notes<Int>()
    let request = session.request(TestBed.url)
    request.response { _ in
      notes.add(1)
      request.response { _ in notes.add(3) }
    }
    .response { _ in notes.add(2) }
    .resume()
    await session.finishRequests()
    #expect(notes.all == [1, 2, 3])
  }

  @Test func `handlers and awaiters share one exchange`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    let notes = Notes<String>()
    let request = session.request(TestBed.url).responseString { notes.add($0.value ?? "") }
    #expect(try await request.serializingString().value == "hello")
    await session.finishRequests()
    #expect(notes.all == ["hello"])
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a request that could not be created tells its handlers why`() async throws {
    let session = try TestBed().session()
    let notes = Notes<LupineError.Kind?>()
    let request = session.request("no url").response { notes.add($0.error?.kind) }
    await session.finishRequests()
    #expect(notes.all == [.invalidURL])
    #expect(request.description == "a request that could not be created")
  }

  @Test func `handlers run on the session's executor`() async throws {
    let executor = CountingExecutor()
    let session = try TestBed().session { $0.executor(executor) }
    session.request(TestBed.url).response { _ in }
    await session.finishRequests()
    #expect(executor.jobs.all.count > 0)
  }

  @Test func `the response has the request, the head, the data and the metrics`() async throws {
    let reply = MockReply.text("hello", status: .accepted).field(.server, "mock")
      .trailers([.custom: "t"]).chunked(["hel", "lo"])
    let session = try TestBed(reply).session()
    let response = await session.request(TestBed.url, method: .post, parameters: ["a": 1]).serializingString().response
    #expect(response.request?.method == .post)
    #expect(response.request?.headers[.userAgent] != nil)
    #expect(response.response?.status == .accepted)
    #expect(response.response?.headerFields[.server] == "mock")
    #expect(response.data == Data("hello".utf8))
    #expect(response.trailers?[.custom] == "t")
    #expect(response.metrics.bytesReceived == 5)
    #expect(response.metrics.bytesSent == 3)
    #expect(response.value == "hello")
  }

  @Test func `a body that the encoder puts into a GET is an error that names the reason`() async throws {
    let session = try TestBed().session()
    let response = await session.request(TestBed.url, parameters: ["a": 1], encoder: .json).serializingData().response
    #expect(response.error?.message.contains("GET") == true)
  }

  @Test func `an encoder that throws gives an error with what it threw`() async throws {
    struct Bad: Error {}
    let session = try TestBed().session()
    let encoder = ClosureParameterEncoder { _, _ in throw Bad() }
    let response = await session.request(TestBed.url, method: .post, parameters: ["a": 1], encoder: encoder)
      .serializingData().response
    #expect(response.error?.kind == .parameterEncodingFailed)
    #expect(response.error?.underlying is Bad)
  }
}

/// An executor that counts the jobs it runs.
final class CountingExecutor: TaskExecutor {
  let jobs = Notes<Void>()
  private let queue = DispatchQueue(label: "executor")

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.add(())
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
