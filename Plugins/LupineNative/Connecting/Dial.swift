import LupineCore
import LupineEventLoop

/// Makes a connection to one of a host's addresses, which it tries in turn (RFC 8305).
///
/// An attempt begins when the one before it has failed, or has not succeeded for a while. The first connection wins, and
/// the other attempts are closed.
final class Dial: ConnectionUser {
  /// The time in nanoseconds after which the next attempt begins beside the others (RFC 8305 section 5).
  static let attemptDelay: UInt64 = 250_000_000

  /// The setup closes the dial before it is released.
  private unowned let setup: ConnectionSetup
  private var waiting: ArraySlice<SocketTarget>
  private var attempts: [Connection] = []
  private var firstFailure: SystemError?
  /// When the next attempt begins beside the others; `nil` if no address waits.
  ///
  /// After a failure, the next attempt still gets the full delay.
  var nextAttempt: UInt64? { waiting.isEmpty || awaitsDescriptor ? nil : lastAttempt + Self.attemptDelay }
  private var lastAttempt: UInt64 = 0
  /// Whether the other loops have been asked to free a descriptor; they are asked once.
  private var hasRequestedDescriptor = false
  /// Whether they have not answered.
  private var awaitsDescriptor = false

  init(_ targets: [SocketTarget], for setup: ConnectionSetup) {
    waiting = targets[...]
    self.setup = setup
  }

  private var connections: Connections { setup.loop.connections }

  /// Begins the next attempt; also called at `nextAttempt`, while an attempt is under way.
  func tryNext() {
    if awaitsDescriptor { return }
    lastAttempt = connections.now
    while let target = waiting.first {
      do throws(SystemError) {
        attempts.append(try connections.open(target, for: setup.route, setup.options, user: self))
        waiting.removeFirst()
        return
      } catch {
        if requestsDescriptor(after: error) { return }
        waiting.removeFirst()
        firstFailure = firstFailure ?? error
      }
    }
    if attempts.isEmpty, let firstFailure { setup.dialFailed(firstFailure) }
  }

  /// Asks the other loops, once, for the descriptor of an idle connection, if the process has no descriptor left.
  private func requestsDescriptor(after error: SystemError) -> Bool {
    guard error.isDescriptorShortage, !hasRequestedDescriptor else { return false }
    hasRequestedDescriptor = true
    awaitsDescriptor = connections.requestDescriptor(for: setup.exchange.submission.ticket)
    return awaitsDescriptor
  }

  /// Tries the same address again, because the other loops have answered; no effect if they were not asked.
  func retrySocket() {
    guard awaitsDescriptor else { return }
    awaitsDescriptor = false
    tryNext()
  }

  func connectionIsReady(_ connection: Connection) {
    do throws(SystemError) {
      guard try connection.isConnected() else { return }
    } catch {
      firstFailure = firstFailure ?? error
      attempts.removeAll { $0 === connection }
      connections.close(connection)
      return tryNext()
    }
    attempts.removeAll { $0 === connection }
    close()
    setup.dialSucceeded(connection)
  }

  /// Ends the attempts.
  func close() {
    waiting = []
    for attempt in attempts { connections.close(attempt) }
    attempts = []
  }

  /// Returns the addresses in the order in which they are tried: the families alternate (RFC 8305 section 4).
  static func interleaved(_ addresses: [IPAddress]) -> [IPAddress] {
    guard let first = addresses.first?.family else { return [] }
    let preferred = addresses.filter { $0.family == first }
    let others = addresses.filter { $0.family != first }
    var order: [IPAddress] = []
    for index in 0..<max(preferred.count, others.count) {
      if index < preferred.count { order.append(preferred[index]) }
      if index < others.count { order.append(others[index]) }
    }
    return order
  }
}
