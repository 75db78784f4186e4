import CScriptedSystem
import Glibc
import LupineCore
import LupineSession
import LupineCurl

/// Executes the steps of a probe in order.
///
/// The first `get` builds the session. Steps that configure the session must precede it.
struct ProbeScript {
  let url: String
  private var builder = Session.Builder().transport(.curl)
  private var options = ConnectionOptions()
  private var session: Session?

  init(url: String) { self.url = url }

  mutating func take(_ step: String) async throws {
    let words = step.split(separator: " ", maxSplits: 1).map(String.init)
    let value = words.count == 2 ? words[1] : ""
    switch words.first {
    case "allow": builder = builder.networkPolicy(NetworkPolicy(otherwise: .deny).allowing(value))
    case "roots": builder = builder.certificateAuthorities(value)
    case "more": builder = builder.additionalCertificateAuthorities(value)
    case "proxy": builder = builder.proxy(value)
    case "once": options.isKeptAlive = false
    case "idle": options.idleLifetime = .seconds(Int(value) ?? 0)
    case "lifetime": options.lifetime = .seconds(Int(value) ?? 0)
    case "answer": scripted_answer(value)
    case "peer": scripted_peer(value)
    case "move": move(value.split(separator: " ").map(String.init))
    case "advance": scripted_advance(Int64(value) ?? 0)
    case "get": print(try await get())
    case "pool": print("\(await session?.connectionPool()?.open ?? 0) open")
    case "empty": print(await isEmptied() ? "empty" : "not empty")
    case "lookups": print("\(scripted_lookups()) lookups")
    default: print("no such step: \(step)")
    }
  }

  /// Whether the pool's last connection is closed within a bounded number of turns of the transport's loop.
  private func isEmptied() async -> Bool {
    for _ in 0..<100_000 where await session?.connectionPool()?.open == 0 { return true }
    return false
  }

  private func move(_ places: [String]) {
    if places.count != 2 || rename(places[0], places[1]) != 0 { print("cannot move \(places)") }
  }

  /// Sends a request and describes its outcome.
  ///
  /// The outcome is `new` or `used again` for the connection, the parts of the session that a configuration error
  /// names, or the kind of another error.
  private mutating func get() async throws -> String {
    let session = try session ?? builder.connections(options).build()
    self.session = session
    let response = await session.request(url).serializingData().response
    if case .configuration(let issues) = response.error?.kind { return issues.map(\.part).joined() }
    if let error = response.error { return "\(error.kind)" }
    return response.metrics.isConnectionReused ? "used again" : "new"
  }
}
