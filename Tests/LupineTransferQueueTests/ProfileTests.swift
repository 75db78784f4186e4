import Foundation
import LupineCore
import LupineMock
import LupineSQLiteConnection
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// Settings of sessions that the folder of a queue stores.
@Suite(.timeLimit(.minutes(1))) struct ProfileTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  private func session(_ profile: TransferQueue.Profile) throws -> Session {
    try Session.Builder(profile, transports: ["mock": stage.mock], defaultTransport: "mock").clock(ImmediateClock())
      .build()
  }

  /// A profile in which each property has another value than by default.
  private static var full: TransferQueue.Profile {
    var profile = TransferQueue.Profile()
    profile.baseURL = "https://example.com/api"
    profile.headers = ["X-Trace": "1"]
    profile.transport = "mock"
    profile.roots = "/etc/roots.pem"
    profile.additionalRoots = "/etc/more.pem"
    profile.pins = ["example.com": ["sha256/AAAA"]]
    profile.connectTimeout = 0.1
    profile.idleTimeout = 2.5
    profile.totalTimeout = 3_600
    profile.attemptTimeout = 1e-9
    profile.retries = 3
    profile.followsRedirects = false
    profile.networkPolicy = .init(.publicInternetOnly, allowing: ["10.20.0.0/16"], denying: ["10.20.1.1"])
    return profile
  }

  @Test func `a profile comes back as it was stored, also after a salvage`() async throws {
    let (full, defaults) = (
      Mirror(reflecting: Self.full).children, Mirror(reflecting: TransferQueue.Profile()).children
    )
    for (property, other) in zip(full, defaults) {
      #expect("\(property.value)" != "\(other.value)", "\(property.label ?? "") has its default")
    }
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    try await queue.setProfile(Self.full, named: "a")
    try await queue.setHook(["/bin/true", "x"], forGroup: "g")
    #expect(try await queue.profile(named: "a") == Self.full)
    #expect(try await queue.profileNames == ["a"])
    await queue.close()
    let salvage = Salvage(stage.database)
    #expect(salvage.profiles.keys.sorted() == ["a"])
    #expect(salvage.hooks["g"]?.command == ["/bin/true", "x"])
    let next = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    try await next.setProfile(nil, named: "a")
    #expect(try await next.profile(named: "a") == nil)
    await next.close()
  }

  /// A change of a profile, and the name of the property that it makes wrong.
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (inout TransferQueue.Profile) -> Void
    var testDescription: String { name }

    init(_ name: String, _ change: @escaping @Sendable (inout TransferQueue.Profile) -> Void) {
      self.name = name
      self.change = change
    }
  }

  @Test(arguments: [
    Fault("headers") { $0.headers["Authorization"] = "Bearer s3cr3t" }, Fault("headers") { $0.headers["a b"] = "1" },
    Fault("headers") { $0.headers["X.Secret"] = "1" }, Fault("headers") { $0.headers["X-A"] = "1\n2" },
    Fault("baseURL") { $0.baseURL = "https://user:s3cr3t@example.com" }, Fault("baseURL") { $0.baseURL = "/relative" },
    Fault("baseURL") { $0.baseURL = "https://example.com/?token=s3cr3t" }, Fault("roots") { $0.roots = "roots.pem" },
    Fault("additionalRoots") { $0.additionalRoots = "" }, Fault("pins") { $0.pins["example.com"] = [] },
    Fault("roots") { $0.roots = "/a\0b" }, Fault("connectTimeout") { $0.connectTimeout = 0 },
    Fault("idleTimeout") { $0.idleTimeout = .nan }, Fault("totalTimeout") { $0.totalTimeout = .infinity },
    Fault("attemptTimeout") { $0.attemptTimeout = -1 },
    Fault("retries") { $0.retries = -1 }, Fault("transport") { $0.transport = "" },
    Fault("networkPolicy") { $0.networkPolicy = .init(allowing: ["example.com"]) },
    Fault("networkPolicy") { $0.networkPolicy = .init(denying: ["10.0.0.0/99"]) },
  ])
  func `what cannot be stored faithfully is refused with its name`(
    fault: Fault
  ) async throws {
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var profile = TransferQueue.Profile()
    fault.change(&profile)
    let error = await #expect(throws: LupineError.self) { try await queue.setProfile(profile) }
    #expect(error?.message.contains("\(fault.name):") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("s3cr3t") == false)
    #expect(try await queue.profileNames == [])
    await queue.close()
  }

  @Test func `a timeout that is no duration is an error of build()`() {
    for seconds in [Double.infinity, .nan, 1e300, -1] {
      var profile = TransferQueue.Profile()
      profile.idleTimeout = seconds
      let refused = profile
      let error = #expect(throws: LupineError.self) { try session(refused) }
      #expect(error?.message.contains("idleTimeout:") == true, "\(error?.message ?? "")")
    }
  }

  @Test(arguments: [
    (#"{"base":"publicInternetOnly","allowing":["10.20.0.0/16"],"denying":["10.20.1.1"]}"#, "8.8.8.8 10.20.0.1"),
    (#"{"base":"loopbackOnly"}"#, "127.0.0.1"), (#"{"base":"none","allowing":["8.8.8.8"]}"#, "8.8.8.8"),
    (#"{"denying":["127.0.0.0/8"]}"#, "8.8.8.8 10.20.0.1 10.20.1.1"), (#"{}"#, "8.8.8.8 10.20.0.1 10.20.1.1 127.0.0.1"),
  ])
  func `the rules of addresses are those of a network policy`(json: String, allowed: String) throws {
    let policy = try JSONDecoder().decode(TransferQueue.Profile.AddressRules.self, from: Data(json.utf8)).policy
    let addresses = ["8.8.8.8", "10.20.0.1", "10.20.1.1", "127.0.0.1"]
    let found = try addresses.filter { policy.allows(try #require(IPAddress($0))) }
    #expect(found.joined(separator: " ") == allowed)
  }

  @Test func `a session has the network policy of its profile`() async throws {
    stage.mock.stub(.get, "/a", .data(Data("x".utf8)))
    var profile = TransferQueue.Profile()
    #expect(await (try session(profile)).request("http://127.0.0.1/a").serializingData().response.error == nil)
    profile.networkPolicy = .init(.publicInternetOnly)
    let error = await (try session(profile)).request("http://127.0.0.1/a").serializingData().response.error
    #expect(error?.kind == .addressRefused)
  }

  @Test(arguments: [#"{"headers":{},"quantumPins":1}"#, #"{"networkPolicy":{"quantumPins":[]}}"#])
  func `a key of a later build is an error that names it`(text: String) {
    let json = Data(text.utf8)
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(TransferQueue.Profile.self, from: json) }
    #expect(error.map { "\($0)".contains("quantumPins") } == true)
  }

  @Test func `each transfer has the session of its profile, and a changed profile a new one`() async throws {
    let traces = Mutex<[String: String?]>([:])
    stage.mock.stub(.get, "/{name}") { request in
      traces.withLock { $0[request.variables["name"] ?? ""] = request.headers[.init("X-Trace")!] }
      return .data(Data("x".utf8))
    }
    let queue = try stage.queue { $0.sessionForProfile = { try session($0) } }
    var profile = TransferQueue.Profile()
    for (name, trace) in [("default", "0"), ("a", "1")] {
      profile.headers["X-Trace"] = trace
      try await queue.setProfile(profile, named: name)
    }
    try await queue.add(stage.download("first"))
    var transfer = stage.download("second")
    transfer.profile = "a"
    try await queue.add(transfer)
    _ = try await queue.next(2)
    profile.headers["X-Trace"] = "2"
    try await queue.setProfile(profile, named: "a")
    transfer = stage.download("third")
    transfer.profile = "a"
    try await queue.add(transfer)
    #expect(try await queue.next(1).first?.isFinished == true)
    #expect(traces.withLock { $0 } == ["first": "0", "second": "1", "third": "2"])
    await queue.close()
  }

  @Test func `a profile that is missing, of a later build, or that build() refuses fails its transfers`() async throws {
    let queue = try stage.queue { $0.sessionForProfile = { try session($0) } }
    var profile = TransferQueue.Profile()
    profile.transport = "carrier pigeon"
    try await queue.setProfile(profile, named: "pigeon")
    profile.transport = nil
    profile.pins["example.com"] = ["sha256/AAAA"]
    try await queue.setProfile(profile, named: "pins")
    try await queue.engine.change { (opened) throws(SQLiteFailure) in
      try opened.database.setProfile(Array(#"{"later":1}"#.utf8), named: "later")
      return []
    }
    for (name, reason) in [
      ("pigeon", "carrier pigeon"), ("pins", "no evaluator"), ("later", "later"), ("none", "not stored"),
    ] {
      var transfer = stage.download(name)
      transfer.profile = name
      try await queue.add(transfer)
      let failure = try #require(try await queue.next(1).first?.failure)
      #expect(failure.message.contains(reason), "\(failure)")
      #expect(failure.message.contains("\"\(name)\""))
    }
    #expect(stage.mock.requests.isEmpty)
    await queue.close()
  }
}
