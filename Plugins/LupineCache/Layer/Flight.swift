import LupineCore
import LupineSupport
import Synchronization

/// A request that is under way, whose response other requests read or wait for.
///
/// The others do not depend on it: if it is cancelled or fails, one of them takes its place.
final class Flight: Sendable {
  /// What requests have in common that wait for each other: the URL, the user and the kind of connection.
  struct Name: Sendable, Hashable {
    let url: String
    let connection: String
    let credential: String

    // URL and user tell most names apart.
    func hash(into hasher: inout Hasher) {
      hasher.combine(url)
      hasher.combine(credential)
    }

    /// The name in one text, which is the same on other machines.
    var text: String { [url, connection, credential].joined(separator: "\n") }
  }

  /// What became of the request at its head.
  private enum Outcome {
    /// The head has not arrived; after the decision: the request was cancelled or has failed.
    case pending
    case stores(EntryWriting, GrowingEntry)
    /// The response is not stored, or must be validated by each request.
    case notShareable
    /// The request was answered, and what was stored before stays, as after 304.
    case answers
  }

  private let outcome = Mutex(Outcome.pending)
  /// Set once the head has arrived, or the request has failed.
  let isDecided = Signal()

  /// Records that the response is being stored.
  func stores(_ writing: EntryWriting, _ growing: GrowingEntry) {
    outcome.withLock { $0 = .stores(writing, growing) }
  }

  /// Records that the response is not stored, or that each request must validate it.
  func recordNotShareable() { outcome.withLock { $0 = .notShareable } }

  /// Records that the request was answered.
  func answers() {
    outcome.withLock { if case .pending = $0 { $0 = .answers } }
  }

  /// Lets the others continue.
  func decide() { isDecided.set() }

  /// The response that is being stored.
  var writing: (writing: EntryWriting, growing: GrowingEntry)? {
    outcome.withLock { if case .stores(let writing, let growing) = $0 { (writing, growing) } else { nil } }
  }

  /// Whether the response answers no other request, so that later requests need not wait for such a response.
  var isNotShareable: Bool { outcome.withLock { if case .notShareable = $0 { true } else { false } } }

  /// Whether the request was cancelled or has failed before its response was complete.
  ///
  /// The others then need another request, and do not know yet whether its response can be stored.
  var isBroken: Bool {
    switch outcome.withLock({ $0 }) {
    case .pending: true
    case .stores(let writing, _): writing.isInterrupted
    case .notShareable, .answers: false
    }
  }
}

/// The requests that are under way, by the response that they request.
struct Flights: Sendable {
  /// The part of a request in a flight.
  enum Role: Sendable {
    /// It is sent, and others wait for it.
    case leads(Flight)
    /// It waits.
    case follows(Flight)
    /// It is sent, and no other request waits for it.
    case none
  }

  private var running: [Flight.Name: Flight] = [:]
  /// The names of responses that answered no other request.
  private var notShareable = RecentTable<Flight.Name, Bool>(limit: 1_000)

  var isEmpty: Bool { running.isEmpty }

  mutating func join(_ name: Flight.Name) -> Role {
    if let flight = running[name] { return .follows(flight) }
    guard notShareable[name] == nil else { return .none }
    let flight = Flight()
    running[name] = flight
    return .leads(flight)
  }

  /// Removes a flight that stores nothing; another one stays until its response is stored.
  mutating func decide(_ flight: Flight, _ name: Flight.Name) {
    if flight.isNotShareable { notShareable[name] = true }
    if flight.writing == nil { remove(flight, name) }
  }

  /// Records that a response answers other requests, so that they wait for it again.
  mutating func recordShareable(_ name: Flight.Name) { notShareable[name] = nil }

  /// Removes a flight.
  mutating func remove(_ flight: Flight, _ name: Flight.Name) {
    if running[name] === flight { running[name] = nil }
  }
}
