import CFailingSystem
import Glibc
import LupineCore
import LupineSession
import LupineCurl
import LupineNative
import LupineTesting

/// Executes the steps of a probe in order.
///
/// The first `get` builds the session. These steps configure it, and must precede that `get`:
/// - `native`: the native transport instead of libcurl
/// - `allow HOST`: a network policy that denies everything else
/// - `roots PATH`, `more PATH`: the root certificates, and further ones
/// - `proxy URL`, `once` (keeps no connection), `idle SECONDS`, `lifetime SECONDS`
/// - `connect SECONDS`: the connect timeout
/// - `resolve ADDRESS ADDRESS [ADDRESS]`: the addresses of the host `both.example`
///
/// The other steps:
/// - `answer ADDRESS`, `peer ADDRESS`, `advance SECONDS`: the functions of `failing_system.h`
/// - `move FROM TO`: renames a file
/// - `serve HOST`: starts a server, which the following requests address as this host
/// - `get`, `pool`, `lookups`: print the outcome of a request, the open connections, the lookups
/// - `empty`: prints whether the pool becomes empty
/// - `leave COUNT`: opens files until the process can open only COUNT more; `close`: closes these files
/// - `burst COUNT`: sends this number of requests at the same time, and prints how many have ended
struct ProbeScript {
  private var url: String
  private var builder = Session.Builder().transport(.curl)
  private var options = ConnectionOptions()
  private var session: Session?
  private var server: ScriptedServer?
  private var files: [Int32] = []

  init(url: String) { self.url = url }

  mutating func take(_ step: String) async throws {
    let words = step.split(separator: " ", maxSplits: 1).map(String.init)
    let value = words.count == 2 ? words[1] : ""
    switch words.first {
    case "native": builder = builder.transport(.native)
    case "allow": builder = builder.networkPolicy(NetworkPolicy(otherwise: .deny).allowing(value))
    case "roots": builder = builder.certificateAuthorities(value)
    case "more": builder = builder.additionalCertificateAuthorities(value)
    case "proxy": builder = builder.proxy(value)
    case "once": options.isKeptAlive = false
    case "idle": options.idleLifetime = .seconds(Int(value) ?? 0)
    case "lifetime": options.lifetime = .seconds(Int(value) ?? 0)
    case "answer": failing_answer(value)
    case "peer": failing_peer(value)
    case "move": move(value.split(separator: " ").map(String.init))
    case "advance": failing_advance(Int64(value) ?? 0)
    case "connect": builder = builder.timeouts(connect: .seconds(Int(value) ?? 0))
    case "serve": try serve(value)
    case "resolve":
      builder = builder.resolve("both.example", to: value.split(separator: " ").map(String.init))
    case "get": print(try await get())
    case "leave": fill(leaving: Int(value) ?? 0)
    case "close": closeFiles()
    case "burst": print(await burst(Int(value) ?? 0))
    case "pool": print("\(await session?.connectionPool()?.open ?? 0) open")
    case "empty": print(await isEmptied() ? "empty" : "not empty")
    case "lookups": print("\(failing_lookups()) lookups")
    default: print("no such step: \(step)")
    }
  }

  private mutating func fill(leaving count: Int) {
    while true {
      let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
      if file < 0 { break }
      files.append(file)
    }
    for file in files.suffix(count) { close(file) }
    files.removeLast(min(count, files.count))
  }

  private mutating func closeFiles() {
    for file in files { close(file) }
    files = []
  }

  private mutating func burst(_ count: Int) async -> String {
    do throws(LupineError) {
      let session = try openSession()
      let url = url
      // Each request looks up a name of its own, so that there are as many threads as the limits allow.
      let ended = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<count {
          let own = url.replacing("//own.", with: "//own\(number).")
          group.addTask {
            let response = await session.request(own).serializingData().response
            return response.error == nil || response.error?.message.isEmpty == false
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      return "\(ended) ended"
    } catch {
      return "\(error.kind)"
    }
  }

  /// Whether the pool's last connection is closed within a bounded number of turns of the transport's loop.
  private func isEmptied() async -> Bool {
    for _ in 0..<100_000 where await session?.connectionPool()?.open == 0 { return true }
    return false
  }

  /// Starts a server in this process; the following requests go to it and name `host`.
  private mutating func serve(_ host: String) throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    self.server = server
    url = "http://\(host):\(server.port)/"
  }

  private func move(_ places: [String]) {
    if places.count != 2 || rename(places[0], places[1]) != 0 { print("cannot move \(places)") }
  }

  private mutating func openSession() throws(LupineError) -> Session {
    if let session { return session }
    let built = try builder.connections(options).build()
    session = built
    return built
  }

  /// Sends a request and describes its outcome.
  ///
  /// The outcome is `new` or `used again` for the connection, the parts of the session that a configuration error
  /// names, or the kind of another error.
  private mutating func get() async throws -> String {
    let session: Session
    do throws(LupineError) {
      session = try openSession()
    } catch {
      if case .configuration = error.kind { throw error }
      return "\(error.kind)"
    }
    let response = await session.request(url).serializingData().response
    if case .configuration(let issues) = response.error?.kind { return issues.map(\.part).joined() }
    if let error = response.error { return "\(error.kind)" }
    return response.metrics.isConnectionReused ? "used again" : "new"
  }
}
