import Dispatch
import FoundationEssentials
import Lupine
import Synchronization
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct HandlerTests {
  @Test func `every kind of handler gets its value, in order`() async throws {
    struct Answer: Decodable { let server: String }
    let calls = Mutex<[String]>([])
    let call: @Sendable (String, Bool) -> Void = { name, isRight in
      calls.withLock { $0.append(isRight ? name : "\(name) is wrong") }
    }
    let request = try Peer.nginx.session().request("json").validate()
      .response { call("response", $0.value??.isEmpty == false) }
      .responseData { call("data", $0.value == $0.data) }
      .responseString { call("string", $0.value?.hasPrefix("{") == true) }
      .responseJSON { call("JSON", $0.value?["numbers"] == [1, 2, 3]) }
      .responseDecodable(of: Answer.self) { call("decodable", $0.value?.server == "nginx") }
      .responsePropertyList { call("property list", $0.error?.kind == .serializationFailed) }
      .response(responseSerializer: .closure(\.data.count)) { call("serializer", $0.value == $0.data?.count) }
    await end(of: request)
    #expect(
      calls.withLock { $0 } == ["response", "data", "string", "JSON", "decodable", "property list", "serializer"])
  }

  @Test func `a property list is read by its handler`() async throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let text = try encoder.encode(["flower": "lupine"]).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_")
    let request = try Peer.httpbin.session().request("base64/\(text)").validate()
    let response = await withCheckedContinuation { continuation in
      request.responsePropertyList { continuation.resume(returning: $0) }
    }
    #expect(response.value?["flower"] == .string("lupine"))
  }

  @Test func `a handler runs on the queue it names`() async throws {
    let queue = DispatchQueue(label: "lupine.tests")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let request = try Peer.nginx.session().request("hello")
    let isOnQueue = await withCheckedContinuation { continuation in
      request.responseString(queue: queue) { _ in
        continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
      }
    }
    #expect(isOnQueue)
  }

  @Test func `one exchange serves every handler and every await`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    let request = session.request("hello").responseString { _ in }
    #expect(try await request.serializingString().value == "Hello from nginx\n")
    #expect(try await request.serializingData().value.count == 17)
    await end(of: request)
    #expect(heads.all == [200])
  }

  @Test func `a failed request calls every handler with the error`() async throws {
    let kinds = Mutex<[LupineError.Kind?]>([])
    let request = try Peer.nginx.session().request("no-such-file").validate()
      .responseString { response in kinds.withLock { $0.append(response.error?.kind) } }
      .responseJSON { response in kinds.withLock { $0.append(response.error?.kind) } }
    await end(of: request)
    #expect(kinds.withLock { $0 } == [.unacceptableStatusCode(404), .unacceptableStatusCode(404)])
  }

  @Test func `a request without a handler sends nothing`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    _ = session.request("no-such-file")
    _ = await session.request("hello").serializingData().response
    await session.shutdown()
    #expect(heads.all == [200])
  }

  @Test func `print and debugPrint show the request that was sent`() async throws {
    let request = try Peer.nginx.session().request(
      "hello", headers: RequestHeaders([.authorization(bearerToken: "secretRw4uPz8nYc")]))
    let url = try Peer.nginx.url + "/hello"
    let command = await request.cURLDescription()
    #expect("\(request)" == "GET \(url) (200)")
    #expect(command.hasPrefix("curl") && command.contains(url))
    #expect(!command.contains("secretRw4uPz8nYc"))
  }

  /// Waits until the handlers attached so far have been called.
  private func end(of request: DataRequest) async {
    await withCheckedContinuation { continuation in
      request.response { _ in continuation.resume() }
    }
  }
}
